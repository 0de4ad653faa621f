// Elementwise mathematics. Result shape = input shape.

def Top_SignOp : Top_UnaryOp<"Sign"> {
  let summary = "1 if x > 0, -1 if x < 0, otherwise 0";
}

def Top_CeilOp : Top_UnaryOp<"Ceil"> {
  let summary = "Smallest integer not less than x";
}

def Top_FloorOp : Top_Op<"Floor"> {
  let summary = "Largest integer not greater than x";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
  let results = (outs AnyTensor:$output);
}

def Top_RoundOp : Top_UnaryOp<"Round"> {
  let summary = "Nearest integer";
  let description = [{ Halves are rounded away from zero. }];
}

def Top_ClipOp : Top_Op<"Clip"> {
  let summary = "x clamped to [min, max]";
  let arguments = (ins
    Arg<AnyTensor, "The tensor; NaN stays NaN">:$inputs,
    Arg<F64Attr, "The upper bound, at least `min`">:$max,
    Arg<F64Attr, "The lower bound, not NaN">:$min);
  let results = (outs AnyTensor:$output);
}

def Top_SqrtOp : Top_UnaryOp<"Sqrt"> {
  let summary = "Square root";
}

def Top_RsqrtOp : Top_UnaryOp<"Rsqrt"> {
  let summary = "1 / sqrt(x + 1e-5)";
  let description = [{ For quantized tensors it is 1 / sqrt(x). }];
}

def Top_PowOp : Top_Op<"Pow"> {
  let summary = "x to the power exponent";
  let arguments = (ins
    Arg<AnyTensor, "The bases">:$input,
    Arg<F64Attr, "The power to which each element is raised">:$exponent);
  let results = (outs AnyTensor:$output);
}

def Top_Pow2Op : Top_Op<"Pow2"> {
  let summary = "const_val to the power x";
  let arguments = (ins
    Arg<AnyTensor, "The exponents">:$input,
    Arg<F64Attr, "The base of all powers">:$const_val);
  let results = (outs AnyTensor:$output);
}

def Top_Pow3Op : Top_NaryOp<"Pow3"> {
  let summary = "First tensor to the power of the second";
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "The bases, and the exponents, which are broadcast to the shape of the bases">:$inputs);
}

def Top_ExpOp : Top_UnaryOp<"Exp"> {
  let summary = "e to the power x";
}

def Top_LogOp : Top_UnaryOp<"Log"> {
  let summary = "Natural logarithm";
}

def Top_LogBOp : Top_Op<"LogB"> {
  let summary = "Logarithm to a base";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<I64Attr, "The base of the logarithm, at least 2">:$base);
  let results = (outs AnyTensor:$output);
}

def Top_ErfOp : Top_UnaryOp<"Erf"> {
  let summary = "Error function";
  let description = [{ 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x. }];
}

def Top_SinOp : Top_UnaryOp<"Sin"> {
  let summary = "Sine";
}

def Top_CosOp : Top_UnaryOp<"Cos"> {
  let summary = "Cosine";
}

def Top_TanOp : Top_UnaryOp<"Tan"> {
  let summary = "Tangent";
}

def Top_ArccosOp : Top_UnaryOp<"Arccos"> {
  let summary = "Inverse cosine, between 0 and pi";
}

def Top_SinhOp : Top_UnaryOp<"Sinh"> {
  let summary = "Hyperbolic sine";
}

def Top_CoshOp : Top_UnaryOp<"Cosh"> {
  let summary = "Hyperbolic cosine";
}

def Top_ArctanhOp : Top_UnaryOp<"Arctanh"> {
  let summary = "Inverse hyperbolic tangent";
}
