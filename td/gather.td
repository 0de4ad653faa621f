// Selection by index, and tables.

def Top_GatherOp : Top_Op<"Gather"> {
  let summary = "Entries of the input along an axis, chosen by an index tensor";
  let description = [{ Result shape: input[..axis] + indices + input[axis + 1..]. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensor,
      "Positions along the axis, of any shape; negative ones count from the end, and fractions are dropped">:$indices,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether the axis remains, with size 1, if the shape of `indices` is [1]">:$keepdims,
    Arg<DefaultValuedAttr<SI32Attr, "0">, "The axis; a negative one counts from the end">:$axis,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether it belongs to a LoRA adapter">:$is_lora,
    IsScalar:$is_scalar);
  let ignored = ["is_lora", "is_scalar"];
  let results = (outs AnyTensor:$output);
}

def Top_GatherElementsOp : Top_Op<"GatherElements"> {
  let summary = "For each index, the entry at that position along the axis";
  let description = [{
    `out[i][j] = input[indices[i][j]][j]` for axis 0 of two: the position on the other axes is the index's own.
    Result shape = shape of `indices`.
  }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensor,
      "Positions along the axis, negative ones from the end. No other axis is longer than the input's">:$indices,
    Arg<DefaultValuedAttr<I64Attr, "2">, "The axis; a negative one counts from the end">:$axis);
  let results = (outs AnyTensor:$output);
}

def Top_GatherNDOp : Top_Op<"GatherND"> {
  let summary = "Entries of the input by tuples of indices";
  let description = [{ Result shape: indices[..-1] + input[batch_dims + n..], for tuples of n indices. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensor,
      "Tuples along the last axis: positions on the axes after `batch_dims`, negative ones from the end">:$indices,
    Arg<DefaultValuedAttr<I64Attr, "0">,
      "Number of first axes that `input` and `indices` have in common">:$batch_dims,
    Arg<OptionalAttr<I64Attr>, "Number of dimensions of `indices`">:$indice_dims);
  let ignored = ["indice_dims"];
  let results = (outs AnyTensor:$output);
}

def Top_A16GatherOp : Top_Op<"A16Gather"> {
  let summary = "Rows of a table of packed integers";
  let description = [{
    The table is `(weight - zp) * scale`, with one scale and zero point for `q_group_size` entries of a row.
    Entries of 4 bits have no sign; of the two in a byte, the first is in the lower half. Result shape:
    indices + [entries], or indices + [1, entries] with `keepdims`.
  }];
  let arguments = (ins
    Arg<AnyTensor,
      "The table, int8 or uint8: [rows, entries], or [rows, entries / 2] with `weight_bits` of 4">:$weight,
    Arg<AnyTensor, "The rows; negative ones count from the end">:$indices,
    Arg<AnyTensor, "The scales, one for each group of each row">:$scale,
    Arg<AnyTensor, "The zero points, one for each group of each row">:$zp,
    Arg<DefaultValuedAttr<SI32Attr, "0">, "The axis: only 0 is supported">:$axis,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether an axis of size 1 precedes the entries">:$keepdims,
    Arg<DefaultValuedAttr<I64Attr, "32">,
      "Number of entries in a group, which divides those of a row; below 1, a group is a whole row">:$q_group_size,
    Arg<DefaultValuedAttr<I64Attr, "8">, "Bits of an entry: 4 or 8">:$weight_bits);
  let results = (outs AnyTensor:$output);
}

def Top_LutOp : Top_Op<"Lut"> {
  let summary = "For each 8-bit value, its entry in a table";
  let arguments = (ins
    Arg<AnyTensor, "The tensor, int8 or uint8">:$input,
    Arg<AnyTensor, "256 elements, int8 or uint8: entry `x` for values from 0, `256 + x` for negative ones">:$table);
  let results = (outs AnyTensor:$output);
}
