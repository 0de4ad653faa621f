// Ops that move data without computing.

def Top_ReshapeOp : Top_Op<"Reshape", [QuantTransparent]> {
  let summary = "the same elements in another shape";
  let description = [{ In `shape`, 0 keeps the input's dimension and one -1 is inferred. }];
  let arguments = (ins AnyTensor:$input, Optional<AnyTensor>:$shapeT,
    OptionalAttr<I64ArrayAttr>:$shape,
    DefaultValuedAttr<I64Attr, "-1">:$flatten_start_dim);
  let results = (outs AnyTensor:$output);
}

def Top_ViewOp : Top_Op<"View"> {
  let summary = "the same elements in another shape, given as a tensor";
  let description = [{ As for Reshape: 0 keeps the dimension, one -1 is inferred. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$shape);
  let results = (outs AnyTensor:$output);
}

def Top_FlattenOp : Top_Op<"Flatten"> {
  let summary = "axes start_dim to end_dim folded into one";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<I64Attr, "-1">:$end_dim,
    DefaultValuedAttr<I64Attr, "0">:$start_dim);
  let results = (outs AnyTensor:$output);
}

def Top_PermuteOp : Top_Op<"Permute", [QuantTransparent]> {
  let summary = "axes in another order";
  let description = [{ Axis `i` of the result is axis `order[i]` of the input. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$order);
  let results = (outs AnyTensor:$output);
}

def Top_TransposeOp : Top_Op<"Transpose"> {
  let summary = "two axes exchanged";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$dim0, SI32Attr:$dim1);
  let results = (outs AnyTensor:$output);
}

def Top_SqueezeOp : Top_Op<"Squeeze"> {
  let summary = "drops axes of size 1";
  let description = [{ An empty list drops all of them; nothing left gives shape [1]. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$axes,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
  let results = (outs AnyTensor:$output);
}

def Top_UnsqueezeOp : Top_Op<"Unsqueeze", [QuantTransparent]> {
  let summary = "inserts axes of size 1";
  let description = [{ `axes` are positions in the result. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$axes);
  let results = (outs AnyTensor:$output);
}

def Top_ConcatOp : Top_Op<"Concat"> {
  let summary = "tensors joined along an axis";
  let description = [{ All other dimensions are equal. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<SI32Attr, "1">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$only_merge,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_ConcatSliceOp : Top_Op<"ConcatSlice"> {
  let summary = "in0 followed by in1 along an axis, and of that the last part, as long as in0";
  let description = [{ }];
  let arguments = (ins AnyTensor:$in0, AnyTensor:$in1, I64Attr:$axis);
  let results = (outs AnyTensor:$output);
}

def Top_PackOp : Top_Op<"Pack"> {
  let summary = "tensors of one shape stacked along a new axis";
  let description = [{ `values_count` is their number. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, SI32Attr:$axis, I64Attr:$values_count);
  let results = (outs AnyTensor:$output);
}

def Top_UnpackOp : Top_Op<"Unpack"> {
  let summary = "a tensor cut along an axis, which is dropped";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$axis);
  let results = (outs Variadic<AnyTensor>:$outputs);
}

def Top_SplitOp : Top_Op<"Split", [QuantTransparent]> {
  let summary = "a tensor cut along an axis";
  let description = [{ Into `num` equal parts, or parts of `split_size`. }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$axis, I64Attr:$num,
    OptionalAttr<I64ArrayAttr>:$split_size);
  let results = (outs Variadic<AnyTensor>:$outputs);
}

def Top_SliceOp : Top_Op<"Slice", [QuantTransparent]> {
  let summary = "a strided range of each axis";
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
  let summary = "a strided range of each axis, given as tensors";
  let description = [{ The masks are TensorFlow's. Bit i belongs to entry i of the lists:
    `begin_mask` and `end_mask` take the range from the first or to the last entry, `ellipsis_mask`
    stands for all axes not named, `new_axis_mask` inserts an axis of 1, `shrink_axis_mask` drops
    the axis. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$starts, AnyTensor:$ends, AnyTensor:$strides,
    I64Attr:$begin_mask, I64Attr:$ellipsis_mask, I64Attr:$end_mask, I64Attr:$new_axis_mask,
    I64Attr:$shrink_axis_mask);
  let results = (outs AnyTensor:$output);
}

def Top_SliceAxisOp : Top_Op<"SliceAxis"> {
  let summary = "a strided range of one axis, given as tensors";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$axis, AnyTensor:$start, AnyTensorOrNone:$step,
    AnyTensor:$end);
  let results = (outs AnyTensor:$output);
}

def Top_ExpandOp : Top_Op<"Expand", [QuantTransparent]> {
  let summary = "axes of size 1 repeated to a larger shape (numpy broadcasting)";
  let description = [{ The shape is `shape`, or `shapeT` where present. }];
  let arguments = (ins AnyTensor:$input, Optional<AnyTensor>:$shapeT,
    DefaultValuedAttr<I64ArrayAttr, "{}">:$shape);
  let results = (outs AnyTensor:$output);
}

def Top_TileOp : Top_Op<"Tile", [QuantTransparent]> {
  let summary = "the tensor repeated along each axis";
  let description = [{ The counts are `tile`, or `tileT` where present. }];
  let arguments = (ins AnyTensor:$input, Optional<AnyTensor>:$tileT,
    OptionalAttr<I64ArrayAttr>:$tile);
  let results = (outs AnyTensor:$output);
}

def Top_RepeatOp : Top_Op<"Repeat", [QuantTransparent]> {
  let summary = "the tensor repeated along each axis, by counts given as a tensor";
  let description = [{ More counts than axes add axes in front. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$repeats);
  let results = (outs AnyTensor:$output);
}

def PadMode : OneOf<["constant", "reflect", "symmetric", "edge"]>;

def Top_PadOp : Top_Op<"Pad", [QuantTransparent]> {
  let summary = "a margin around each axis";
  let description = [{ `paddings` lists the counts before each axis, then after each; `paddingsT`,
    where present, takes its place. The margin holds `val` (`constant`), the mirror image without
    the edge (`reflect`) or with it (`symmetric`), or the edge (`edge`). }];
  let arguments = (ins AnyTensor:$input, Optional<AnyTensorOrNone>:$paddingsT, PadMode:$mode,
    I64ArrayAttr:$paddings,
    DefaultValuedAttr<F64Attr, "0.0">:$val);
  let results = (outs AnyTensor:$output);
}

def Top_ReverseOp : Top_Op<"Reverse"> {
  let summary = "entries along an axis in the opposite order";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, I64Attr:$axis);
  let results = (outs AnyTensor:$output);
}

def Top_SwapDimInnerOp : Top_Op<"SwapDimInner"> {
  let summary = "each axis turned round: what follows offset, then what was before it";
  let description = [{ An offset of 0 leaves the axis alone. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$offset);
  let results = (outs AnyTensor:$output);
}

def Top_CopyOp : Top_Op<"Copy", [QuantTransparent]> {
  let summary = "the same elements";
  let description = [{ `shape` is that of the input. Strides are all 1, as TpuLang writes them, or those of a
    dense tensor: the compiler looks at neither. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$input_stride, I64ArrayAttr:$output_stride,
    I64ArrayAttr:$shape);
  let results = (outs AnyTensor:$output);
}

def Top_Depth2SpaceOp : Top_Op<"Depth2Space"> {
  let summary = "blocks of channels moved into height and width, or back";
  let description = [{ [n, c * block_h * block_w, h, w] -> [n, c, h * block_h, w * block_w], the
    other way with `is_inversed`. The channels are in the order c, block_h, block_w with `is_CRD`,
    else block_h, block_w, c; `swap_cr` exchanges block_h and block_w there. }];
  let arguments = (ins AnyTensor:$input, I64Attr:$block_h, I64Attr:$block_w,
    DefaultValuedAttr<BoolAttr, "true">:$in_is_NCHW,
    BoolAttr:$is_CRD, BoolAttr:$is_inversed,
    DefaultValuedAttr<BoolAttr, "true">:$out_is_NCHW,
    DefaultValuedAttr<BoolAttr, "false">:$swap_cr);
  let results = (outs AnyTensor:$output);
}

def Top_ShuffleChannelOp : Top_Op<"ShuffleChannel"> {
  let summary = "channels interleaved, one of each group in turn";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, I64Attr:$group);
  let results = (outs AnyTensor:$output);
}

def Top_TriluOp : Top_Op<"Trilu"> {
  let summary = "upper or lower triangle of the last two axes, 0 elsewhere";
  let description = [{ `upper` is 1 or 0. `diagonal` moves the border, to the upper right if
    positive. }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$diagonal, SI32Attr:$upper);
  let results = (outs AnyTensor:$output);
}
