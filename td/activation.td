// Elementwise functions of one tensor, and softmax. Result shape = input shape.

def Top_ReluOp : Top_Op<"Relu", [QuantTransparent]> {
  let summary = "max(x, 0), at most relu_limit";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<DefaultValuedAttr<F64Attr, "-1.0">,
      "The maximum of the results; 0 or a negative value means none">:$relu_limit);
  let results = (outs AnyTensor:$output);
}

def Top_AbsOp : Top_UnaryOp<"Abs", [QuantTransparent]> {
  let summary = "Absolute value";
}

def Top_LeakyReluOp : Top_Op<"LeakyRelu", [QuantTransparent]> {
  let summary = "x if x >= 0, otherwise alpha * x";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<F64Attr, "The factor of negative elements">:$alpha,
    Rounding:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_SigmoidOp : Top_Op<"Sigmoid"> {
  let summary = "scale / (1 + exp(-x)) + bias, or its logarithm";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<DefaultValuedAttr<F64Attr, "1">, "The factor of the sigmoid">:$scale,
    Arg<DefaultValuedAttr<F64Attr, "0">, "Added to the scaled sigmoid">:$bias,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether the result is the natural logarithm of the sigmoid, without `scale` and `bias`">:$log,
    Rounding:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_TanhOp : Top_Op<"Tanh"> {
  let summary = "Hyperbolic tangent";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Rounding:$round_mode);
  let results = (outs AnyTensor:$output);
}

def GeluApproxMode : OneOf<["normal", "tanh", "sigm"]>;

def Top_GELUOp : Top_Op<"GELU"> {
  let summary = "x * Phi(x), Phi the normal distribution function";
  let description = [{ The usual approximations are, for `tanh`,
    0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), and for `sigm`, x * sigmoid(1.702 x). }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<DefaultValuedAttr<GeluApproxMode, "\"normal\"">,
      "The formula: `normal` uses erf, `tanh` and `sigm` are approximations">:$approx_mode,
    Rounding:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_SoftmaxOp : Top_Op<"Softmax"> {
  let summary = "exp(beta * x) normalized to sum 1 along an axis";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<SI32Attr, "The axis along which the sum is 1; negative values count from the end">:$axis,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether the result is the natural logarithm of the softmax">:$log,
    Arg<DefaultValuedAttr<F64Attr, "1.0">, "The factor of each element in the exponent">:$beta,
    Arg<DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">,
      "How results are rounded to integers; between quantized 8-bit tensors, without `log`, always to the nearest"
    >:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_SiLUOp : Top_UnaryOp<"SiLU"> {
  let summary = "x / (1 + exp(-x))";
}

def Top_SwishOp : Top_Op<"Swish"> {
  let summary = "x / (1 + exp(-beta * x))";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<F64Attr, "The factor of each element in the exponent">:$beta,
    Rounding:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_MishOp : Top_UnaryOp<"Mish"> {
  let summary = "x * tanh(ln(1 + exp(x)))";
}

def Top_HardSwishOp : Top_UnaryOp<"HardSwish"> {
  let summary = "x * (x / 6 + 1 / 2), the second factor clamped to [0, 1]";
}

def Top_HardSigmoidOp : Top_Op<"HardSigmoid"> {
  let summary = "alpha * x + beta, clamped to [0, 1]";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<F64Attr, "The factor of each element">:$alpha,
    Arg<F64Attr, "Added to each product">:$beta);
  let results = (outs AnyTensor:$output);
}

def Top_EluOp : Top_Op<"Elu"> {
  let summary = "x if x > 0, otherwise alpha * (exp(x) - 1)";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<F64Attr, "The factor of exp(x) - 1 where x is not positive">:$alpha);
  let results = (outs AnyTensor:$output);
}

def Top_PReluOp : Top_Op<"PRelu"> {
  let summary = "x if x >= 0, otherwise slope * x";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensor,
      "The factor of negative elements: one for all, one per channel (axis 1), or a tensor that broadcasts to `input`"
    >:$slope);
  let results = (outs AnyTensor:$output);
}

def Top_SoftplusOp : Top_UnaryOp<"Softplus"> {
  let summary = "ln(1 + exp(x))";
}

def Top_SoftsignOp : Top_UnaryOp<"Softsign"> {
  let summary = "x / (1 + |x|)";
}
