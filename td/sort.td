// Order: entries along an axis by size, with their indices.

def ArgMode : OneOf<["ArgMin", "ArgMax"]>;

def Top_ArgOp : Top_Op<"Arg"> {
  let summary = "Index and value of the smallest or the largest entry along an axis";
  let description = [{ NaN ranks above every number. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<I64Attr, "The axis; a negative one counts from the end">:$axis,
    Arg<BoolAttr, "Whether the axis is kept, with size 1; otherwise it is removed">:$keepdims,
    Arg<ArgMode, "Which entry is found: the smallest or the largest">:$mode,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether the last of equal entries is found; otherwise the first">:$select_last_index);
  let results = (outs
    Res<AnyTensor, "The index of each entry, from 0">:$indices,
    Res<AnyTensorOrNone, "The entries, of the dtype of `input`">:$values);
}

def Top_SortOp : Top_Op<"Sort"> {
  let summary = "Entries along an axis in ascending or descending order, and their indices";
  let description = [{ Equal entries keep their order. NaN ranks above every number. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<I64Attr, "The axis; a negative one counts from the end">:$axis,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether the largest entry comes first">:$descending);
  let results = (outs
    Res<AnyTensorOrNone, "The entries in order, of the type of `input`">:$values,
    Res<AnyTensor, "The index of each entry in `input`, int32">:$indices);
}

def Top_TopKOp : Top_Op<"TopK"> {
  let summary = "The K largest or smallest entries along an axis, and their indices";
  let description = [{ Equal entries keep their order. NaN ranks above every number. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<Optional<AnyTensor>, "The tensor for `K`: it must be absent">:$kT,
    Arg<DefaultValuedAttr<I64Attr, "-1">, "Number of entries to find, from 1 to those of the axis">:$K,
    Arg<I64Attr, "The axis; a negative one counts from the end">:$axis,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether the largest entries are found; otherwise the smallest">:$largest,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether TPU-MLIR takes the indices from the source network's reference outputs">:$replace_topk_indices,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether the entries must be in order; they always are">:$sorted,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether the chip's HAU finds the entries">:$use_hau);
  let ignored = ["replace_topk_indices", "sorted", "use_hau"];
  let results = (outs
    Res<AnyTensorOrNone, "The entries, the largest or the smallest first, of the dtype of `input`">:$values,
    Res<AnyTensorOrNone, "The index of each entry in `input`, int32">:$indices);
}
