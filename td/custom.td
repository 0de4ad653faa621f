// Operators of the user.

def Top_CustomOp : Top_Op<"Custom"> {
  let summary = "Operator that a plug-in computes";
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "The tensors">:$inputs,
    Arg<StrAttr, "The operator's name, under which its type rule and its kernels are registered">:$name,
    Arg<DictArrayAttr, "The operator's parameters by name, in one or more dictionaries">:$params);
  let results = (outs Variadic<AnyTensor>:$outputs);
}
