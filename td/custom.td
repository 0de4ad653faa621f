// Operators of the user.

def Top_CustomOp : Top_Op<"Custom"> {
  let summary = "Operator that a plug-in computes";
  let description = [{ `name` is its name, `params` are its parameters. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, StrAttr:$name, DictArrayAttr:$params);
  let results = (outs Variadic<AnyTensor>:$outputs);
}
