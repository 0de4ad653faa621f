// Control flow, and values that stand for several.

def Top_IfOp : Top_Op<"If"> {
  let summary = "Runs one of two branches";
  let description = [{ Each branch ends in a Yield. }];
  let arguments = (ins
    Arg<AnyTensor, "A single number: if it is not 0, `then_branch` runs, otherwise `else_branch`">:$cond);
  let results = (outs Variadic<AnyTensor>:$output);
  let regions = (region AnyRegion:$then_branch, AnyRegion:$else_branch);
}

def Top_LoopOp : Top_Op<"Loop"> {
  let summary = "Runs a body at most M times while a condition holds";
  let description = [{
    `body` takes the iteration number, the condition and the carried values. It yields the condition, the carried
    values, and values that are stacked over the iterations. The results are the carried values at the end, then the
    stacked ones.
  }];
  let arguments = (ins
    Arg<AnyTensorOrNone, "The maximum number of iterations, a single number; none for no limit">:$M,
    Arg<AnyTensorOrNone,
      "The condition of the first iteration, a single number, which holds if it is not 0; none for one that holds"
    >:$cond,
    Arg<Variadic<AnyTensorOrNone>, "The carried values of the first iteration">:$v_initial);
  let results = (outs Variadic<AnyTensorOrNone>:$v_final_and_scan_outputs);
  let regions = (region AnyRegion:$body);
}

def Top_YieldOp : Top_Op<"Yield", [Structure]> {
  let summary = "Returns the values of a branch or a body";
  let description = [{ The end of a block. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>,
      "The values: the results of a branch; of a loop's body the condition, the carried and the stacked values"
    >:$operands);
}

def Top_ListOp : Top_NaryOp<"List"> {
  let summary = "List of values";
  let description = [{ The elements of all values, in one vector. }];
  let arguments = (ins Arg<Variadic<AnyTensor>, "The values, at least one, of the same dtype">:$inputs);
}

def Top_TupleOp : Top_NaryOp<"Tuple"> {
  let summary = "Tuple of values";
}

def Top_UnTupleOp : Top_Op<"UnTuple"> {
  let summary = "Values of a tuple";
  let arguments = (ins Arg<Variadic<AnyTensor>, "The tuple, or its values, one for each result">:$inputs);
  let results = (outs Variadic<AnyTensor>:$outputs);
}
