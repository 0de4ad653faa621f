// Reorder entries and channels.

def Top_ReverseOp : Top_Op<"Reverse"> {
  let summary = "Reverses the entries along an axis";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<I64Attr, "The axis; a negative one counts from the end">:$axis);
  let results = (outs AnyTensor:$output);
}

def Top_SwapDimInnerOp : Top_Op<"SwapDimInner"> {
  let summary = "Rotates each axis: entries from offset on come first";
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<I64ArrayAttr, "The entry of each axis that comes first, from 0; 0 leaves the axis unchanged">:$offset);
  let results = (outs AnyTensor:$output);
}

def Top_Depth2SpaceOp : Top_Op<"Depth2Space"> {
  let summary = "Moves blocks of channels into height and width, or back";
  let description = [{
    [n, c * block_h * block_w, h, w] -> [n, c, h * block_h, w * block_w], reversed with `is_inversed`.
  }];
  let arguments = (ins
    Arg<AnyTensor, "The images, with at least three axes">:$input,
    Arg<I64Attr, "The height of a block, at least 1">:$block_h,
    Arg<I64Attr, "The width of a block, at least 1">:$block_w,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether `input` ends with channels, height, width; otherwise with height, width, channels">:$in_is_NCHW,
    Arg<BoolAttr,
      "Whether channels of blocks are in the order c, block_h, block_w; otherwise block_h, block_w, c">:$is_CRD,
    Arg<BoolAttr, "Whether blocks of pixels become channels">:$is_inversed,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether the result ends with channels, height, width; otherwise with height, width, channels">:$out_is_NCHW,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether block_h and block_w change places in the order of the channels">:$swap_cr);
  let results = (outs AnyTensor:$output);
}

def Top_ShuffleChannelOp : Top_Op<"ShuffleChannel"> {
  let summary = "Interleaves the channels of the groups";
  let description = [{ The first channel of each group comes first, then the second of each, and so on. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ...]">:$input,
    Arg<I64Attr, "Number of groups, which divides c">:$group);
  let results = (outs AnyTensor:$output);
}

def Top_SwapChannelOp : Top_Op<"SwapChannel"> {
  let summary = "Reorders channels";
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ...]">:$input,
    Arg<I64ArrayAttr, "The channel of `input` for each of the c channels of the result, from 0">:$channel_order);
  let results = (outs AnyTensor:$output);
}
