// Ops that move data without computing.

def Top_ReshapeOp : Top_Op<"Reshape", [QuantTransparent]> {
  let summary = "Changes the shape";
  let description = [{ In `shape`, 0 keeps the input's dimension and one -1 is inferred. }];
  let arguments = (ins AnyTensor:$input, Optional<AnyTensor>:$shapeT,
    OptionalAttr<I64ArrayAttr>:$shape,
    DefaultValuedAttr<I64Attr, "-1">:$flatten_start_dim);
  let ignored = ["flatten_start_dim"];
  let results = (outs AnyTensor:$output);
}

def Top_ViewOp : Top_Op<"View"> {
  let summary = "Changes the shape to one given as a tensor";
  let description = [{ As in Reshape, 0 keeps the dimension, one -1 is inferred. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$shape);
  let results = (outs AnyTensor:$output);
}

def Top_FlattenOp : Top_Op<"Flatten"> {
  let summary = "Folds axes start_dim to end_dim into one";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<I64Attr, "-1">:$end_dim,
    DefaultValuedAttr<I64Attr, "0">:$start_dim);
  let results = (outs AnyTensor:$output);
}

def Top_PermuteOp : Top_Op<"Permute", [QuantTransparent]> {
  let summary = "Reorders axes";
  let description = [{ Axis `i` of the result is axis `order[i]` of the input. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$order);
  let results = (outs AnyTensor:$output);
}

def Top_TransposeOp : Top_Op<"Transpose"> {
  let summary = "Swaps two axes";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$dim0, SI32Attr:$dim1);
  let results = (outs AnyTensor:$output);
}

def Top_SqueezeOp : Top_Op<"Squeeze"> {
  let summary = "Removes axes of size 1";
  let description = [{ An empty list removes all of them; if no axis is left, the shape is [1]. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$axes,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
  let results = (outs AnyTensor:$output);
}

def Top_UnsqueezeOp : Top_Op<"Unsqueeze", [QuantTransparent]> {
  let summary = "Inserts axes of size 1";
  let description = [{ `axes` are positions in the result. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$axes);
  let results = (outs AnyTensor:$output);
}

def Top_ConcatOp : Top_Op<"Concat"> {
  let summary = "Joins tensors along an axis";
  let description = [{ All other dimensions are equal. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<SI32Attr, "1">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$only_merge,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let ignored = ["only_merge"];
  let results = (outs AnyTensor:$output);
}

def Top_ConcatSliceOp : Top_Op<"ConcatSlice"> {
  let summary = "The last part of in0 followed by in1 along an axis, as long as in0";
  let description = [{ }];
  let arguments = (ins AnyTensor:$in0, AnyTensor:$in1, I64Attr:$axis);
  let results = (outs AnyTensor:$output);
}

def Top_PackOp : Top_Op<"Pack"> {
  let summary = "Stacks tensors of one shape along a new axis";
  let description = [{ `values_count` is their number. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, SI32Attr:$axis, I64Attr:$values_count);
  let results = (outs AnyTensor:$output);
}

def Top_UnpackOp : Top_Op<"Unpack"> {
  let summary = "Splits a tensor along an axis, which is removed";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$axis);
  let results = (outs Variadic<AnyTensor>:$outputs);
}

def Top_SplitOp : Top_Op<"Split", [QuantTransparent]> {
  let summary = "Splits a tensor along an axis";
  let description = [{
    Into `num` equal parts, or parts of the sizes in `split_size`, which then has `num` entries.
  }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$axis, I64Attr:$num,
    OptionalAttr<I64ArrayAttr>:$split_size);
  let results = (outs Variadic<AnyTensor>:$outputs);
}

def PadMode : OneOf<["constant", "reflect", "symmetric", "edge"]>;

def Top_PadOp : Top_Op<"Pad", [QuantTransparent]> {
  let summary = "Pads each axis";
  let description = [{
    `paddings` lists the counts before each axis, then after each; `paddingsT`, if present, replaces it. The padding
    holds `val` (`constant`), the mirror image without the edge (`reflect`) or with it (`symmetric`), or the edge
    (`edge`).
  }];
  let arguments = (ins AnyTensor:$input, Optional<AnyTensorOrNone>:$paddingsT, PadMode:$mode,
    I64ArrayAttr:$paddings,
    DefaultValuedAttr<F64Attr, "0.0">:$val);
  let results = (outs AnyTensor:$output);
}

def Top_CopyOp : Top_Op<"Copy", [QuantTransparent]> {
  let summary = "A copy";
  let description = [{ `shape` is that of the input. Strides are all 1, as TpuLang writes them, or those of a
    dense tensor: the compiler ignores both. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$input_stride, I64ArrayAttr:$output_stride,
    I64ArrayAttr:$shape);
  let results = (outs AnyTensor:$output);
}
