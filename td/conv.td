// Convolution.

def Top_ConvOp : Top_Op<"Conv"> {
  let summary = "N-d convolution (cross-correlation) of an NC... tensor";
  let description = [{ `filter` is [oc, ic / group, kernel...], `bias` has oc elements. `pads` lists the padding
    before each spatial axis, then after each. A dimension of the result is
    floor((i + pad_before + pad_after - dilation * (k - 1) - 1) / stride) + 1. }];
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
  let results = (outs AnyTensor:$output);
}
