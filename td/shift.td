// Integer arithmetic with a shift: (a op b) * 2^shift. A negative `shift` divides; the
// result is rounded by `round_mode` and, with `saturation`, held in the range of its type.

def BinaryShiftMode : OneOf<["Add", "Sub", "Mul"]>;

def Top_BinaryShiftOp : Top_Op<"BinaryShift"> {
  let summary = "Sum, difference or product of two integer tensors, shifted";
  let description = [{ `(input1 op input2) * 2^shift` of the stored integers, rounded once. }];
  let arguments = (ins
    Arg<AnyTensor, "The first operand, of integers with at most 32 bits">:$input1,
    Arg<AnyTensor, "The second operand, of integers with at most 32 bits; broadcast with `input1`">:$input2,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether `Sub` takes `input1` from `input2`">:$is_reverse,
    Arg<BinaryShiftMode, "The operation before the shift">:$mode,
    Rounding:$round_mode,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether results saturate, not wrap around. Those of signed operands always do in an unsigned type">:$saturation,
    Arg<SI32Attr, "Number of bits to shift left, or right if negative; -63 to 63">:$shift);
  let results = (outs AnyTensor:$output);
}

def Top_BinaryConstShiftOp : Top_Op<"BinaryConstShift"> {
  let summary = "Sum, difference or product of an integer tensor and a constant, shifted";
  let description = [{ `(input op scale) * 2^shift` of the stored integers, rounded once. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor, of integers with at most 32 bits">:$input,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether `Sub` takes the tensor from the constant">:$is_reverse,
    Arg<BinaryShiftMode, "The operation before the shift">:$mode,
    Rounding:$round_mode,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether results saturate, not wrap around. Those of signed operands always do in an unsigned type">:$saturation,
    Arg<SI32Attr, "The constant, the second operand">:$scale,
    Arg<SI32Attr, "Number of bits to shift left, or right if negative; -63 to 63">:$shift);
  let results = (outs AnyTensor:$output);
}
