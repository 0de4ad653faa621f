// Control flow, and values that stand for several.

def Top_IfOp : Top_Op<"If"> {
  let summary = "results of one of two branches";
  let description = [{ `then_branch` where `cond` is not 0, else `else_branch`. Each ends in a
    Yield. }];
  let arguments = (ins AnyTensor:$cond);
  let results = (outs Variadic<AnyTensor>:$output);
  let regions = (region AnyRegion:$then_branch, AnyRegion:$else_branch);
}

def Top_LoopOp : Top_Op<"Loop"> {
  let summary = "a body repeated, at most M times and while a condition holds";
  let description = [{ `body` takes the number of the round, the condition and the carried values,
    at first `v_initial`. It yields the condition, the carried values, and values that are stacked
    over the rounds. `M` or `cond` may be none: no limit. The results are the carried values at the
    end, then the stacked ones. }];
  let arguments = (ins AnyTensorOrNone:$M, AnyTensorOrNone:$cond,
    Variadic<AnyTensorOrNone>:$v_initial);
  let results = (outs Variadic<AnyTensorOrNone>:$v_final_and_scan_outputs);
  let regions = (region AnyRegion:$body);
}

def Top_YieldOp : Top_Op<"Yield", [Structure]> {
  let summary = "values that a branch or a body hands back";
  let description = [{ The end of a block. }];
  let arguments = (ins Variadic<AnyTensor>:$operands);
}

def Top_ListOp : Top_NaryOp<"List"> {
  let summary = "list of values";
  let description = [{ }];
}

def Top_TupleOp : Top_NaryOp<"Tuple"> {
  let summary = "tuple of values";
  let description = [{ }];
}

def Top_UnTupleOp : Top_Op<"UnTuple"> {
  let summary = "values of a tuple";
  let description = [{ }];
  let arguments = (ins Variadic<AnyTensor>:$inputs);
  let results = (outs Variadic<AnyTensor>:$outputs);
}
