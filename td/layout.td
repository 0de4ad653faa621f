// Ops that move data without computing.

def Top_ReshapeOp : Top_Op<"Reshape", [QuantTransparent]> {
  let summary = "the same elements in another shape";
  let description = [{ In `shape`, 0 keeps the input's dimension and one -1 is inferred. }];
  let arguments = (ins AnyTensor:$input, Optional<AnyTensor>:$shapeT,
    OptionalAttr<I64ArrayAttr>:$shape,
    DefaultValuedAttr<I64Attr, "-1">:$flatten_start_dim);
  let results = (outs AnyTensor:$output);
}

def Top_PermuteOp : Top_Op<"Permute", [QuantTransparent]> {
  let summary = "axes in another order";
  let description = [{ Axis `i` of the result is axis `order[i]` of the input. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$order);
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
