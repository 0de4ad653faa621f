// Ops that move data without computing.

def Top_ReshapeOp : Top_Op<"Reshape", [QuantTransparent]> {
  let summary = "Changes the shape";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<Optional<AnyTensor>, "The new dimensions, instead of `shape`: a coefficient of integers">:$shapeT,
    Arg<OptionalAttr<I64ArrayAttr>,
      "The new dimensions: 0 keeps the input's and one -1 is inferred. Needed unless there is `shapeT`">:$shape,
    Arg<DefaultValuedAttr<I64Attr, "-1">,
      "The first axis that a Flatten of ONNX joined; -1 if the op was none">:$flatten_start_dim);
  let ignored = ["flatten_start_dim"];
  let results = (outs AnyTensor:$output);
}

def Top_ViewOp : Top_Op<"View"> {
  let summary = "Changes the shape to one given as a tensor";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensor, "The new dimensions, a coefficient of integers: 0 keeps the input's and one -1 is inferred">:$shape);
  let results = (outs AnyTensor:$output);
}

def Top_FlattenOp : Top_Op<"Flatten"> {
  let summary = "Folds axes start_dim to end_dim into one";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<DefaultValuedAttr<I64Attr, "-1">,
      "The last folded axis, not before `start_dim`; negative values count from the end">:$end_dim,
    Arg<DefaultValuedAttr<I64Attr, "0">, "The first folded axis; negative values count from the end">:$start_dim);
  let results = (outs AnyTensor:$output);
}

def Top_PermuteOp : Top_Op<"Permute", [QuantTransparent]> {
  let summary = "Reorders axes";
  let description = [{ Axis `i` of the result is axis `order[i]` of the input. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<I64ArrayAttr, "Each axis of the input once; negative values count from the end">:$order);
  let results = (outs AnyTensor:$output);
}

def Top_TransposeOp : Top_Op<"Transpose"> {
  let summary = "Swaps two axes";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<SI32Attr, "One of the axes; negative values count from the end">:$dim0,
    Arg<SI32Attr, "The other axis; negative values count from the end">:$dim1);
  let results = (outs AnyTensor:$output);
}

def Top_SqueezeOp : Top_Op<"Squeeze"> {
  let summary = "Removes axes of size 1";
  let description = [{ If no axis is left, the shape is [1]. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<I64ArrayAttr,
      "The removed axes; negative values count from the end. An empty list stands for all of size 1">:$axes,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
  let results = (outs AnyTensor:$output);
}

def Top_UnsqueezeOp : Top_Op<"Unsqueeze", [QuantTransparent]> {
  let summary = "Inserts axes of size 1";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<I64ArrayAttr, "Positions of the new axes in the result; negative values count from its end">:$axes);
  let results = (outs AnyTensor:$output);
}

def Top_ConcatOp : Top_Op<"Concat"> {
  let summary = "Joins tensors along an axis";
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "At least one tensor; all dimensions but that of `axis` are equal">:$inputs,
    Arg<DefaultValuedAttr<SI32Attr, "1">,
      "The axis along which they are joined; negative values count from the end">:$axis,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether the compiler places the inputs in the result's memory instead of copying them">:$only_merge,
    Rounding:$round_mode);
  let ignored = ["only_merge"];
  let results = (outs AnyTensor:$output);
}

def Top_ConcatSliceOp : Top_Op<"ConcatSlice"> {
  let summary = "The last part of in0 followed by in1 along an axis, as long as in0";
  let arguments = (ins
    Arg<AnyTensor, "The tensor whose first entries are dropped">:$in0,
    Arg<AnyTensor, "The tensor that is appended; all dimensions but that of `axis` are those of `in0`">:$in1,
    Arg<I64Attr, "The axis along which they are joined; negative values count from the end">:$axis);
  let results = (outs AnyTensor:$output);
}

def Top_PackOp : Top_Op<"Pack"> {
  let summary = "Stacks tensors of one shape along a new axis";
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "At least one tensor, all of the same shape and dtype">:$inputs,
    Arg<SI32Attr, "Position of the new axis in the result; negative values count from its end">:$axis,
    Arg<I64Attr, "Number of `inputs`">:$values_count);
  let results = (outs AnyTensor:$output);
}

def Top_UnpackOp : Top_Op<"Unpack"> {
  let summary = "Splits a tensor along an axis, which is removed";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<SI32Attr, "The removed axis, of at most 4096 entries; negative values count from the end">:$axis);
  let results = (outs Variadic<AnyTensor>:$outputs);
}

def Top_SplitOp : Top_Op<"Split", [QuantTransparent]> {
  let summary = "Splits a tensor along an axis";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<SI32Attr, "The axis that is divided; negative values count from the end">:$axis,
    Arg<I64Attr, "Number of parts, from 1 to 4096">:$num,
    Arg<OptionalAttr<I64ArrayAttr>,
      "Sizes of the `num` parts, which are at least 1; equal parts if absent or empty">:$split_size);
  let results = (outs Variadic<AnyTensor>:$outputs);
}

def PadMode : OneOf<["constant", "reflect", "symmetric", "edge"]>;

def Top_PadOp : Top_Op<"Pad", [QuantTransparent]> {
  let summary = "Pads each axis";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<Optional<AnyTensorOrNone>, "Counts instead of those in `paddings`; not supported">:$paddingsT,
    Arg<PadMode,
      "Padding by `val` (constant), a mirror image without (reflect) or with the edge (symmetric), or the edge">:$mode,
    Arg<I64ArrayAttr,
      "The counts before each axis, then after each; at least 0, and at most what `mode` can mirror">:$paddings,
    Arg<DefaultValuedAttr<F64Attr, "0.0">,
      "The value of `constant` padding; for quantized tensors the stored value">:$val);
  let results = (outs AnyTensor:$output);
}

def Top_CopyOp : Top_Op<"Copy", [QuantTransparent]> {
  let summary = "A copy";
  let description = [{ Strides are all 1, as TpuLang writes them, or those of a dense tensor: the compiler ignores
    both. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<I64ArrayAttr, "The strides of the input: all 1, or dense">:$input_stride,
    Arg<I64ArrayAttr, "The strides of the result: all 1, or dense">:$output_stride,
    Arg<I64ArrayAttr, "The dimensions of the input">:$shape);
  let results = (outs AnyTensor:$output);
}
