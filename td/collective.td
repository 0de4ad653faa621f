// Exchange between chips: `rank` is this one among `nranks`.

def Top_C2CAllReduceOp : Top_Op<"C2CAllReduce"> {
  let summary = "Reduction of a tensor over all chips, the result on each";
  let arguments = (ins
    Arg<AnyTensor, "The tensor that this chip contributes">:$send,
    Arg<AnyTensor, "A buffer for the result, of the shape of `send`">:$recv,
    Arg<DefaultValuedAttr<I64ArrayAttr, "{0, 1}">, "The number of the chip at each rank">:$chip_map,
    Arg<DefaultValuedAttr<I64Attr, "2">, "Number of chips that take part">:$nranks,
    Arg<DefaultValuedAttr<I64Attr, "0">, "The rank of this chip, from 0">:$rank,
    Arg<DefaultValuedAttr<I64Attr, "1">,
      "The reduction: 0 for the mean, 1 for the sum, 2 for the maximum, 3 for the minimum, 4 for the product"
    >:$reduce_method,
    Arg<DefaultValuedAttr<I64Attr, "0">, "The algorithm of the chips' communication library (SCCL)">:$sccl_algo);
  let results = (outs AnyTensor:$output);
}

def Top_C2CBroadcastOp : Top_Op<"C2CBroadcast"> {
  let summary = "Tensor of the chip root, on every chip";
  let arguments = (ins
    Arg<AnyTensor, "The tensor, whose values matter on the chip `root` only">:$input,
    Arg<DefaultValuedAttr<I64ArrayAttr, "{0, 1}">, "The number of the chip at each rank">:$chip_map,
    Arg<DefaultValuedAttr<I64Attr, "2">, "Number of chips that take part">:$nranks,
    Arg<DefaultValuedAttr<I64Attr, "0">, "The rank of this chip, from 0">:$rank,
    Arg<DefaultValuedAttr<I64Attr, "0">, "The rank of the chip that sends its tensor">:$root,
    Arg<DefaultValuedAttr<I64Attr, "0">, "The algorithm of the chips' communication library (SCCL)">:$sccl_algo);
  let results = (outs AnyTensor:$output);
}
