// Products of matrices.

def Top_MatMulOp : Top_Op<"MatMul"> {
  let summary = "Matrix product over the last two axes, plus bias";
  let description = [{ `[.., M, K] x [.., K, N] -> [.., M, N]`. Leading axes are broadcast. If `right` has two axes,
    trailing axes of `input` whose sizes multiply to K are joined, unless `left_transpose` is true. }];
  let arguments = (ins
    Arg<AnyTensor, "The left matrices: [.., M, K], or a vector of K elements">:$input,
    Arg<AnyTensor, "The right matrices: [.., K, N], or a vector of K elements">:$right,
    Arg<AnyTensorOrNone,
      "Added to the product: N elements, one per column, or a shape that broadcasts to the result's">:$bias,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether `right` is [.., N, K]">:$right_transpose,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether `input` is [.., K, M]">:$left_transpose,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether the result is [.., N, M]">:$output_transpose,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether axis 2 is that of the heads, and the chip multiplies the matrices of each head">:$hdim_is_batch,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether the result keeps its axes; otherwise all but the last are folded into one">:$keep_dims,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit,
    Arg<OptionalAttr<I64Attr>, "Bits of a quantized weight">:$weight_bits,
    Arg<OptionalAttr<F64Attr>, "Scale of the input of a layer in int4">:$in_int4_scale,
    Arg<OptionalAttr<F64Attr>, "Zero point of the input of a layer in int4">:$in_int4_zp,
    Arg<OptionalAttr<F64Attr>, "Scale of the output of a layer in int4">:$out_int8_scale,
    Arg<OptionalAttr<F64Attr>, "Zero point of the output of a layer in int4">:$out_int8_zp,
    Arg<DefaultValuedAttr<DequantType, "\"NONE\"">,
      "The format of quantized weights that the compiler dequantizes">:$dq_type,
    Arg<DefaultValuedAttr<I64Attr, "0">,
      "Number of quantized weights of a column that share a scale; 0 without groups">:$q_group_size,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether `right` belongs to a LoRA adapter">:$is_lora);
  let ignored = ["hdim_is_batch", "weight_bits", "in_int4_scale", "in_int4_zp", "out_int8_scale", "out_int8_zp",
    "dq_type", "q_group_size", "is_lora"];
  let results = (outs AnyTensor:$output);
}

def Top_A16MatMulOp : Top_Op<"A16MatMul"> {
  let summary = "Product with a matrix of packed integers, plus bias";
  let description = [{ `[.., K] x [K, N] -> [.., N]`. The matrix is `(weight - zp) * scale`; `weight`, `scale` and `zp`
    are stored transposed with `right_transpose`. }];
  let arguments = (ins
    Arg<AnyTensor, "The left matrices: floats, [.., M, K]">:$input,
    Arg<AnyTensor, "The integers: [K * weight_bits / 8, N], uint8, the first of a byte in its low bits">:$weight,
    Arg<AnyTensor, "Scales of the integers: [K / q_group_size, N], floats">:$scale,
    Arg<AnyTensor, "Zero points of the integers: [K / q_group_size, N], uint8">:$zp,
    Arg<AnyTensorOrNone, "Added to each column: N elements, floats">:$bias,
    Arg<DefaultValuedAttr<DequantType, "\"NONE\"">,
      "The format of the weights: `NONE`, `INT8` or `INT4`. `weight_bits` is what counts">:$dq_type,
    Arg<DefaultValuedAttr<I64Attr, "128">,
      "Number of rows of the matrix that share scale and zero point; a divisor of K">:$q_group_size,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether `weight` is [N, K * weight_bits / 8], and `scale` and `zp` are [N, K / q_group_size]">:$right_transpose,
    Arg<DefaultValuedAttr<I64Attr, "8">, "Bits of an integer: 4 or 8">:$weight_bits);
  let results = (outs AnyTensor:$output);
}

def Top_Fp8MatMulOp : Top_Op<"Fp8MatMul"> {
  let summary = "Product with a matrix of fp8e4m3 values, plus bias";
  let description = [{ `[.., K] x [K, N] -> [.., N]`. Each block of `block_size` x `block_size` weights has one entry of
    `weight_scale`. }];
  let arguments = (ins
    Arg<AnyTensor, "The left matrices: floats, [.., M, K]">:$input,
    Arg<AnyTensor, "The right matrix: [K, N], fp8e4m3">:$weight,
    Arg<AnyTensor,
      "A factor for each block: [ceil(K / block_size), ceil(N / block_size)], float32">:$weight_scale,
    Arg<AnyTensorOrNone, "Added to each column: N elements, floats">:$bias,
    Arg<DefaultValuedAttr<I64Attr, "128">, "Rows and columns of a block; at least 1">:$block_size,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether `weight` is [N, K], and `weight_scale` has its axes exchanged too">:$weight_transpose);
  let results = (outs AnyTensor:$output);
}

def Top_MlpOp : Top_Op<"Mlp"> {
  let summary = "Gated feed-forward block of a transformer: down(act(gate(x)) * up(x))";
  let description = [{ `gate`, `up` and `down` are products with a matrix, plus bias; `act` is SiLU. `gate` and `up`
    turn K elements into M, and `down` turns them back. With `is_expert` each weight and bias has an axis of
    `num_expert` before the others, and the result is [batch * length, num_expert_per_tok, K]. With `quantized` the
    matrices consist of integers in an order of the chip's; such a block is not computed. }];
  let arguments = (ins
    Arg<AnyTensor, "The tokens: [batch, length, K]">:$input,
    Arg<AnyTensor, "The matrix of `gate`: [K, M]">:$weight_gate,
    Arg<AnyTensor, "The matrix of `up`: [K, M]">:$weight_up,
    Arg<AnyTensor, "The matrix of `down`: [M, K]">:$weight_down,
    Arg<AnyTensorOrNone, "The bias of `gate`: M elements">:$bias_gate,
    Arg<AnyTensorOrNone, "The bias of `up`: M elements">:$bias_up,
    Arg<AnyTensorOrNone, "The bias of `down`: K elements">:$bias_down,
    Arg<AnyTensorOrNone,
      "With `is_expert`, `num_expert_per_tok` integers for each token, from 0 to num_expert - 1">:$expert_id,
    Arg<AnyTensorOrNone, "With `quantized`, the scales of `weight_gate`">:$scale_gate,
    Arg<AnyTensorOrNone, "With `quantized`, the scales of `weight_up`">:$scale_up,
    Arg<AnyTensorOrNone, "With `quantized`, the scales of `weight_down`">:$scale_down,
    Arg<AnyTensorOrNone, "With `quantized`, the zero points of `weight_gate`">:$zp_gate,
    Arg<AnyTensorOrNone, "With `quantized`, the zero points of `weight_up`">:$zp_up,
    Arg<AnyTensorOrNone, "With `quantized`, the zero points of `weight_down`">:$zp_down,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether there are several experts, of which `expert_id` selects some for each token">:$is_expert,
    Arg<DefaultValuedAttr<I64Attr, "1">, "Number of experts, at least 1">:$num_expert,
    Arg<DefaultValuedAttr<I64Attr, "1">,
      "Number of experts that each token passes through, at least 1">:$num_expert_per_tok,
    Arg<DefaultValuedAttr<I64Attr, "128">,
      "With `quantized`, number of rows of a matrix that share scale and zero point">:$q_group_size,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether the matrices consist of packed integers">:$quantized,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether `weight_down` is [K, M]">:$right_transpose_down,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether `weight_gate` is [M, K]">:$right_transpose_gate,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether `weight_up` is [M, K]">:$right_transpose_up,
    Arg<DefaultValuedAttr<I64Attr, "8">, "With `quantized`, bits of an integer">:$weight_bits);
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
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "The operands: one for each group of names in `mode`, with an axis for each name">:$inputs,
    Arg<EinsumMode,
      "The names of each operand's axes, then the result's; axes missing from the result are summed over">:$mode);
  let results = (outs AnyTensor:$output);
}
