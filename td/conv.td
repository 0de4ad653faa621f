// Convolution, and its transposed and deformable forms.

def Top_ConvOp : Top_Op<"Conv"> {
  let summary = "N-d convolution (cross-correlation) of an NC... tensor";
  let description = [{ `filter` is [oc, ic / group, kernel...], `bias` has oc elements. `pads` lists the padding
    before each spatial axis, then after each. A dimension of the result is
    floor((i + pad_before + pad_after - dilation * (k - 1) - 1) / stride) + 1. With an `auto_pad` of SAME_UPPER or
    SAME_LOWER it is ceil(i / stride), and the padding follows from that, divided as evenly as possible. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$filter, AnyTensorOrNone:$bias,
    I64ArrayAttr:$kernel_shape, I64ArrayAttr:$strides, I64ArrayAttr:$pads,
    DefaultValuedAttr<I64Attr, "1">:$group,
    OptionalAttr<I64ArrayAttr>:$dilations,
    OptionalAttr<I64ArrayAttr>:$inserts,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    DefaultValuedAttr<BoolAttr, "false">:$dynweight_reorderd,
    OptionalAttr<I64Attr>:$weight_bits,
    DefaultValuedAttr<I64Attr, "1">:$weight_is_coeff,
    OptionalAttr<BoolAttr>:$do_winograd,
    OptionalAttr<AutoPad>:$auto_pad,
    OptionalAttr<F64Attr>:$in_int4_scale,
    OptionalAttr<F64Attr>:$in_int4_zp,
    OptionalAttr<F64Attr>:$out_int8_scale,
    OptionalAttr<F64Attr>:$out_int8_zp);
  let ignored = ["weight_is_coeff", "do_winograd", "in_int4_scale", "in_int4_zp", "out_int8_scale", "out_int8_zp"];
  let results = (outs AnyTensor:$output);
}

def Top_DeconvOp : Top_Op<"Deconv"> {
  let summary = "N-d transposed convolution of an NC... tensor";
  let description = [{
    `filter` is [oc / group, ic, kernel...] if it is a coefficient or `dynweight_reorderd`, its data those of
    [group, oc / group, ic / group, kernel...]; else it is [ic, oc, kernel...]. `bias` has oc elements. `pads` is
    like Conv's, cropped from the result. A dimension of the result is (i - 1) * stride - pad_before - pad_after +
    dilation * (k - 1) + output_padding + 1.
  }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$filter, AnyTensorOrNone:$bias,
    OptionalAttr<I64ArrayAttr>:$dilations,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<BoolAttr, "false">:$dynweight_reorderd,
    DefaultValuedAttr<I64Attr, "1">:$group,
    I64ArrayAttr:$kernel_shape,
    OptionalAttr<I64ArrayAttr>:$output_padding,
    I64ArrayAttr:$pads,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    I64ArrayAttr:$strides);
  let results = (outs AnyTensor:$output);
}

def Top_DeformConv2DOp : Top_Op<"DeformConv2D"> {
  let summary = "2-d convolution that samples at learned offsets";
  let description = [{
    `filter`, `bias` and `pads` are like Conv's. `offset` is [n, 2 * deform_group * kh * kw, oh, ow]: the vertical
    and the horizontal shift of each sample. Samples are interpolated bilinearly; elements outside are 0. With
    `use_mask`, `mask` weighs the samples; it is [n, deform_group * kh * kw, oh, ow].
  }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$filter, AnyTensor:$offset,
    AnyTensorOrNone:$mask, AnyTensorOrNone:$bias,
    DefaultValuedAttr<I64Attr, "1">:$deform_group,
    OptionalAttr<I64ArrayAttr>:$dilations,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<I64Attr, "1">:$group,
    I64ArrayAttr:$kernel_shape, I64ArrayAttr:$pads,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    I64ArrayAttr:$strides,
    DefaultValuedAttr<BoolAttr, "false">:$use_mask);
  let results = (outs AnyTensor:$output);
}
