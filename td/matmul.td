// Products of matrices.

def Top_MatMulOp : Top_Op<"MatMul"> {
  let summary = "Matrix product over the last two axes, plus bias";
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
  let ignored = ["in_int4_scale", "in_int4_zp", "out_int8_scale", "out_int8_zp", "is_lora"];
  let results = (outs AnyTensor:$output);
}

def Top_A16MatMulOp : Top_Op<"A16MatMul"> {
  let summary = "Product with a matrix of packed integers, plus bias";
  let description = [{ The matrix is `(weight - zp) * scale`. With `right_transpose`, `weight` is
    [N, K * weight_bits / 8] bytes, and `scale` and `zp` are [N, K / q_group_size]. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$weight, AnyTensor:$scale, AnyTensor:$zp,
    AnyTensorOrNone:$bias,
    DefaultValuedAttr<DequantType, "\"NONE\"">:$dq_type,
    DefaultValuedAttr<I64Attr, "128">:$q_group_size,
    DefaultValuedAttr<BoolAttr, "false">:$right_transpose,
    DefaultValuedAttr<I64Attr, "8">:$weight_bits);
  let results = (outs AnyTensor:$output);
}

def Top_Fp8MatMulOp : Top_Op<"Fp8MatMul"> {
  let summary = "Product with a matrix of fp8e4m3 values, plus bias";
  let description = [{
    With `weight_transpose`, `weight` is [N, K]. Each block of `block_size` x `block_size` weights has one entry of
    `weight_scale`.
  }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$weight, AnyTensor:$weight_scale,
    AnyTensorOrNone:$bias,
    DefaultValuedAttr<I64Attr, "128">:$block_size,
    DefaultValuedAttr<BoolAttr, "false">:$weight_transpose);
  let results = (outs AnyTensor:$output);
}

def Top_MlpOp : Top_Op<"Mlp"> {
  let summary = "Gated feed-forward block of a transformer: down(act(gate(x)) * up(x))";
  let description = [{ `gate`, `up` and `down` are products with a matrix, plus bias; `act` is SiLU.
    With `is_expert` there is one matrix per expert, and `expert_id` selects those of each token. With
    `quantized` the matrices are packed as for A16MatMul. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$weight_gate, AnyTensor:$weight_up,
    AnyTensor:$weight_down, AnyTensorOrNone:$bias_gate, AnyTensorOrNone:$bias_up,
    AnyTensorOrNone:$bias_down, AnyTensorOrNone:$expert_id, AnyTensorOrNone:$scale_gate,
    AnyTensorOrNone:$scale_up, AnyTensorOrNone:$scale_down, AnyTensorOrNone:$zp_gate,
    AnyTensorOrNone:$zp_up, AnyTensorOrNone:$zp_down,
    DefaultValuedAttr<BoolAttr, "false">:$is_expert,
    DefaultValuedAttr<I64Attr, "1">:$num_expert,
    DefaultValuedAttr<I64Attr, "1">:$num_expert_per_tok,
    DefaultValuedAttr<I64Attr, "128">:$q_group_size,
    DefaultValuedAttr<BoolAttr, "false">:$quantized,
    DefaultValuedAttr<BoolAttr, "false">:$right_transpose_down,
    DefaultValuedAttr<BoolAttr, "true">:$right_transpose_gate,
    DefaultValuedAttr<BoolAttr, "true">:$right_transpose_up,
    DefaultValuedAttr<I64Attr, "8">:$weight_bits);
  let results = (outs AnyTensor:$output);
}

def EinsumMode : OneOf<["a,b->ab", "ab,ab->a", "ab,acb->ac", "ab,cdb->acd", "abc,db->adc",
                        "abcd,cde->abe", "abcd,acd->abc", "abcd,bed->abce", "abcd,ced->abce",
                        "abcd,abed->abce", "abcd,abde->abce", "abcd,abce->acde", "abc,adc->abd",
                        "abc,adc->adb", "abc,abd->acd", "abcd,cde->abce", "abc,acde->abde",
                        "abc,abde->acde", "abc,bd->abcd", "abc,abdc,abc->abcd",
                        "abcd,acde,abc->abce", "abc,abc->ab", "abcd,aecd->aeb", "abc,cde->abde",
                        "abcd,aeb->aecd", "abcde,afbc->abdef", "abcde,abfge->abcdfg",
                        "abcd,aecd->abec", "abcd,acde->abde", "abcd,abef->acdef", "abcd,abce->abde",
                        "ab,abc->ac", "abcd,aecd->acbe", "abcd,adbe->acbe"]>;

def Top_EinsumOp : Top_Op<"Einsum"> {
  let summary = "Sum of products over named axes (Einstein notation)";
  let description = [{
    `mode` names the axes of each operand, then those of the result; axes missing from the result are summed over.
  }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, EinsumMode:$mode);
  let results = (outs AnyTensor:$output);
}
