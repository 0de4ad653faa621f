// Pooling over the spatial axes of an NC... tensor.

class Top_PoolOp<string mnemonic> : Top_Op<mnemonic> {
  let description = [{ A dimension of the result is (i + pad_before + pad_after - k) / stride + 1, rounded down. With
    `ceil_mode`, pad_after is first increased so that the stride divides i + 2 * pad_before + increase - k: with equal
    pads, the quotient is rounded up. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, spatial...], with 1 to 3 spatial axes">:$input,
    Arg<I64ArrayAttr,
      "The size of the window along each spatial axis; if empty, one unpadded window covers all">:$kernel_shape,
    Arg<I64ArrayAttr, "The step of the window along each spatial axis, at least 1">:$strides,
    Arg<I64ArrayAttr, "The padding before each spatial axis, then after each">:$pads,
    Arg<OptionalAttr<BoolAttr>, "Whether the number of windows is rounded up; false if absent">:$ceil_mode,
    Arg<OptionalAttr<AutoPad>,
      "SAME_UPPER and SAME_LOWER compute the padding like Conv's, in place of `pads` and `ceil_mode`">:$auto_pad,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether it stands for an adaptive pool of unequal windows. It matters only to calibration">:$is_adaptive,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether the result keeps all axes; otherwise spatial axes of size 1 are removed from its end">:$keepdims,
    Arg<DefaultValuedAttr<I64Attr, "0">,
      "The value of padding on a chip; here padding is left out, or counts as 0">:$pad_value,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether a mean is that of the whole window, with padding as 0. Only AvgPool uses it">:$count_include_pad,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    Arg<DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">,
      "How a chip rounds the sum of a window">:$first_round_mode,
    Rounding:$round_mode);
  let ignored = ["pad_value", "first_round_mode"];
  let results = (outs AnyTensor:$output);
}

def Top_MaxPoolOp : Top_PoolOp<"MaxPool"> {
  let summary = "Largest value of each window, ignoring padding";
}

def Top_MaxPoolWithMaskOp : Top_PoolOp<"MaxPoolWithMask"> {
  let summary = "Largest value of each window, and its index";
  let description = [{ Like MaxPool, but the number of windows is always rounded down. }];
  let ignored = ["ceil_mode", "pad_value", "first_round_mode", "round_mode"];
  let results = (outs
    Res<AnyTensor, "The largest values">:$output,
    Res<AnyTensor,
      "The index of each value in its plane, h * width + w, int32 or float; of equal values the first">:$mask);
}

def Top_AvgPoolOp : Top_PoolOp<"AvgPool"> {
  let summary = "Mean of each window";
}

def Top_AdaptiveAvgPoolOp : Top_Op<"AdaptiveAvgPool"> {
  let summary = "Mean of each of output_size windows that divide the spatial axes";
  let description = [{ Along an axis of i elements window j of n is from floor(j * i / n) to ceil((j + 1) * i / n). }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, spatial...], with 1 to 3 spatial axes">:$input,
    Arg<I64ArrayAttr, "Number of windows along each spatial axis, at least 1; -1 keeps the axis">:$output_size);
  let results = (outs AnyTensor:$output);
}

def Top_PoolMaskOp : Top_Op<"PoolMask"> {
  let summary = "1 at the largest value of each square with side scale, otherwise 0";
  let description = [{ Height and width are rounded up to whole squares. }];
  let arguments = (ins
    Arg<AnyTensor, "The images: [n, c, h, w]">:$input,
    Arg<I64Attr, "The side of the squares in pixels, at least 1">:$scale);
  let results = (outs AnyTensor:$output);
}

def Top_MaxUnpoolOp : Top_Op<"MaxUnpool"> {
  let summary = "Writes values to the positions that MaxPoolWithMask found; other elements are 0";
  let arguments = (ins
    Arg<AnyTensor, "The values: [n, c, h, w]">:$input,
    Arg<AnyTensor, "The index of each value in its plane of the result, from 0; of the shape of `input`">:$mask,
    Arg<I64Attr, "The factor of the height, at least 1">:$scale_h,
    Arg<I64Attr, "The factor of the width, at least 1">:$scale_w);
  let results = (outs AnyTensor:$output);
}
