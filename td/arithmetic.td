// Elementwise functions of two tensors (numpy broadcasting), and of a tensor
// and a constant. `do_relu` applies a Relu with `relu_limit` to the result.

class Top_BinaryOp<string mnemonic> : Top_Op<mnemonic> {
  let results = (outs AnyTensor:$output);
}

def Top_AddOp : Top_BinaryOp<"Add"> {
  let summary = "sum of tensors";
  let description = [{ `coeff` scales each operand first. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    OptionalAttr<F64ArrayAttr>:$coeff,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_SubOp : Top_BinaryOp<"Sub"> {
  let summary = "difference of two tensors";
  let description = [{ With `is_reverse`, second minus first. `coeff` scales each operand first. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<BoolAttr, "false">:$is_reverse,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    OptionalAttr<F64ArrayAttr>:$coeff,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_MulOp : Top_BinaryOp<"Mul"> {
  let summary = "product of tensors";
  let description = [{ }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_DivOp : Top_BinaryOp<"Div"> {
  let summary = "quotient of two tensors";
  let description = [{ With `is_reverse`, second by first. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<BoolAttr, "false">:$is_reverse,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_MaxOp : Top_BinaryOp<"Max"> {
  let summary = "larger of two tensors";
  let description = [{ }];
  let arguments = (ins Variadic<AnyTensor>:$inputs);
}

def Top_MinOp : Top_BinaryOp<"Min"> {
  let summary = "smaller of two tensors";
  let description = [{ }];
  let arguments = (ins Variadic<AnyTensor>:$inputs);
}

def Top_AddConstOp : Top_BinaryOp<"AddConst"> {
  let summary = "x + const_val";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_SubConstOp : Top_BinaryOp<"SubConst"> {
  let summary = "x - const_val, or const_val - x with is_reverse";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$is_reverse,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_MulConstOp : Top_BinaryOp<"MulConst"> {
  let summary = "x * const_val";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_MaxConstOp : Top_BinaryOp<"MaxConst"> {
  let summary = "larger of x and const_val";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_MinConstOp : Top_BinaryOp<"MinConst"> {
  let summary = "smaller of x and const_val";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}
