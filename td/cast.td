// Changes of number representation.

def Top_CastOp : Top_Op<"Cast"> {
  let summary = "Conversion to another data type";
  let description = [{ `to` names the target (`F32`, `F16`, `INT8`, `UINT8`, ...). Conversion to an integer
    rounds by `round_mode` and saturates. }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<StrAttr, "\"\"">:$to,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_DtypeCastOp : Top_UnaryOp<"DtypeCast"> {
  let summary = "Conversion from float32 to float16";
  let description = [{ }];
}

def RequantMode : OneOf<["TFLite_LShift", "TFLite", "MultiplierShift", "OnlyShift", "QDM",
                         "OnlyScale"]>;

def Top_RequantIntOp : Top_Op<"RequantInt"> {
  let summary = "Integer accumulator to a narrow integer, by fixed-point multiplication";
  let description = [{ `y = saturate(round(x * multiplier * 2^-rshift) + zero_point)`. One multiplier and shift
    for all, or one per index along `rq_axis`. In the TFLite modes the multiplier is a Q31
    fraction. }];
  let arguments = (ins AnyTensor:$input,
    I64ArrayAttr:$multiplier, I64ArrayAttr:$rshift,
    RequantMode:$quant_mode,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode,
    DefaultValuedAttr<SI32Attr, "1">:$rq_axis,
    DefaultValuedAttr<BoolAttr, "false">:$fuse_rq);
  let results = (outs AnyTensor:$output);
}

def Top_RequantFpOp : Top_Op<"RequantFp"> {
  let summary = "Number to a narrow type, by a floating-point scale";
  let description = [{
    `y = saturate(round(x * scale + offset))`. The TFLite modes add no `offset`, but the zero point of the result
    after rounding. A float `x` is rounded by `first_round_mode` before it is scaled. One scale and offset for all,
    or one per channel.
  }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<RoundMode, "\"HalfUp\"">:$first_round_mode,
    F64ArrayAttr:$offset, RequantMode:$quant_mode,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode,
    F64ArrayAttr:$scale);
  let results = (outs AnyTensor:$output);
}

def DequantMode : OneOf<["Normal", "TFLite"]>;

def Top_DequantIntOp : Top_Op<"DequantInt"> {
  let summary = "Narrow integer to a wider one, by fixed-point multiplication";
  let description = [{
    In the mode `Normal`, `y = saturate(round((x - zero_point) * multiplier * 2^shift))`. In the mode `TFLite` the
    multiplier is a Q31 fraction: `(x - zero_point) * multiplier * 2^lshift` is rounded half up to 32 bits, then
    multiplied by `2^shift` and rounded by `round_mode`. One multiplier and shift for all, or one per channel.
  }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<I64Attr, "0">:$lshift,
    I64ArrayAttr:$multiplier, DequantMode:$quant_mode,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode,
    I64ArrayAttr:$shift);
  let results = (outs AnyTensor:$output);
}

def Top_QuantizeLinearOp : Top_Op<"QuantizeLinear"> {
  let summary = "saturate(round(x / y_scale) + y_zero_point)";
  let description = [{ One scale and zero point for all, or one per index along `axis`. }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<I64Attr, "1">:$axis,
    F64ArrayAttr:$y_scale, I32ArrayAttr:$y_zero_point);
  let results = (outs AnyTensor:$output);
}

def Top_DequantizeLinearOp : Top_Op<"DequantizeLinear"> {
  let summary = "(x - x_zero_point) * x_scale";
  let description = [{ One scale and zero point for all, or one per index along `axis`. }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<I64Attr, "1">:$axis,
    F64ArrayAttr:$x_scale, I32ArrayAttr:$x_zero_point);
  let results = (outs AnyTensor:$output);
}
