// Selection by index, and tables.

def Top_GatherOp : Top_Op<"Gather"> {
  let summary = "Entries of the input along an axis, chosen by an index tensor";
  let description = [{ Result shape: input[..axis] + indices + input[axis + 1..]; with a single index and
    `keepdims` false the axis is removed. A negative index counts from the end. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$indices,
    DefaultValuedAttr<BoolAttr, "true">:$keepdims,
    DefaultValuedAttr<SI32Attr, "0">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$is_lora,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
  let ignored = ["is_lora"];
  let results = (outs AnyTensor:$output);
}

def Top_GatherElementsOp : Top_Op<"GatherElements"> {
  let summary = "For each index, the entry at that position along the axis";
  let description = [{
    `out[i][j] = input[indices[i][j]][j]` for axis 0 of two: the position on the other axes is the index's own.
    Result shape = shape of `indices`.
  }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$indices, DefaultValuedAttr<I64Attr, "2">:$axis);
  let results = (outs AnyTensor:$output);
}

def Top_GatherNDOp : Top_Op<"GatherND"> {
  let summary = "Entries of the input by tuples of indices";
  let description = [{ The last axis of `indices` holds the tuples, for the axes after the first
    `batch_dims`; those are common to input and indices. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$indices,
    DefaultValuedAttr<I64Attr, "0">:$batch_dims,
    OptionalAttr<I64Attr>:$indice_dims);
  let ignored = ["indice_dims"];
  let results = (outs AnyTensor:$output);
}

def Top_A16GatherOp : Top_Op<"A16Gather"> {
  let summary = "Rows of a table of packed integers";
  let description = [{
    The table is `(weight - zp) * scale`, with one scale and zero point for `q_group_size` entries of a row, or for
    the whole row if that is below 1, and `weight_bits` bits per entry. `axis` is 0.
  }];
  let arguments = (ins AnyTensor:$weight, AnyTensor:$indices, AnyTensor:$scale, AnyTensor:$zp,
    DefaultValuedAttr<SI32Attr, "0">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$keepdims,
    DefaultValuedAttr<I64Attr, "32">:$q_group_size,
    DefaultValuedAttr<I64Attr, "8">:$weight_bits);
  let results = (outs AnyTensor:$output);
}

def Top_LutOp : Top_Op<"Lut"> {
  let summary = "For each 8-bit value, its entry in a table";
  let description = [{ `table` has 256 entries. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$table);
  let results = (outs AnyTensor:$output);
}
