// Elementwise functions of two tensors (numpy broadcasting), and of a tensor
// and a constant. `do_relu` applies a Relu with `relu_limit` to the result.

class Top_BinaryOp<string mnemonic> : Top_Op<mnemonic> {
  let results = (outs AnyTensor:$output);
}

def Top_AddOp : Top_BinaryOp<"Add"> {
  let summary = "Sum of tensors";
  let description = [{ `coeff`, one number for each operand, scales the operands first. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    OptionalAttr<F64ArrayAttr>:$coeff,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_SubOp : Top_BinaryOp<"Sub"> {
  let summary = "Difference of tensors, from left to right";
  let description = [{
    With `is_reverse`, each tensor less the difference of those before it. `coeff`, one number for each operand,
    scales the operands first.
  }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<BoolAttr, "false">:$is_reverse,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    OptionalAttr<F64ArrayAttr>:$coeff,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_MulOp : Top_BinaryOp<"Mul"> {
  let summary = "Product of tensors";
  let description = [{ }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_DivOp : Top_BinaryOp<"Div"> {
  let summary = "Quotient of tensors, from left to right";
  let description = [{ With `is_reverse`, each tensor by the quotient of those before it. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<BoolAttr, "false">:$is_reverse,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_ModOp : Top_NaryOp<"Mod"> {
  let summary = "Remainder of a division, with the sign of the dividend";
  let description = [{ `a - b * trunc(a / b)`. }];
}

def Top_RemainderOp : Top_NaryOp<"Remainder"> {
  let summary = "Remainder of a division, with the sign of the divisor";
  let description = [{ `a - b * floor(a / b)`. The second tensor is broadcast to the first. }];
}

def Top_MaxOp : Top_NaryOp<"Max"> {
  let summary = "Largest of several tensors";
  let description = [{ }];
}

def Top_MinOp : Top_NaryOp<"Min"> {
  let summary = "Smallest of several tensors";
  let description = [{ }];
}

def Top_AddConstOp : Top_BinaryOp<"AddConst"> {
  let summary = "x + const_val";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

class Top_ReversibleConstOp<string mnemonic> : Top_BinaryOp<mnemonic> {
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$is_reverse,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_SubConstOp : Top_ReversibleConstOp<"SubConst"> {
  let summary = "x - const_val, or const_val - x with is_reverse";
  let description = [{ }];
}

def Top_MulConstOp : Top_BinaryOp<"MulConst"> {
  let summary = "x * const_val";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_DivConstOp : Top_ReversibleConstOp<"DivConst"> {
  let summary = "x / const_val, or const_val / x with is_reverse, rounded down";
  let description = [{ Used to divide dimensions of shapes. }];
}

def Top_ReciprocalOp : Top_BinaryOp<"Reciprocal"> {
  let summary = "const_val / x";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<F64Attr, "1.0">:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit);
}

def Top_MaxConstOp : Top_BinaryOp<"MaxConst"> {
  let summary = "Larger of x and const_val";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}

def Top_MinConstOp : Top_BinaryOp<"MinConst"> {
  let summary = "Smaller of x and const_val";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64Attr:$const_val,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
}
