// Reduction.

def Top_ReduceOp : Top_Op<"Reduce"> {
  let summary = "sum, mean, product, extremum or norm over axes";
  let description = [{ Empty `axes` means all. With nothing left the result has shape [1]. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$axes, BoolAttr:$keepdims,
    OneOf<["ReduceMin", "ReduceMax", "ReduceMean", "ReduceL2", "ReduceL1", "ReduceSum",
           "ReduceProd"]>:$mode,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
  let results = (outs AnyTensor:$output);
}
