// Changes of number representation.

def Top_CastOp : Top_Op<"Cast"> {
  let summary = "Conversion to another data type";
  let description = [{ Conversion to an integer saturates. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor, of any dtype">:$input,
    Arg<DefaultValuedAttr<StrAttr, "\"\"">,
      "The target dtype: `F32`, `F16`, `INT8`, `UINT8`, ...; if empty, the one that the result is declared with">:$to,
    Rounding:$round_mode);
  let results = (outs AnyTensor:$output);
}

def Top_DtypeCastOp : Top_UnaryOp<"DtypeCast"> {
  let summary = "Conversion from float32 to float16";
  let arguments = (ins Arg<AnyTensor, "The tensor, of float32">:$input);
}

def RequantMode : OneOf<["TFLite_LShift", "TFLite", "MultiplierShift", "OnlyShift", "QDM",
                         "OnlyScale"]>;

def Top_RequantIntOp : Top_Op<"RequantInt"> {
  let summary = "Integer accumulator to a narrow integer, by fixed-point multiplication";
  let description = [{ `y = saturate(round(x * multiplier * 2^-rshift) + zero_point)`, with the zero point of the
    result. In the TFLite modes the product is first rounded half up to 32 bits. }];
  let arguments = (ins
    Arg<AnyTensor, "The accumulator, an integer tensor; its own zero point is subtracted first">:$input,
    Arg<I64ArrayAttr,
      "The multiplier: one for all, or one per index along `rq_axis`; in the TFLite modes a Q31 fraction">:$multiplier,
    Arg<I64ArrayAttr,
      "Bits of the shift to the right, to the left if negative: one for all, or one per multiplier">:$rshift,
    Arg<RequantMode,
      "The formula. The TFLite modes are the same; `OnlyShift`, `QDM` and `OnlyScale` are not supported">:$quant_mode,
    Rounding:$round_mode,
    Arg<DefaultValuedAttr<SI32Attr, "1">, "The axis of lists; negative values count from the end">:$rq_axis,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether the chip fuses it with the matrix product before it; lists may then be longer, and the rest is ignored"
    >:$fuse_rq);
  let results = (outs AnyTensor:$output);
}

def Top_RequantFpOp : Top_Op<"RequantFp"> {
  let summary = "Number to a narrow type, by a floating-point scale";
  let description = [{
    `y = saturate(round(x * scale + offset))`. The TFLite modes add no `offset`, but the zero point of the result
    after rounding. `scale` and `offset` are of equal length.
  }];
  let arguments = (ins
    Arg<AnyTensor, "The numbers, integers or floats">:$input,
    Arg<DefaultValuedAttr<RoundMode, "\"HalfUp\"">,
      "How a float input is rounded before it is scaled">:$first_round_mode,
    Arg<F64ArrayAttr, "Added to the products: one for all, or one per channel (axis 1)">:$offset,
    Arg<RequantMode,
      "The formula. The TFLite modes are the same; `OnlyShift`, `QDM` and `OnlyScale` are not supported">:$quant_mode,
    Rounding:$round_mode,
    Arg<F64ArrayAttr, "The factor of the elements: one for all, or one per channel (axis 1)">:$scale);
  let results = (outs AnyTensor:$output);
}

def DequantMode : OneOf<["Normal", "TFLite"]>;

def Top_DequantIntOp : Top_Op<"DequantInt"> {
  let summary = "Narrow integer to a wider one, by fixed-point multiplication";
  let description = [{
    In the mode `Normal`, `y = saturate(round((x - zero_point) * multiplier * 2^shift))`, with the zero point of the
    input. In the mode `TFLite`, `(x - zero_point) * multiplier * 2^lshift`, with a multiplier that is a Q31 fraction,
    is rounded half up to 32 bits, then multiplied by `2^shift` and rounded by `round_mode`. `multiplier` and `shift`
    are of equal length.
  }];
  let arguments = (ins
    Arg<AnyTensor, "The integers; their zero point is subtracted first">:$input,
    Arg<DefaultValuedAttr<I64Attr, "0">,
      "In the mode `TFLite`, the bits by which products are first shifted to the left">:$lshift,
    Arg<I64ArrayAttr,
      "The multiplier: one for all, or one per channel (axis 1); in the mode `TFLite` a Q31 fraction">:$multiplier,
    Arg<DequantMode, "The formula">:$quant_mode,
    Rounding:$round_mode,
    Arg<I64ArrayAttr,
      "Bits of the shift to the left, to the right if negative: one for all, or one per channel (axis 1)">:$shift);
  let results = (outs AnyTensor:$output);
}

def Top_QuantizeLinearOp : Top_Op<"QuantizeLinear"> {
  let summary = "saturate(round(x / y_scale) + y_zero_point)";
  let description = [{ Halves are rounded to even. `y_scale` and `y_zero_point` are of equal length. }];
  let arguments = (ins
    Arg<AnyTensor, "The numbers, integers or floats">:$input,
    Arg<DefaultValuedAttr<I64Attr, "1">, "The axis of lists; negative values count from the end">:$axis,
    Arg<F64ArrayAttr, "The scale of the result: one for all, or one per index along `axis`">:$y_scale,
    Arg<I32ArrayAttr, "The zero point of the result: one for all, or one per index along `axis`">:$y_zero_point);
  let results = (outs AnyTensor:$output);
}

def Top_DequantizeLinearOp : Top_Op<"DequantizeLinear"> {
  let summary = "(x - x_zero_point) * x_scale";
  let description = [{ `x_scale` and `x_zero_point` are of equal length. }];
  let arguments = (ins
    Arg<AnyTensor, "The integers">:$input,
    Arg<DefaultValuedAttr<I64Attr, "1">, "The axis of lists; negative values count from the end">:$axis,
    Arg<F64ArrayAttr, "The scale of the input: one for all, or one per index along `axis`">:$x_scale,
    Arg<I32ArrayAttr, "The zero point of the input: one for all, or one per index along `axis`">:$x_zero_point);
  let results = (outs AnyTensor:$output);
}
