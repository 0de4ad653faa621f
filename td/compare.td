// Elementwise comparison and logic: 1 where it holds, 0 elsewhere.

def CompareMode : OneOf<["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "NotEqual",
                         "And", "Not", "Xor"]>;

def Top_CompareOp : Top_Op<"Compare"> {
  let summary = "Comparison of two tensors, broadcast";
  let description = [{ `And`: neither is 0. `Xor`: they differ. `Not`: the first is 0. }];
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs, CompareMode:$mode);
  let results = (outs AnyTensor:$output);
}

def Top_CompareConstOp : Top_Op<"CompareConst"> {
  let summary = "Comparison of a tensor with a constant";
  let description = [{ With `inversed`, the constant is on the left. }];
  let arguments = (ins AnyTensor:$input, CompareMode:$mode, F64Attr:$const_val, BoolAttr:$inversed,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
  let results = (outs AnyTensor:$output);
}

def Top_LogicalAndOp : Top_NaryOp<"LogicalAnd"> {
  let summary = "1 if no tensor is 0, otherwise 0";
  let description = [{ }];
}
