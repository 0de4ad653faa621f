// Control flow, and values that stand for several.

def Top_IfOp : Top_Op<"If"> {
  let summary = "Runs one of two branches";
  let description = [{ `then_branch` if `cond` is nonzero, otherwise `else_branch`. Each ends in a
    Yield. }];
  let arguments = (ins AnyTensor:$cond);
  let results = (outs Variadic<AnyTensor>:$output);
  let regions = (region AnyRegion:$then_branch, AnyRegion:$else_branch);
}

def Top_LoopOp : Top_Op<"Loop"> {
  let summary = "Runs a body at most M times while a condition holds";
  let description = [{
    `body` takes the iteration number, the condition and the carried values, initially `v_initial`. It yields the
    condition, the carried values, and values that are stacked over the iterations. `M` or `cond` may be none, for
    no limit. The results are the carried values at the end, then the stacked ones.
  }];
  let arguments = (ins AnyTensorOrNone:$M, AnyTensorOrNone:$cond,
    Variadic<AnyTensorOrNone>:$v_initial);
  let results = (outs Variadic<AnyTensorOrNone>:$v_final_and_scan_outputs);
  let regions = (region AnyRegion:$body);
}

def Top_YieldOp : Top_Op<"Yield", [Structure]> {
  let summary = "Returns the values of a branch or a body";
  let description = [{ The end of a block. }];
  let arguments = (ins Variadic<AnyTensor>:$operands);
}

def Top_ListOp : Top_NaryOp<"List"> {
  let summary = "List of values";
  let description = [{ }];
}

def Top_TupleOp : Top_NaryOp<"Tuple"> {
  let summary = "Tuple of values";
  let description = [{ }];
}

def Top_UnTupleOp : Top_Op<"UnTuple"> {
  let summary = "Values of a tuple";
  let description = [{ }];
  let arguments = (ins Variadic<AnyTensor>:$inputs);
  let results = (outs Variadic<AnyTensor>:$outputs);
}
