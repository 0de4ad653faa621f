// Ranges of axes.

def Top_SliceOp : Top_Op<"Slice", [QuantTransparent]> {
  let summary = "A strided range of each axis";
  let description = [{ Without `axes`, entry `i` of `offset`, `ends`, `steps` belongs to axis `i`; negative
    offsets and ends count from the end, and an end of -1 without `axes` means the whole axis. }];
  let arguments = (ins AnyTensor:$input,
    AnyTensorOrNone:$offsetT, AnyTensorOrNone:$endsT, AnyTensorOrNone:$stepsT,
    I64ArrayAttr:$offset, I64ArrayAttr:$steps, I64ArrayAttr:$ends,
    DefaultValuedAttr<I64ArrayAttr, "{}">:$hasparamConvert_axes,
    DefaultValuedAttr<I64ArrayAttr, "{}">:$axes);
  let results = (outs AnyTensor:$output);
}

def Top_StridedSliceOp : Top_Op<"StridedSlice"> {
  let summary = "A strided range of each axis, given as tensors";
  let description = [{ The masks are TensorFlow's. Bit i belongs to entry i of the lists:
    `begin_mask` and `end_mask` take the range from the first or to the last entry, `ellipsis_mask`
    stands for all axes not named, `new_axis_mask` inserts an axis of 1, `shrink_axis_mask` removes the axis. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$starts, AnyTensor:$ends, AnyTensor:$strides,
    I64Attr:$begin_mask, I64Attr:$ellipsis_mask, I64Attr:$end_mask, I64Attr:$new_axis_mask,
    I64Attr:$shrink_axis_mask);
  let results = (outs AnyTensor:$output);
}

def Top_SliceAxisOp : Top_Op<"SliceAxis"> {
  let summary = "A strided range of one axis, given as tensors";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$axis, AnyTensor:$start, AnyTensorOrNone:$step,
    AnyTensor:$end);
  let results = (outs AnyTensor:$output);
}
