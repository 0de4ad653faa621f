// Resampling of the spatial axes.

def InterpMode : OneOf<["nearest", "linear"]>;
def InterpCoordMode : OneOf<["align_corners", "half_pixel", "pytorch_half_pixel", "asymmetric"]>;

def Top_InterpOp : Top_Op<"Interp", [QuantTransparent]> {
  let summary = "Resamples height and width, nearest or linear";
  let description = [{
    The factors are `scale_h` and `scale_w`; `target_shape`, if present, is the size instead. `coord_mode` is
    `coordinate_transformation_mode` of ONNX's Resize.
  }];
  let arguments = (ins AnyTensor:$input, AnyTensorOrNone:$target_shape, InterpCoordMode:$coord_mode,
    InterpMode:$mode,
    DefaultValuedAttr<F64Attr, "-1.0">:$scale_h,
    DefaultValuedAttr<F64Attr, "-1.0">:$scale_w);
  let results = (outs AnyTensor:$output);
}

def Top_GridSamplerOp : Top_Op<"GridSampler"> {
  let summary = "Samples the input at the positions of a grid";
  let description = [{
    `grid` is [n, h, w, 2]: x and y from -1 to 1, where -1 and 1 are the outer edges of the image, or with
    `align_corners` the centers of its outermost pixels. `mode`: 0 bilinear, 1 nearest. `padding_mode`, for
    positions outside: 0 zero, 1 the border, 2 the reflection.
  }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$grid, BoolAttr:$align_corners, I64Attr:$mode,
    I64Attr:$padding_mode);
  let results = (outs AnyTensor:$output);
}
