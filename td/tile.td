// Entries repeated.

def Top_ExpandOp : Top_Op<"Expand", [QuantTransparent]> {
  let summary = "Repeats axes of size 1 to a larger shape (NumPy's broadcasting)";
  let description = [{ The shape is `shape`, or `shapeT` if present. }];
  let arguments = (ins AnyTensor:$input, Optional<AnyTensor>:$shapeT,
    DefaultValuedAttr<I64ArrayAttr, "{}">:$shape);
  let results = (outs AnyTensor:$output);
}

def Top_TileOp : Top_Op<"Tile", [QuantTransparent]> {
  let summary = "Repeats the tensor along each axis";
  let description = [{ The counts are `tile`, or `tileT` if present. }];
  let arguments = (ins AnyTensor:$input, Optional<AnyTensor>:$tileT,
    OptionalAttr<I64ArrayAttr>:$tile);
  let results = (outs AnyTensor:$output);
}

def Top_RepeatOp : Top_Op<"Repeat", [QuantTransparent]> {
  let summary = "Repeats the tensor along each axis, with the counts in a tensor";
  let description = [{ More counts than axes add axes in front. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$repeats);
  let results = (outs AnyTensor:$output);
}

def Top_UpsampleOp : Top_Op<"Upsample"> {
  let summary = "Repeats each pixel scale_h times along height and scale_w times along width";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    I64Attr:$scale_h, I64Attr:$scale_w);
  let results = (outs AnyTensor:$output);
}
