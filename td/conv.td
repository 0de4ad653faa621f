// Convolution, and its transposed and deformable forms.

// Arguments of all three.
def ConvBias : Arg<AnyTensorOrNone, "Added to each output channel: oc elements, as [oc] or [1, oc, 1...]">;
def ConvKernelShape : Arg<I64ArrayAttr, "The spatial dimensions of `filter`">;
def ConvDilations : Arg<OptionalAttr<I64ArrayAttr>,
  "The distance of the filter's elements along each spatial axis, at least 1; 1 if absent">;

def Top_ConvOp : Top_Op<"Conv"> {
  let summary = "N-d convolution (cross-correlation) of an NC... tensor";
  let description = [{ A dimension of the result is
    floor((i + pad_before + pad_after - dilation * (k - 1) - 1) / stride) + 1. With an `auto_pad` of SAME_UPPER or
    SAME_LOWER it is ceil(i / stride), and the padding follows from that, divided as evenly as possible. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, ic, spatial...]">:$input,
    Arg<AnyTensor, "The weights: [oc, ic / group, kernel...]">:$filter,
    ConvBias:$bias,
    ConvKernelShape:$kernel_shape,
    Arg<I64ArrayAttr, "The step along each spatial axis, at least 1">:$strides,
    Arg<I64ArrayAttr, "The zero padding before each spatial axis, then after each">:$pads,
    Arg<DefaultValuedAttr<I64Attr, "1">,
      "Number of groups of channels that are convolved separately; it divides ic and oc">:$group,
    ConvDilations:$dilations,
    Arg<OptionalAttr<I64ArrayAttr>,
      "Number of zeros between input elements along each spatial axis: only 0 is supported">:$inserts,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether a computed filter is in the chip's order">:$dynweight_reorderd,
    Arg<OptionalAttr<I64Attr>, "Bits of a weight that the chip quantizes, as 4 in w4int8">:$weight_bits,
    Arg<DefaultValuedAttr<I64Attr, "1">, "Whether the filter is a coefficient (1) or computed (0)">:$weight_is_coeff,
    Arg<OptionalAttr<BoolAttr>, "Whether the chip uses Winograd's algorithm">:$do_winograd,
    Arg<OptionalAttr<AutoPad>,
      "SAME_UPPER and SAME_LOWER replace `pads`, with an odd zero after or before; others change nothing">:$auto_pad,
    Arg<OptionalAttr<F64Attr>, "Scale of the input of a layer in int4">:$in_int4_scale,
    Arg<OptionalAttr<F64Attr>, "Zero point of the input of a layer in int4">:$in_int4_zp,
    Arg<OptionalAttr<F64Attr>, "Scale of the int8 output of a layer in int4">:$out_int8_scale,
    Arg<OptionalAttr<F64Attr>, "Zero point of the int8 output of a layer in int4">:$out_int8_zp);
  let ignored = ["dynweight_reorderd", "weight_bits", "weight_is_coeff", "do_winograd", "in_int4_scale", "in_int4_zp",
    "out_int8_scale", "out_int8_zp"];
  let results = (outs AnyTensor:$output);
}

def Top_DeconvOp : Top_Op<"Deconv"> {
  let summary = "N-d transposed convolution of an NC... tensor";
  let description = [{
    The data of a filter that is a coefficient or `dynweight_reorderd` are those of
    [group, oc / group, ic / group, kernel...]. A dimension of the result is
    (i - 1) * stride - pad_before - pad_after + dilation * (k - 1) + output_padding + 1.
  }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, ic, spatial...]">:$input,
    Arg<AnyTensor,
      "The weights: [oc / group, ic, kernel...], or [ic, oc, kernel...] if computed, not `dynweight_reorderd`">:$filter,
    ConvBias:$bias,
    ConvDilations:$dilations,
    DoRelu:$do_relu,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether a computed filter has its output channels first">:$dynweight_reorderd,
    Arg<DefaultValuedAttr<I64Attr, "1">,
      "Number of groups of channels that are convolved separately; it divides ic; 1 for a computed filter">:$group,
    ConvKernelShape:$kernel_shape,
    Arg<OptionalAttr<I64ArrayAttr>,
      "Number of elements added to the result at the end of each spatial axis; 0 if absent">:$output_padding,
    Arg<I64ArrayAttr,
      "Number of elements cropped from the result at the start of each spatial axis, then at the end of each">:$pads,
    ReluLimit:$relu_limit,
    Arg<I64ArrayAttr,
      "The distance of the input's elements in the result along each spatial axis, at least 1">:$strides);
  let results = (outs AnyTensor:$output);
}

def Top_DeformConv2DOp : Top_Op<"DeformConv2D"> {
  let summary = "2-d convolution that samples at learned offsets";
  let description = [{
    Samples are interpolated bilinearly; elements outside are 0. The dimensions of the result are those of Conv.
  }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, ic, h, w]">:$input,
    Arg<AnyTensor, "The weights: [oc, ic / group, kh, kw]">:$filter,
    Arg<AnyTensor,
      "The vertical and the horizontal shift of each sample: [n, 2 * deform_group * kh * kw, oh, ow]">:$offset,
    Arg<AnyTensorOrNone,
      "With `use_mask`, the factor of each sample: [n, deform_group * kh * kw, oh, ow]">:$mask,
    ConvBias:$bias,
    Arg<DefaultValuedAttr<I64Attr, "1">,
      "Number of groups of input channels with offsets and a mask of their own; it divides ic">:$deform_group,
    ConvDilations:$dilations,
    DoRelu:$do_relu,
    Arg<DefaultValuedAttr<I64Attr, "1">,
      "Number of groups of channels that are convolved separately; it divides ic and oc">:$group,
    ConvKernelShape:$kernel_shape,
    Arg<I64ArrayAttr, "The zero padding before each spatial axis, then after each">:$pads,
    ReluLimit:$relu_limit,
    Arg<I64ArrayAttr, "The step along each spatial axis, at least 1">:$strides,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether samples are multiplied by `mask`">:$use_mask);
  let results = (outs AnyTensor:$output);
}
