// Tensors made of shapes and numbers.

def Top_ShapeOp : Top_Op<"Shape"> {
  let summary = "Shape of a tensor";
  let description = [{ With `start` or `end`, of those axes only, `step` apart. }];
  let arguments = (ins AnyTensor:$input,
    OptionalAttr<I64Attr>:$end,
    OptionalAttr<I64Attr>:$start,
    OptionalAttr<I64Attr>:$step);
  let results = (outs AnyTensor:$output);
}

def Top_SizeOp : Top_Op<"Size"> {
  let summary = "Size of one axis, or of all";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, OptionalAttr<SI32Attr>:$axis);
  let results = (outs AnyTensor:$output);
}

def Top_ArangeOp : Top_Op<"Arange"> {
  let summary = "start, start + step, .. up to end (exclusive)";
  let description = [{ `start` defaults to 0 and `step` to 1. }];
  let arguments = (ins AnyTensorOrNone:$start, AnyTensor:$end, AnyTensorOrNone:$step);
  let results = (outs AnyTensor:$output);
}

def Top_RangeOp : Top_Op<"Range"> {
  let summary = "start, start + delta, .. up to limit (exclusive)";
  let description = [{ `start` defaults to 0 and `delta` to 1. }];
  let arguments = (ins AnyTensorOrNone:$start, AnyTensor:$limit, AnyTensorOrNone:$delta);
  let results = (outs AnyTensor:$output);
}

def Top_ConstantFillOp : Top_Op<"ConstantFill"> {
  let summary = "Tensor of one value";
  let description = [{ `input` lists the shape. }];
  let arguments = (ins AnyTensor:$input, F64Attr:$value);
  let results = (outs AnyTensor:$output);
}

def Top_RandnLikeOp : Top_Op<"RandnLike"> {
  let summary = "Normally distributed numbers in the shape of the input";
  let description = [{ `randn_data` holds the numbers, which are drawn when the model is converted. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$randn_data);
  let results = (outs AnyTensor:$output);
}

def Top_MeshGridOp : Top_Op<"MeshGrid"> {
  let summary = "Coordinates of a grid, from one vector for each axis";
  let description = [{ Result i varies along axis i as vector i does and is constant along the
    others. `is_reverse` is the order of axes that `indexing="xy"` gives. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, BoolAttr:$is_reverse);
  let results = (outs Variadic<AnyTensor>:$outputs);
}
