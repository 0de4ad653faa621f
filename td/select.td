// Choice by condition, and the places where one holds.

def Top_WhereOp : Top_Op<"Where"> {
  let summary = "tbrn where cond is not 0, fbrn elsewhere";
  let description = [{ A branch is a tensor, or a constant: then its operand is none, `x_is_const` (for tbrn) or
    `y_is_const` (for fbrn) is true and the value stands in `x_const_val` or `y_const_val`. }];
  let arguments = (ins AnyTensor:$cond, AnyTensorOrNone:$tbrn, AnyTensorOrNone:$fbrn,
    DefaultValuedAttr<BoolAttr, "false">:$x_is_const,
    DefaultValuedAttr<BoolAttr, "false">:$y_is_const,
    DefaultValuedAttr<F64Attr, "0.0">:$x_const_val,
    DefaultValuedAttr<F64Attr, "0.0">:$y_const_val);
  let results = (outs AnyTensor:$output);
}

def Top_MaskedFillOp : Top_Op<"MaskedFill"> {
  let summary = "brn where cond is not 0, const_val elsewhere; the other way round with inversed";
  let description = [{ }];
  let arguments = (ins AnyTensor:$cond, AnyTensor:$brn, F64Attr:$const_val, BoolAttr:$inversed);
  let results = (outs AnyTensor:$output);
}

def NonZeroOrder : OneOf<["ColMajor", "RowMajor"]>;

def Top_NonZeroOp : Top_Op<"NonZero"> {
  let summary = "places where the input is not 0, as indices";
  let description = [{ The result is [count, rank] for `ColMajor`, [rank, count] for `RowMajor`, with
    room for every element: places that are found stand first, 0 fills the rest. }];
  let arguments = (ins AnyTensor:$input, NonZeroOrder:$order);
  let results = (outs AnyTensor:$output);
}

def Top_TriluOp : Top_Op<"Trilu"> {
  let summary = "upper or lower triangle of the last two axes, 0 elsewhere";
  let description = [{ `upper` is 1 or 0. `diagonal` moves the border, to the upper right if
    positive. }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$diagonal, SI32Attr:$upper);
  let results = (outs AnyTensor:$output);
}
