// Elementwise functions of one tensor, and softmax. Result shape = input shape.

def Top_ReluOp : Top_Op<"Relu", [QuantTransparent]> {
  let summary = "max(x, 0), at most relu_limit";
  let description = [{ `relu_limit <= 0` means no upper bound. }];
  let arguments = (ins AnyTensor:$input, DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit);
  let results = (outs AnyTensor:$output);
}

def Top_AbsOp : Top_UnaryOp<"Abs", [QuantTransparent]> {
  let summary = "Absolute value";
  let description = [{ }];
}

def Top_LeakyReluOp : Top_Op<"LeakyRelu", [QuantTransparent]> {
  let summary = "x if x >= 0, otherwise alpha * x";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$alpha,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_SigmoidOp : Top_Op<"Sigmoid"> {
  let summary = "scale / (1 + exp(-x)) + bias, or its logarithm";
  let description = [{ With `log` the result is the natural logarithm of the sigmoid, without `scale` and `bias`. }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<F64Attr, "1">:$scale,
    DefaultValuedAttr<F64Attr, "0">:$bias,
    DefaultValuedAttr<BoolAttr, "false">:$log,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_TanhOp : Top_Op<"Tanh"> {
  let summary = "Hyperbolic tangent";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def GeluApproxMode : OneOf<["normal", "tanh", "sigm"]>;

def Top_GELUOp : Top_Op<"GELU"> {
  let summary = "x * Phi(x), Phi the normal distribution function";
  let description = [{ `approx_mode`: `normal` uses erf; `tanh` and `sigm` are the usual approximations
    0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) and x * sigmoid(1.702 x). }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<GeluApproxMode, "\"normal\"">:$approx_mode,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_SoftmaxOp : Top_Op<"Softmax"> {
  let summary = "exp(beta * x) normalized to sum 1 along an axis";
  let description = [{ With `log` the result is the natural logarithm of the softmax. }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$log,
    DefaultValuedAttr<F64Attr, "1.0">:$beta,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_SiLUOp : Top_UnaryOp<"SiLU"> {
  let summary = "x / (1 + exp(-x))";
  let description = [{ }];
}

def Top_SwishOp : Top_Op<"Swish"> {
  let summary = "x / (1 + exp(-beta * x))";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$beta,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_MishOp : Top_UnaryOp<"Mish"> {
  let summary = "x * tanh(ln(1 + exp(x)))";
  let description = [{ }];
}

def Top_HardSwishOp : Top_UnaryOp<"HardSwish"> {
  let summary = "x * (x / 6 + 1 / 2), the second factor clamped to [0, 1]";
  let description = [{ }];
}

def Top_HardSigmoidOp : Top_Op<"HardSigmoid"> {
  let summary = "alpha * x + beta, clamped to [0, 1]";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$alpha, F64Attr:$beta);
  let results = (outs AnyTensor:$output);
}

def Top_EluOp : Top_Op<"Elu"> {
  let summary = "x if x > 0, otherwise alpha * (exp(x) - 1)";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$alpha);
  let results = (outs AnyTensor:$output);
}

def Top_PReluOp : Top_Op<"PRelu"> {
  let summary = "x if x >= 0, otherwise slope * x";
  let description = [{ A `slope` of one dimension has one value per channel (axis 1), or one for all; any other is
    broadcast to the input. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$slope);
  let results = (outs AnyTensor:$output);
}

def Top_SoftplusOp : Top_UnaryOp<"Softplus"> {
  let summary = "ln(1 + exp(x))";
  let description = [{ }];
}

def Top_SoftsignOp : Top_UnaryOp<"Softsign"> {
  let summary = "x / (1 + |x|)";
  let description = [{ }];
}
