// Elementwise comparison and logic: 1 where it holds, 0 elsewhere.

def CompareMode : OneOf<["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "NotEqual",
                         "And", "Not", "Xor"]>;

def Top_CompareOp : Top_Op<"Compare"> {
  let summary = "Comparison of two tensors, broadcast";
  let arguments = (ins
    Arg<AnyTensor, "The left tensor, whose dtype the result has">:$lhs,
    Arg<AnyTensor, "The right tensor; its values are not used by `Not`">:$rhs,
    Arg<CompareMode, "What is compared. `And`: neither is 0. `Xor`: they differ. `Not`: the left one is 0">:$mode);
  let results = (outs AnyTensor:$output);
}

def Top_CompareConstOp : Top_Op<"CompareConst"> {
  let summary = "Comparison of a tensor with a constant";
  let arguments = (ins
    Arg<AnyTensor, "The tensor, whose dtype the result has">:$input,
    Arg<CompareMode, "What is compared. `And`: neither is 0. `Xor`: they differ. `Not`: the left one is 0">:$mode,
    Arg<F64Attr, "The constant; for an input quantized with one scale, it is first rounded to a multiple of that"
    >:$const_val,
    Arg<BoolAttr, "Whether the constant is on the left">:$inversed,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
  let results = (outs AnyTensor:$output);
}

def Top_LogicalAndOp : Top_NaryOp<"LogicalAnd"> {
  let summary = "1 if no tensor is 0, otherwise 0";
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "The two tensors, broadcast; the result has the dtype of the first">:$inputs);
}
