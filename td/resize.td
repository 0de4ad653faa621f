// Resampling of the spatial axes.

def InterpMode : OneOf<["nearest", "linear"]>;
def InterpCoordMode : OneOf<["align_corners", "half_pixel", "pytorch_half_pixel", "asymmetric"]>;

def Top_InterpOp : Top_Op<"Interp", [QuantTransparent]> {
  let summary = "Resamples height and width, nearest or linear";
  let description = [{ Of a tensor [n, c, w], the width is resampled. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ..., h, w] or [n, c, w]">:$input,
    Arg<AnyTensorOrNone,
      "The size of each spatial axis instead of factors: a coefficient. Only the last two can change">:$target_shape,
    Arg<InterpCoordMode,
      "How positions are mapped to `input`: `coordinate_transformation_mode` of ONNX's Resize">:$coord_mode,
    Arg<InterpMode, "The nearest element, or linear interpolation along each axis">:$mode,
    Arg<DefaultValuedAttr<F64Attr, "-1.0">,
      "The factor of the height, positive; the product is rounded down. Unused with `target_shape`">:$scale_h,
    Arg<DefaultValuedAttr<F64Attr, "-1.0">,
      "The factor of the width, positive; the product is rounded down. Unused with `target_shape`">:$scale_w);
  let results = (outs AnyTensor:$output);
}

def Top_GridSamplerOp : Top_Op<"GridSampler"> {
  let summary = "Samples the input at the positions of a grid";
  let arguments = (ins
    Arg<AnyTensor, "The images, [n, c, h, w], or volumes, [n, c, d, h, w]">:$input,
    Arg<AnyTensor,
      "The positions: [n, oh, ow, 2], x and y, or [n, od, oh, ow, 3], x, y and z; -1 to 1 is within the image">:$grid,
    Arg<BoolAttr,
      "Whether -1 and 1 are the centers of the outermost pixels; otherwise their outer edges">:$align_corners,
    Arg<I64Attr, "The interpolation: 0 linear along each axis (bilinear), 1 nearest">:$mode,
    Arg<I64Attr, "What is at positions outside the image: 0 zeros, 1 the border, 2 the reflection">:$padding_mode);
  let results = (outs AnyTensor:$output);
}
