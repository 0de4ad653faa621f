// Integer arithmetic with a shift: (a op b) * 2^shift. A negative `shift` divides; the
// result is rounded by `round_mode` and, with `saturation`, held in the range of its type.

def BinaryShiftMode : OneOf<["Add", "Sub", "Mul"]>;

def Top_BinaryShiftOp : Top_Op<"BinaryShift"> {
  let summary = "Sum, difference or product of two integer tensors, shifted";
  let description = [{ With `is_reverse`, `Sub` takes the first from the second. }];
  let arguments = (ins AnyTensor:$input1, AnyTensor:$input2,
    DefaultValuedAttr<BoolAttr, "false">:$is_reverse,
    BinaryShiftMode:$mode,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode,
    DefaultValuedAttr<BoolAttr, "true">:$saturation,
    SI32Attr:$shift);
  let results = (outs AnyTensor:$output);
}

def Top_BinaryConstShiftOp : Top_Op<"BinaryConstShift"> {
  let summary = "Sum, difference or product of an integer tensor and a constant, shifted";
  let description = [{ The constant is `scale`. With `is_reverse`, `Sub` takes the tensor from the
    constant. }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<BoolAttr, "false">:$is_reverse,
    BinaryShiftMode:$mode,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode,
    DefaultValuedAttr<BoolAttr, "true">:$saturation,
    SI32Attr:$scale, SI32Attr:$shift);
  let results = (outs AnyTensor:$output);
}
