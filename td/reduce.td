// Reduction, and the sum that keeps every step.

def ReduceMode : OneOf<["ReduceMin", "ReduceMax", "ReduceMean", "ReduceL2", "ReduceL1", "ReduceSum",
                        "ReduceProd"]>;

def Top_ReduceOp : Top_Op<"Reduce"> {
  let summary = "Sum, mean, product, extremum or norm over axes";
  let description = [{ Empty `axes` means all. If no axis is left, the result has shape [1]. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$axes, BoolAttr:$keepdims,
    ReduceMode:$mode,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
  let results = (outs AnyTensor:$output);
}

def Top_VarianceOp : Top_Op<"Variance"> {
  let summary = "Variance over axes";
  let description = [{ The squared differences from the mean are summed over `reduce_list` and
    divided by n - `correction`. }];
  let arguments = (ins AnyTensor:$input, F64Attr:$correction,
    DefaultValuedAttr<BoolAttr, "false">:$keep_dims,
    I64ArrayAttr:$reduce_list);
  let results = (outs AnyTensor:$output);
}

def Top_CumSumOp : Top_Op<"CumSum"> {
  let summary = "Running sum along an axis";
  let description = [{ `dim`, if present, repeats the axis. }];
  let arguments = (ins AnyTensor:$input, AnyTensorOrNone:$dim, I64Attr:$axis);
  let results = (outs AnyTensor:$output);
}
