// Exchange between chips: `rank` is this one among `nranks`.

def Top_C2CAllReduceOp : Top_Op<"C2CAllReduce"> {
  let summary = "Reduction of a tensor over all chips, the result on each";
  let description = [{ }];
  let arguments = (ins AnyTensor:$send, AnyTensor:$recv,
    DefaultValuedAttr<I64ArrayAttr, "{0, 1}">:$chip_map,
    DefaultValuedAttr<I64Attr, "2">:$nranks,
    DefaultValuedAttr<I64Attr, "0">:$rank,
    DefaultValuedAttr<I64Attr, "1">:$reduce_method,
    DefaultValuedAttr<I64Attr, "0">:$sccl_algo);
  let results = (outs AnyTensor:$output);
}

def Top_C2CBroadcastOp : Top_Op<"C2CBroadcast"> {
  let summary = "Tensor of the chip root, on every chip";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<I64ArrayAttr, "{0, 1}">:$chip_map,
    DefaultValuedAttr<I64Attr, "2">:$nranks,
    DefaultValuedAttr<I64Attr, "0">:$rank,
    DefaultValuedAttr<I64Attr, "0">:$root,
    DefaultValuedAttr<I64Attr, "0">:$sccl_algo);
  let results = (outs AnyTensor:$output);
}
