// Elementwise mathematics. Result shape = input shape.

def Top_SignOp : Top_UnaryOp<"Sign"> {
  let summary = "1 where x > 0, -1 where x < 0, 0 elsewhere";
  let description = [{ }];
}

def Top_CeilOp : Top_UnaryOp<"Ceil"> {
  let summary = "smallest integer not below x";
  let description = [{ }];
}

def Top_FloorOp : Top_Op<"Floor"> {
  let summary = "largest integer not above x";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
  let results = (outs AnyTensor:$output);
}

def Top_RoundOp : Top_UnaryOp<"Round"> {
  let summary = "nearest integer";
  let description = [{ Halves go away from zero. }];
}

def Top_ClipOp : Top_Op<"Clip"> {
  let summary = "x held between min and max";
  let description = [{ }];
  let arguments = (ins AnyTensor:$inputs, F64Attr:$max, F64Attr:$min);
  let results = (outs AnyTensor:$output);
}

def Top_SqrtOp : Top_UnaryOp<"Sqrt"> {
  let summary = "square root";
  let description = [{ }];
}

def Top_RsqrtOp : Top_UnaryOp<"Rsqrt"> {
  let summary = "1 / sqrt(x + 1e-5)";
  let description = [{ 1 / sqrt(x) of quantized tensors. }];
}

def Top_PowOp : Top_Op<"Pow"> {
  let summary = "x to the power exponent";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$exponent);
  let results = (outs AnyTensor:$output);
}

def Top_Pow2Op : Top_Op<"Pow2"> {
  let summary = "const_val to the power x";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val);
  let results = (outs AnyTensor:$output);
}

def Top_Pow3Op : Top_NaryOp<"Pow3"> {
  let summary = "first tensor to the power of the second";
  let description = [{ The second is broadcast to the first. }];
}

def Top_ExpOp : Top_UnaryOp<"Exp"> {
  let summary = "e to the power x";
  let description = [{ }];
}

def Top_LogOp : Top_UnaryOp<"Log"> {
  let summary = "natural logarithm";
  let description = [{ }];
}

def Top_LogBOp : Top_Op<"LogB"> {
  let summary = "logarithm to a base";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, I64Attr:$base);
  let results = (outs AnyTensor:$output);
}

def Top_ErfOp : Top_UnaryOp<"Erf"> {
  let summary = "error function";
  let description = [{ 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x. }];
}

def Top_SinOp : Top_UnaryOp<"Sin"> {
  let summary = "sine";
  let description = [{ }];
}

def Top_CosOp : Top_UnaryOp<"Cos"> {
  let summary = "cosine";
  let description = [{ }];
}

def Top_TanOp : Top_UnaryOp<"Tan"> {
  let summary = "tangent";
  let description = [{ }];
}

def Top_ArccosOp : Top_UnaryOp<"Arccos"> {
  let summary = "inverse cosine, between 0 and pi";
  let description = [{ }];
}

def Top_SinhOp : Top_UnaryOp<"Sinh"> {
  let summary = "hyperbolic sine";
  let description = [{ }];
}

def Top_CoshOp : Top_UnaryOp<"Cosh"> {
  let summary = "hyperbolic cosine";
  let description = [{ }];
}

def Top_ArctanhOp : Top_UnaryOp<"Arctanh"> {
  let summary = "inverse hyperbolic tangent";
  let description = [{ }];
}
