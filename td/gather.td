// Selection by index.

def Top_GatherOp : Top_Op<"Gather"> {
  let summary = "entries of the input along an axis, chosen by an index tensor";
  let description = [{ Result shape: input[..axis] + indices + input[axis + 1..]; with a single index and
    `keepdims` false the axis is dropped. A negative index counts from the end. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$indices,
    DefaultValuedAttr<BoolAttr, "true">:$keepdims,
    DefaultValuedAttr<SI32Attr, "0">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$is_lora,
    DefaultValuedAttr<BoolAttr, "false">:$is_scalar);
  let results = (outs AnyTensor:$output);
}
