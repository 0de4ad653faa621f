// Pooling over the spatial axes of an NC... tensor.

class Top_PoolOp<string mnemonic> : Top_Op<mnemonic> {
  let description = [{ A dimension of the result is (i + pad_before + pad_after - k) / stride + 1, rounded down, or
    up with `ceil_mode`. `auto_pad` is like Conv's. }];
  let arguments = (ins AnyTensor:$input,
    I64ArrayAttr:$kernel_shape, I64ArrayAttr:$strides, I64ArrayAttr:$pads,
    OptionalAttr<BoolAttr>:$ceil_mode,
    OptionalAttr<AutoPad>:$auto_pad,
    DefaultValuedAttr<BoolAttr, "false">:$is_adaptive,
    DefaultValuedAttr<BoolAttr, "true">:$keepdims,
    DefaultValuedAttr<I64Attr, "0">:$pad_value,
    DefaultValuedAttr<BoolAttr, "false">:$count_include_pad,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$first_round_mode,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_MaxPoolOp : Top_PoolOp<"MaxPool"> {
  let summary = "Largest value of each window, ignoring padding";
}

def Top_MaxPoolWithMaskOp : Top_PoolOp<"MaxPoolWithMask"> {
  let summary = "Largest value of each window, and its index";
  let description = [{
    Like MaxPool, but without effect of `ceil_mode`; `mask` is the index h * width + w in the plane.
  }];
  let results = (outs AnyTensor:$output, AnyTensor:$mask);
}

def Top_AvgPoolOp : Top_PoolOp<"AvgPool"> {
  let summary = "Mean of each window";
}

def Top_AdaptiveAvgPoolOp : Top_Op<"AdaptiveAvgPool"> {
  let summary = "Mean of each of output_size windows that divide the spatial axes";
  let description = [{
    Along an axis of i elements window j of n is from floor(j * i / n) to ceil((j + 1) * i / n). A size of -1 keeps
    the axis.
  }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$output_size);
  let results = (outs AnyTensor:$output);
}

def Top_PoolMaskOp : Top_Op<"PoolMask"> {
  let summary = "1 at the largest value of each square with side scale, otherwise 0";
  let description = [{ Height and width are rounded up to whole squares. }];
  let arguments = (ins AnyTensor:$input, I64Attr:$scale);
  let results = (outs AnyTensor:$output);
}

def Top_MaxUnpoolOp : Top_Op<"MaxUnpool"> {
  let summary = "Writes values to the positions that MaxPoolWithMask found; other elements are 0";
  let description = [{ Height and width grow by `scale_h` and `scale_w`. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$mask, I64Attr:$scale_h, I64Attr:$scale_w);
  let results = (outs AnyTensor:$output);
}
