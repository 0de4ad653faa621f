// Elementwise functions of two tensors (numpy broadcasting), and of a tensor
// and a constant. `do_relu` applies a Relu with `relu_limit` to the result.

def ArithmeticTensors : Arg<Variadic<AnyTensor>, "The tensors, at least two; their shapes are broadcast">;
def ArithmeticTensor : Arg<AnyTensor, "The tensor">;

class Top_BinaryOp<string mnemonic> : Top_Op<mnemonic> {
  let results = (outs AnyTensor:$output);
}

def Top_AddOp : Top_BinaryOp<"Add"> {
  let summary = "Sum of tensors";
  let arguments = (ins
    ArithmeticTensors:$inputs,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    Arg<OptionalAttr<F64ArrayAttr>,
      "The factor of each tensor before the addition; 1 if absent or empty">:$coeff,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
}

def Top_SubOp : Top_BinaryOp<"Sub"> {
  let summary = "Difference of tensors, from left to right";
  let arguments = (ins
    ArithmeticTensors:$inputs,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether the difference of the tensors so far is subtracted from the next one instead">:$is_reverse,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    Arg<OptionalAttr<F64ArrayAttr>,
      "The factor of each tensor before the subtraction; 1 if absent or empty">:$coeff,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
}

def Top_MulOp : Top_BinaryOp<"Mul"> {
  let summary = "Product of tensors";
  let arguments = (ins
    ArithmeticTensors:$inputs,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
}

def Top_DivOp : Top_BinaryOp<"Div"> {
  let summary = "Quotient of tensors, from left to right";
  let arguments = (ins
    ArithmeticTensors:$inputs,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether the next tensor is divided by the quotient of those so far instead">:$is_reverse,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
}

def Top_ModOp : Top_NaryOp<"Mod"> {
  let summary = "Remainder of a division, with the sign of the dividend";
  let description = [{ `a - b * trunc(a / b)`. }];
  let arguments = (ins Arg<Variadic<AnyTensor>, "The dividend and the divisor; their shapes are broadcast">:$inputs);
}

def Top_RemainderOp : Top_NaryOp<"Remainder"> {
  let summary = "Remainder of a division, with the sign of the divisor";
  let description = [{ `a - b * floor(a / b)`. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "The dividend, and the divisor, which is broadcast to the dividend's shape">:$inputs);
}

def Top_MaxOp : Top_NaryOp<"Max"> {
  let summary = "Largest of several tensors";
  let arguments = (ins ArithmeticTensors:$inputs);
}

def Top_MinOp : Top_NaryOp<"Min"> {
  let summary = "Smallest of several tensors";
  let arguments = (ins ArithmeticTensors:$inputs);
}

def Top_AddConstOp : Top_BinaryOp<"AddConst"> {
  let summary = "x + const_val";
  let arguments = (ins
    ArithmeticTensor:$input,
    Arg<F64Attr, "The number that is added to each element">:$const_val,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
}

class Top_ReversibleConstOp<string mnemonic> : Top_BinaryOp<mnemonic> {
  let arguments = (ins
    ArithmeticTensor:$input,
    Arg<F64Attr, "The right operand, or the left one with `is_reverse`">:$const_val,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether the operands change places">:$is_reverse,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    IsScalar:$is_scalar);
}

def Top_SubConstOp : Top_ReversibleConstOp<"SubConst"> {
  let summary = "x - const_val, or const_val - x with is_reverse";
  let ignored = ["is_scalar"];
}

def Top_MulConstOp : Top_BinaryOp<"MulConst"> {
  let summary = "x * const_val";
  let arguments = (ins
    ArithmeticTensor:$input,
    Arg<F64Attr, "The factor of each element">:$const_val,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
}

def Top_DivConstOp : Top_ReversibleConstOp<"DivConst"> {
  let summary = "x / const_val, or const_val / x with is_reverse, rounded down";
  let description = [{ Used to divide dimensions of shapes. }];
  let ignored = ["is_scalar"];
}

def Top_ReciprocalOp : Top_BinaryOp<"Reciprocal"> {
  let summary = "const_val / x";
  let arguments = (ins
    Arg<AnyTensor, "The divisors">:$input,
    Arg<DefaultValuedAttr<F64Attr, "1.0">, "The dividend">:$const_val,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit);
}

def Top_MaxConstOp : Top_BinaryOp<"MaxConst"> {
  let summary = "Larger of x and const_val";
  let arguments = (ins
    ArithmeticTensor:$input,
    Arg<F64Attr, "The number that replaces smaller elements">:$const_val,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
}

def Top_MinConstOp : Top_BinaryOp<"MinConst"> {
  let summary = "Smaller of x and const_val";
  let arguments = (ins
    ArithmeticTensor:$input,
    Arg<F64Attr, "The number that replaces larger elements">:$const_val,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
}
