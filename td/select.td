// Choice by condition, and the places where one holds.

def Top_WhereOp : Top_Op<"Where"> {
  let summary = "tbrn where cond is nonzero, otherwise fbrn";
  let description = [{
    A branch is a tensor or a constant. For a constant the operand is none, `x_is_const` (for tbrn) or `y_is_const`
    (for fbrn) is true, and the value is in `x_const_val` or `y_const_val`. All shapes are broadcast.
  }];
  let arguments = (ins
    Arg<AnyTensor, "The condition, which holds where it is not 0">:$cond,
    Arg<AnyTensorOrNone, "The branch where `cond` holds; none if it is a constant">:$tbrn,
    Arg<AnyTensorOrNone, "The branch where `cond` does not hold; none if it is a constant">:$fbrn,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether `tbrn` is a constant">:$x_is_const,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether `fbrn` is a constant">:$y_is_const,
    Arg<DefaultValuedAttr<F64Attr, "0.0">, "The constant for `tbrn`">:$x_const_val,
    Arg<DefaultValuedAttr<F64Attr, "0.0">, "The constant for `fbrn`">:$y_const_val);
  let results = (outs AnyTensor:$output);
}

def Top_MaskedFillOp : Top_Op<"MaskedFill"> {
  let summary = "brn where cond is nonzero, otherwise const_val; swapped with inversed";
  let arguments = (ins
    Arg<AnyTensor, "The condition, which holds where it is not 0; broadcast with `brn`">:$cond,
    Arg<AnyTensor, "The tensor that is filled where `cond` does not hold">:$brn,
    Arg<F64Attr, "The value that replaces elements of `brn`">:$const_val,
    Arg<BoolAttr, "Whether elements are replaced where `cond` holds instead">:$inversed);
  let results = (outs AnyTensor:$output);
}

def NonZeroOrder : OneOf<["ColMajor", "RowMajor"]>;

def Top_NonZeroOp : Top_Op<"NonZero"> {
  let summary = "Indices of the input's nonzero elements";
  let description = [{
    The result has room for every element: the indices come first, in the order of the elements, the rest is 0.
  }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor, with at least one axis">:$input,
    Arg<NonZeroOrder,
      "The result for count elements of `input`: ColMajor [count, rank], RowMajor [rank, count]">:$order);
  let results = (outs AnyTensor:$output);
}

def Top_TriluOp : Top_Op<"Trilu"> {
  let summary = "Upper or lower triangle of the last two axes; other elements are 0";
  let arguments = (ins
    Arg<AnyTensor, "The tensor, with at least two axes">:$input,
    Arg<SI32Attr,
      "The diagonal at the border, which is kept: 0 is the main one, positive ones are to the upper right">:$diagonal,
    Arg<SI32Attr, "The triangle that is kept: 1 the upper, 0 the lower">:$upper);
  let results = (outs AnyTensor:$output);
}
