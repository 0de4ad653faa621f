// Writing by index: a copy of the input, changed in places.

def Top_ScatterElementsOp : Top_Op<"ScatterElements"> {
  let summary = "Writes each update to its index along the axis";
  let description = [{
    The inverse of GatherElements: the position on the other axes is the index's own. A `reduction` of 0 replaces, 1
    adds.
  }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$indices, AnyTensor:$updates, I64Attr:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$nc_can_split,
    DefaultValuedAttr<I64Attr, "0">:$reduction);
  let ignored = ["nc_can_split"];
  let results = (outs AnyTensor:$output);
}

def Top_ScatterNDOp : Top_Op<"ScatterND"> {
  let summary = "Writes updates at tuples of indices";
  let description = [{ The last axis of `indices` holds the tuples, for the first axes of the input.
    `reduction`: 0 replaces, 1 adds, 2 subtracts, 3 takes the larger value, 4 the smaller, 5
    multiplies. }];
  let arguments = (ins AnyTensor:$input_data, AnyTensor:$indices, AnyTensor:$updates,
    DefaultValuedAttr<I32Attr, "0">:$reduction);
  let results = (outs AnyTensor:$output);
}

def Top_IndexPutOp : Top_Op<"IndexPut"> {
  let summary = "Writes values at indices of the first axis, or adds them with accumulate";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$indices, AnyTensor:$values,
    DefaultValuedAttr<BoolAttr, "false">:$accumulate);
  let results = (outs AnyTensor:$output);
}

def Top_InsertOp : Top_Op<"Insert"> {
  let summary = "Overwrites the input with rhs from an offset along an axis";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$rhs, I64Attr:$axis, I64Attr:$offset);
  let results = (outs AnyTensor:$output);
}
