// Ranges of axes.

def Top_SliceOp : Top_Op<"Slice", [QuantTransparent]> {
  let summary = "A strided range of each axis";
  let description = [{ Without `axes`, entry `i` of `offset`, `ends`, `steps` belongs to axis `i`, and an end of -1
    means the end of the axis if the step is positive. Otherwise the ranges are NumPy's, and may not be empty. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensorOrNone, "The tensor for `offset`: only none is supported">:$offsetT,
    Arg<AnyTensorOrNone, "The tensor for `ends`: only none is supported">:$endsT,
    Arg<AnyTensorOrNone, "The tensor for `steps`: only none is supported">:$stepsT,
    Arg<I64ArrayAttr, "The first entry of each range; negative ones count from the end">:$offset,
    Arg<I64ArrayAttr, "The step of each range, not 0; negative ones go backwards">:$steps,
    Arg<I64ArrayAttr, "The end of each range, exclusive; negative ones count from the end">:$ends,
    Arg<DefaultValuedAttr<I64ArrayAttr, "{}">,
      "The `axes` before TPU-MLIR extended the lists to all axes">:$hasparamConvert_axes,
    Arg<DefaultValuedAttr<I64ArrayAttr, "{}">,
      "The axes of the ranges; negative ones count from the end. If empty, the first ones">:$axes);
  let ignored = ["hasparamConvert_axes"];
  let results = (outs AnyTensor:$output);
}

def Top_StridedSliceOp : Top_Op<"StridedSlice"> {
  let summary = "A strided range of each axis, given as tensors";
  let description = [{ `starts`, `ends` and `strides` are coefficients of integers, equally many of each. The masks are
    TensorFlow's: bit i belongs to entry i of the lists. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensor, "The first entry of each range; negative ones count from the end">:$starts,
    Arg<AnyTensor, "The end of each range, exclusive; negative ones count from the end">:$ends,
    Arg<AnyTensor, "The step of each range, not 0; negative ones go backwards">:$strides,
    Arg<I64Attr,
      "The ranges that begin with the first entry (going backwards, the last), whatever `starts` is">:$begin_mask,
    Arg<I64Attr, "The place of all axes not named; at most one bit">:$ellipsis_mask,
    Arg<I64Attr, "The ranges that end with the last entry (going backwards, the first), whatever `ends` is">:$end_mask,
    Arg<I64Attr, "The places where an axis of size 1 is inserted">:$new_axis_mask,
    Arg<I64Attr, "The axes of which only the entry at the start is taken, and which are removed">:$shrink_axis_mask);
  let results = (outs AnyTensor:$output);
}

def Top_SliceAxisOp : Top_Op<"SliceAxis"> {
  let summary = "A strided range of one axis, given as tensors";
  let description = [{ The operands after `input` are coefficients of integers. Several axes have as many ranges. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensor, "The axis; a negative one counts from the end">:$axis,
    Arg<AnyTensor, "The first entry; a negative one counts from the end">:$start,
    Arg<AnyTensorOrNone, "The step, not 0; a negative one goes backwards. It is 1 if none">:$step,
    Arg<AnyTensor, "The end, exclusive; a negative one counts from the end">:$end);
  let results = (outs AnyTensor:$output);
}
