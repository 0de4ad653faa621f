// Matrix product.

def Top_MatMulOp : Top_Op<"MatMul"> {
  let summary = "matrix product over the last two axes, plus bias";
  let description = [{ `[.., M, K] x [.., K, N] -> [.., M, N]`; the flags transpose the last two axes of an
    operand or the result. Without `keep_dims` all leading axes are folded into M. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$right, AnyTensorOrNone:$bias,
    DefaultValuedAttr<BoolAttr, "false">:$right_transpose,
    DefaultValuedAttr<BoolAttr, "false">:$left_transpose,
    DefaultValuedAttr<BoolAttr, "false">:$output_transpose,
    DefaultValuedAttr<BoolAttr, "false">:$hdim_is_batch,
    DefaultValuedAttr<BoolAttr, "true">:$keep_dims,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit,
    OptionalAttr<I64Attr>:$weight_bits,
    OptionalAttr<F64Attr>:$in_int4_scale,
    OptionalAttr<F64Attr>:$in_int4_zp,
    OptionalAttr<F64Attr>:$out_int8_scale,
    OptionalAttr<F64Attr>:$out_int8_zp,
    DefaultValuedAttr<DequantType, "\"NONE\"">:$dq_type,
    DefaultValuedAttr<I64Attr, "0">:$q_group_size,
    DefaultValuedAttr<BoolAttr, "false">:$is_lora);
  let results = (outs AnyTensor:$output);
}
