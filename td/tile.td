// Entries repeated.

def Top_ExpandOp : Top_Op<"Expand", [QuantTransparent]> {
  let summary = "Repeats axes of size 1 to a larger shape (NumPy's broadcasting)";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<Optional<AnyTensor>, "The new shape, in place of `shape`: a coefficient of integers">:$shapeT,
    Arg<DefaultValuedAttr<I64ArrayAttr, "{}">,
      "The new shape; further axes come first. A dimension of 1 or -1 keeps that of `input`">:$shape);
  let results = (outs AnyTensor:$output);
}

def Top_TileOp : Top_Op<"Tile", [QuantTransparent]> {
  let summary = "Repeats the tensor along each axis";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<Optional<AnyTensor>, "The repetitions, in place of `tile`: a coefficient of integers">:$tileT,
    Arg<OptionalAttr<I64ArrayAttr>,
      "Number of repetitions along each axis, at least 1; absent only with `tileT`">:$tile);
  let results = (outs AnyTensor:$output);
}

def Top_RepeatOp : Top_Op<"Repeat", [QuantTransparent]> {
  let summary = "Repeats the tensor along each axis, with the counts in a tensor";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensor,
      "The counts, at least 1: a coefficient. More than axes add axes in front; fewer are for the last ones">:$repeats);
  let results = (outs AnyTensor:$output);
}

def Top_UpsampleOp : Top_Op<"Upsample"> {
  let summary = "Repeats each pixel scale_h times along height and scale_w times along width";
  let arguments = (ins
    Arg<AnyTensor, "The images: [..., h, w]">:$input,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    Arg<I64Attr, "The factor of the height, at least 1">:$scale_h,
    Arg<I64Attr, "The factor of the width, at least 1">:$scale_w);
  let results = (outs AnyTensor:$output);
}
