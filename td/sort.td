// Order: entries along an axis by size, with their indices.

def ArgMode : OneOf<["ArgMin", "ArgMax"]>;

def Top_ArgOp : Top_Op<"Arg"> {
  let summary = "Index and value of the smallest or the largest entry along an axis";
  let description = [{ Ties go to the first entry, or to the last with `select_last_index`.
    Without `keepdims` the axis is removed. }];
  let arguments = (ins AnyTensor:$input, I64Attr:$axis, BoolAttr:$keepdims, ArgMode:$mode,
    DefaultValuedAttr<BoolAttr, "true">:$select_last_index);
  let results = (outs AnyTensor:$indices, AnyTensorOrNone:$values);
}

def Top_SortOp : Top_Op<"Sort"> {
  let summary = "Entries along an axis in ascending or descending order, and their indices";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, I64Attr:$axis,
    DefaultValuedAttr<BoolAttr, "true">:$descending);
  let results = (outs AnyTensorOrNone:$values, AnyTensor:$indices);
}

def Top_TopKOp : Top_Op<"TopK"> {
  let summary = "The K largest or smallest entries along an axis, and their indices";
  let description = [{ `kT`, if present, replaces `K`. }];
  let arguments = (ins AnyTensor:$input, Optional<AnyTensor>:$kT,
    DefaultValuedAttr<I64Attr, "-1">:$K,
    I64Attr:$axis,
    DefaultValuedAttr<BoolAttr, "true">:$largest,
    DefaultValuedAttr<BoolAttr, "false">:$replace_topk_indices,
    DefaultValuedAttr<BoolAttr, "true">:$sorted,
    DefaultValuedAttr<BoolAttr, "true">:$use_hau);
  let ignored = ["replace_topk_indices", "use_hau"];
  let results = (outs AnyTensorOrNone:$values, AnyTensorOrNone:$indices);
}
