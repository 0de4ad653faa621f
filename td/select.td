// Choice by condition, and the places where one holds.

def Top_WhereOp : Top_Op<"Where"> {
  let summary = "tbrn where cond is nonzero, otherwise fbrn";
  let description = [{
    A branch is a tensor or a constant. For a constant the operand is none, `x_is_const` (for tbrn) or `y_is_const`
    (for fbrn) is true, and the value is in `x_const_val` or `y_const_val`.
  }];
  let arguments = (ins AnyTensor:$cond, AnyTensorOrNone:$tbrn, AnyTensorOrNone:$fbrn,
    DefaultValuedAttr<BoolAttr, "false">:$x_is_const,
    DefaultValuedAttr<BoolAttr, "false">:$y_is_const,
    DefaultValuedAttr<F64Attr, "0.0">:$x_const_val,
    DefaultValuedAttr<F64Attr, "0.0">:$y_const_val);
  let results = (outs AnyTensor:$output);
}

def Top_MaskedFillOp : Top_Op<"MaskedFill"> {
  let summary = "brn where cond is nonzero, otherwise const_val; swapped with inversed";
  let description = [{ }];
  let arguments = (ins AnyTensor:$cond, AnyTensor:$brn, F64Attr:$const_val, BoolAttr:$inversed);
  let results = (outs AnyTensor:$output);
}

def NonZeroOrder : OneOf<["ColMajor", "RowMajor"]>;

def Top_NonZeroOp : Top_Op<"NonZero"> {
  let summary = "Indices of the input's nonzero elements";
  let description = [{
    The result is [count, rank] for `ColMajor`, [rank, count] for `RowMajor`, with room for every element: the
    indices come first, the rest is 0.
  }];
  let arguments = (ins AnyTensor:$input, NonZeroOrder:$order);
  let results = (outs AnyTensor:$output);
}

def Top_TriluOp : Top_Op<"Trilu"> {
  let summary = "Upper or lower triangle of the last two axes; other elements are 0";
  let description = [{ `upper` is 1 or 0. `diagonal` moves the border, to the upper right if
    positive. }];
  let arguments = (ins AnyTensor:$input, SI32Attr:$diagonal, SI32Attr:$upper);
  let results = (outs AnyTensor:$output);
}
