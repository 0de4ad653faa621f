// Reorder entries and channels.

def Top_ReverseOp : Top_Op<"Reverse"> {
  let summary = "Reverses the entries along an axis";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, I64Attr:$axis);
  let results = (outs AnyTensor:$output);
}

def Top_SwapDimInnerOp : Top_Op<"SwapDimInner"> {
  let summary = "Rotates each axis: entries from offset on come first";
  let description = [{ An offset of 0 leaves the axis unchanged. }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$offset);
  let results = (outs AnyTensor:$output);
}

def Top_Depth2SpaceOp : Top_Op<"Depth2Space"> {
  let summary = "Moves blocks of channels into height and width, or back";
  let description = [{
    [n, c * block_h * block_w, h, w] -> [n, c, h * block_h, w * block_w], reversed with `is_inversed`. The channels
    are in the order c, block_h, block_w with `is_CRD`, else block_h, block_w, c; `swap_cr` exchanges block_h and
    block_w there.
  }];
  let arguments = (ins AnyTensor:$input, I64Attr:$block_h, I64Attr:$block_w,
    DefaultValuedAttr<BoolAttr, "true">:$in_is_NCHW,
    BoolAttr:$is_CRD, BoolAttr:$is_inversed,
    DefaultValuedAttr<BoolAttr, "true">:$out_is_NCHW,
    DefaultValuedAttr<BoolAttr, "false">:$swap_cr);
  let results = (outs AnyTensor:$output);
}

def Top_ShuffleChannelOp : Top_Op<"ShuffleChannel"> {
  let summary = "Interleaves the channels of the groups";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, I64Attr:$group);
  let results = (outs AnyTensor:$output);
}

def Top_SwapChannelOp : Top_Op<"SwapChannel"> {
  let summary = "Reorders channels";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, I64ArrayAttr:$channel_order);
  let results = (outs AnyTensor:$output);
}
