// Elementwise functions of one tensor, and softmax. Result shape = input shape.

def Top_ReluOp : Top_Op<"Relu", [QuantTransparent]> {
  let summary = "max(x, 0), capped at relu_limit";
  let description = [{ `relu_limit <= 0` means no cap. }];
  let arguments = (ins AnyTensor:$input, DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit);
  let results = (outs AnyTensor:$output);
}

def Top_LeakyReluOp : Top_Op<"LeakyRelu", [QuantTransparent]> {
  let summary = "x where x >= 0, alpha * x elsewhere";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$alpha,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_SigmoidOp : Top_Op<"Sigmoid"> {
  let summary = "scale / (1 + exp(-x)) + bias, or its logarithm";
  let description = [{ With `log` the result is the natural logarithm of the sigmoid. }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<F64Attr, "1">:$scale,
    DefaultValuedAttr<F64Attr, "0">:$bias,
    DefaultValuedAttr<BoolAttr, "false">:$log,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_TanhOp : Top_Op<"Tanh"> {
  let summary = "hyperbolic tangent";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_GELUOp : Top_Op<"GELU"> {
  let summary = "x * Phi(x), Phi the normal distribution function";
  let description = [{ `approx_mode`: `normal` uses erf; `tanh` and `sigm` are the usual approximations
    0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) and x * sigmoid(1.702 x). }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<OneOf<["normal", "tanh", "sigm"]>, "\"normal\"">:$approx_mode,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_SoftmaxOp : Top_Op<"Softmax"> {
  let summary = "exp(beta * x) normalised to sum 1 along an axis";
  let description = [{ With `log` the result is the natural logarithm of the softmax. }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$log,
    DefaultValuedAttr<F64Attr, "1.0">:$beta,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}
