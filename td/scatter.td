// Writing by index: a copy of the input, changed in places.

def Top_ScatterElementsOp : Top_Op<"ScatterElements"> {
  let summary = "Writes each update to its index along the axis";
  let description = [{ The inverse of GatherElements: the position on the other axes is the index's own. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor that is copied">:$input,
    Arg<AnyTensor,
      "Positions along the axis, from the end if negative; of the rank of `input`, no other axis longer">:$indices,
    Arg<AnyTensor, "The updates, of the shape of `indices` and the dtype of `input`">:$updates,
    Arg<I64Attr, "The axis; a negative one counts from the end">:$axis,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether a chip may divide the axes before the last one">:$nc_can_split,
    Arg<DefaultValuedAttr<I64Attr, "0">, "What an update does: 0 replaces the element, 1 is added to it">:$reduction);
  let ignored = ["nc_can_split"];
  let results = (outs AnyTensor:$output);
}

def Top_ScatterNDOp : Top_Op<"ScatterND"> {
  let summary = "Writes updates at tuples of indices";
  let arguments = (ins
    Arg<AnyTensor, "The tensor that is copied">:$input_data,
    Arg<AnyTensor,
      "The tuples, [..., n], for the first n axes of `input_data`; negative indices count from the end">:$indices,
    Arg<AnyTensor,
      "The updates, of the dtype of `input_data` and the shape indices[..-1] + input_data[n..]">:$updates,
    Arg<DefaultValuedAttr<I32Attr, "0">,
      "The update: 0 replaces, 1 adds, 2 subtracts, 3 takes the maximum, 4 the minimum, 5 multiplies">:$reduction);
  let results = (outs AnyTensor:$output);
}

def Top_IndexPutOp : Top_Op<"IndexPut"> {
  let summary = "Writes values at indices of the first axis, or adds them with accumulate";
  let arguments = (ins
    Arg<AnyTensor, "The tensor that is copied">:$input,
    Arg<AnyTensor, "The indices of the first axis: [count]. Negative ones count from the end">:$indices,
    Arg<AnyTensor,
      "The values, of the dtype of `input`: count entries with the axes of `input` after the first">:$values,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether values are added to the elements they would replace">:$accumulate);
  let results = (outs AnyTensor:$output);
}

def Top_InsertOp : Top_Op<"Insert"> {
  let summary = "Overwrites the input with rhs from an offset along an axis";
  let arguments = (ins
    Arg<AnyTensor, "The tensor that is copied">:$input,
    Arg<AnyTensor, "The new entries, of the dtype of `input` and of its shape except along the axis">:$rhs,
    Arg<I64Attr, "The axis; a negative one counts from the end">:$axis,
    Arg<I64Attr, "The first entry that is overwritten, from 0; all of `rhs` must fit">:$offset);
  let results = (outs AnyTensor:$output);
}
