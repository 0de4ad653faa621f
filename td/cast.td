// Changes of number representation.

def Top_CastOp : Top_Op<"Cast"> {
  let summary = "conversion to another data type";
  let description = [{ `to` names the target (`F32`, `F16`, `INT8`, `UINT8`, ...). Conversion to an integer
    rounds by `round_mode` and saturates. }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<StrAttr, "\"\"">:$to,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_RequantIntOp : Top_Op<"RequantInt"> {
  let summary = "integer accumulator to a narrow integer, by fixed-point multiplication";
  let description = [{ `y = saturate(round(x * multiplier * 2^-rshift) + zero_point)`. One multiplier and shift
    for all, or one for each index along `rq_axis`. In the TFLite modes the multiplier is a Q31
    fraction. }];
  let arguments = (ins AnyTensor:$input,
    I64ArrayAttr:$multiplier, I64ArrayAttr:$rshift,
    OneOf<["TFLite_LShift", "TFLite", "MultiplierShift", "OnlyShift", "QDM", "OnlyScale"]>:$quant_mode,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode,
    DefaultValuedAttr<SI32Attr, "1">:$rq_axis,
    DefaultValuedAttr<BoolAttr, "false">:$fuse_rq);
  let results = (outs AnyTensor:$output);
}
