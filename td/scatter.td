// Writing by index: a copy of the input, changed in places.

def Top_ScatterElementsOp : Top_Op<"ScatterElements"> {
  let summary = "for each index, its update written at that place along the axis";
  let description = [{ GatherElements the other way: on the other axes the place is that of the
    index. A `reduction` of 0 replaces, 1 adds. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$indices, AnyTensor:$updates, I64Attr:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$nc_can_split,
    DefaultValuedAttr<I64Attr, "0">:$reduction);
  let results = (outs AnyTensor:$output);
}

def Top_ScatterNDOp : Top_Op<"ScatterND"> {
  let summary = "updates written at tuples of indices";
  let description = [{ The last axis of `indices` holds the tuples, for the first axes of the input.
    `reduction`: 0 replaces, 1 adds, 2 subtracts, 3 takes the larger value, 4 the smaller, 5
    multiplies. }];
  let arguments = (ins AnyTensor:$input_data, AnyTensor:$indices, AnyTensor:$updates,
    DefaultValuedAttr<I32Attr, "0">:$reduction);
  let results = (outs AnyTensor:$output);
}

def Top_IndexPutOp : Top_Op<"IndexPut"> {
  let summary = "values written at indices of the first axis, or added with accumulate";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$indices, AnyTensor:$values,
    DefaultValuedAttr<BoolAttr, "false">:$accumulate);
  let results = (outs AnyTensor:$output);
}

def Top_InsertOp : Top_Op<"Insert"> {
  let summary = "rhs written over the input from an offset along an axis";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$rhs, I64Attr:$axis, I64Attr:$offset);
  let results = (outs AnyTensor:$output);
}
