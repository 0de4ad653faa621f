// Tensors made of shapes and numbers.

def Top_ShapeOp : Top_Op<"Shape"> {
  let summary = "Shape of a tensor";
  let description = [{ With `start` or `end`, of the axes from one to the other only, `step` apart. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor, of at least one dimension">:$input,
    Arg<OptionalAttr<I64Attr>,
      "The axis before which to stop; a negative one counts from the end; the number of axes if absent">:$end,
    Arg<OptionalAttr<I64Attr>, "The first axis; a negative one counts from the end; 0 if absent">:$start,
    Arg<OptionalAttr<I64Attr>,
      "The step from one axis to the next, not 0; 1 if absent. Without `start` and `end` it changes nothing">:$step);
  let results = (outs AnyTensor:$output);
}

def Top_SizeOp : Top_Op<"Size"> {
  let summary = "Size of one axis, or of all";
  let arguments = (ins
    Arg<AnyTensor, "The tensor, of at least one dimension">:$input,
    Arg<OptionalAttr<SI32Attr>, "The axis; a negative one counts from the end; all axes if absent">:$axis);
  let results = (outs AnyTensor:$output);
}

def Top_ArangeOp : Top_Op<"Arange"> {
  let summary = "start, start + step, .. up to end (exclusive)";
  let description = [{ There must be at least one number. }];
  let arguments = (ins
    Arg<AnyTensorOrNone, "The first number: a coefficient of one element; 0 if absent">:$start,
    Arg<AnyTensor, "The number before which to stop: a coefficient of one element">:$end,
    Arg<AnyTensorOrNone,
      "The difference of consecutive numbers, may be negative: a coefficient of one element; 1 if absent">:$step);
  let results = (outs AnyTensor:$output);
}

def Top_RangeOp : Top_Op<"Range"> {
  let summary = "start, start + delta, .. up to limit (exclusive)";
  let description = [{ There must be at least one number. }];
  let arguments = (ins
    Arg<AnyTensorOrNone, "The first number: a coefficient of one element; 0 if absent">:$start,
    Arg<AnyTensor, "The number before which to stop: a coefficient of one element">:$limit,
    Arg<AnyTensorOrNone,
      "The difference of consecutive numbers, may be negative: a coefficient of one element; 1 if absent">:$delta);
  let results = (outs AnyTensor:$output);
}

def Top_ConstantFillOp : Top_Op<"ConstantFill"> {
  let summary = "Tensor of one value";
  let arguments = (ins
    Arg<AnyTensor, "The shape of the result: a coefficient of integers, of which -1 stands for 1">:$input,
    Arg<F64Attr, "The value of all elements">:$value);
  let results = (outs AnyTensor:$output);
}

def Top_RandnLikeOp : Top_Op<"RandnLike"> {
  let summary = "Normally distributed numbers in the shape of the input";
  let arguments = (ins
    Arg<AnyTensor, "A tensor of the result's shape">:$input,
    Arg<AnyTensor, "The numbers, which are drawn when the model is converted">:$randn_data);
  let results = (outs AnyTensor:$output);
}

def Top_MeshGridOp : Top_Op<"MeshGrid"> {
  let summary = "Coordinates of a grid, from one vector for each axis";
  let description = [{ Result i varies as vector i does along axis i, which counts from the end with `is_reverse`,
    and is constant along the others. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "The vectors">:$inputs,
    Arg<BoolAttr,
      "Whether the axes are in reverse order, as NumPy's `indexing='xy'` has it for two vectors">:$is_reverse);
  let results = (outs Variadic<AnyTensor>:$outputs);
}
