// Reduction, and the sum that keeps every step.

def ReduceMode : OneOf<["ReduceMin", "ReduceMax", "ReduceMean", "ReduceL2", "ReduceL1", "ReduceSum",
                        "ReduceProd"]>;

def Top_ReduceOp : Top_Op<"Reduce"> {
  let summary = "Sum, mean, product, extremum or norm over axes";
  let description = [{ If no axis is left, the result has shape [1]. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<I64ArrayAttr, "The axes that are reduced; negative ones count from the end. If empty, all">:$axes,
    Arg<BoolAttr, "Whether reduced axes are kept, with size 1">:$keepdims,
    Arg<ReduceMode,
      "The reduction; ReduceL1 is the sum of absolute values, ReduceL2 the root of the sum of squares">:$mode,
    IsScalar:$is_scalar);
  let ignored = ["is_scalar"];
  let results = (outs AnyTensor:$output);
}

def Top_VarianceOp : Top_Op<"Variance"> {
  let summary = "Variance over axes";
  let description = [{ The squared differences from the mean are summed over `reduce_list` and divided by
    n - `correction`, or by 0 if that is negative. If no axis is left, the result has shape [1]. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<F64Attr, "Subtracted from n: 1 for the unbiased estimate, 0 for the mean of the squares">:$correction,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether reduced axes are kept, with size 1">:$keep_dims,
    Arg<I64ArrayAttr, "The axes that are reduced; negative ones count from the end. If empty, all">:$reduce_list);
  let results = (outs AnyTensor:$output);
}

def Top_CumSumOp : Top_Op<"CumSum"> {
  let summary = "Running sum along an axis";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensorOrNone, "The axis once more, as a tensor. It changes no result">:$dim,
    Arg<I64Attr, "The axis; a negative one counts from the end">:$axis);
  let results = (outs AnyTensor:$output);
}
