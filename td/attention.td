// Attention of transformers, and the position embedding that goes with it.

def Top_ScaleDotProductAttentionOp : Top_Op<"ScaleDotProductAttention"> {
  let summary = "softmax(scale * Q K^T + mask) V";
  let arguments = (ins
    Arg<AnyTensor, "The queries: [.., queries, elements]">:$query,
    Arg<AnyTensor, "The keys: [.., keys, elements]">:$key,
    Arg<AnyTensor, "The values: [.., keys, elements of the result]">:$value,
    Arg<AnyTensorOrNone, "Added to the scaled products; broadcast to [.., queries, keys]">:$mask,
    Arg<DefaultValuedAttr<F64Attr, "0.0">, "The probability of dropout, in training">:$dropout_p,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether a query sees the keys up to its own position only">:$is_causal,
    Arg<DefaultValuedAttr<F64Attr, "0.0">,
      "The factor of the products; 0 or infinity stands for 1 / sqrt(elements)">:$scale);
  let ignored = ["dropout_p"];
  let results = (outs AnyTensor:$output);
}

def Top_AttentionOp : Top_Op<"Attention"> {
  let summary = "Multi-head attention with its projections";
  let description = [{
    `input`, `keys` and `values` are multiplied by their weights and split into `head` heads; each head is
    softmax(scale * Q K^T + mask) V, and the joined heads are multiplied by `out_weight`. The columns of the
    weights are the elements of all heads.
  }];
  let arguments = (ins
    Arg<AnyTensor, "What the queries are made of: [batch, queries, elements]">:$input,
    Arg<AnyTensor, "What the keys are made of: [batch, keys, elements]">:$keys,
    Arg<AnyTensor, "What the values are made of: [batch, keys, elements]">:$values,
    Arg<AnyTensor, "The weights of the queries: [elements of `input`, columns]">:$queries_weight,
    Arg<AnyTensorOrNone, "Added to each query: one element per column">:$queries_bias,
    Arg<AnyTensor, "The weights of the keys: [elements of `keys`, columns]">:$keys_weight,
    Arg<AnyTensorOrNone, "Added to each key: one element per column">:$keys_bias,
    Arg<AnyTensor, "The weights of the values: [elements of `values`, columns]">:$values_weight,
    Arg<AnyTensorOrNone, "Added to each value: one element per column">:$values_bias,
    Arg<AnyTensor, "The weights of the result: [columns, elements of the result]">:$out_weight,
    Arg<AnyTensorOrNone, "Added to each row of the result: one element per column of `out_weight`">:$out_bias,
    Arg<AnyTensorOrNone, "Added to the scaled products of each head; broadcast to [batch, queries, keys]">:$mask,
    Arg<DefaultValuedAttr<I64Attr, "0">, "Number of elements of each head">:$dim,
    Arg<DefaultValuedAttr<I64Attr, "0">,
      "The sum of 1, 2, 4 and 8 for a bias of the queries, the keys, the values and the result">:$has_bias,
    Arg<I64Attr, "Number of heads; divides the columns">:$head,
    Arg<F64Attr, "The factor of the products of queries and keys">:$scale,
    Arg<DefaultValuedAttr<F64ArrayAttr, "{1.0}">,
      "Scales of the intermediate results of a quantized layer">:$scale_param,
    Arg<DefaultValuedAttr<I64ArrayAttr, "{0}">,
      "Zero points of the intermediate results of a quantized layer">:$zp_param);
  let ignored = ["dim", "has_bias", "scale_param", "zp_param"];
  let results = (outs AnyTensor:$output);
}

def AttentionBuffer : Arg<AnyTensorOrNone, "Memory for the chip's own use; not read">;
def AttentionBatch : Arg<I64Attr, "The batch size">;
def AttentionKeepDims : Arg<DefaultValuedAttr<BoolAttr, "true">,
  "Whether heads and elements are two axes of the result, not one">;
def AttentionKvHead : Arg<I64Attr, "Number of heads of keys and values; divides `q_head`">;
def AttentionMaskSize : Arg<DefaultValuedAttr<SI32Attr, "0">,
  "If not 0, `mask` is not read, but stands for the causal mask. Without `mask` it has no effect">;
def AttentionMk : Arg<I64Attr, "Number of keys and values">;
def AttentionMq : Arg<I64Attr, "Number of queries">;
def AttentionQHead : Arg<I64Attr, "Number of heads of queries">;
def AttentionScale : Arg<F64Attr, "The factor of the products of queries and keys">;

class Top_FlashAttentionOp<string mnemonic> : Top_Op<mnemonic> {
  let arguments = (ins
    Arg<AnyTensor, "The queries: [batch, mq, q_head, dim]">:$queries,
    Arg<AnyTensor, "The keys: [batch, mk, kv_head, dim]">:$keys,
    Arg<AnyTensor, "The values: [batch, mk, kv_head, dim]">:$values,
    Arg<AnyTensorOrNone,
      "Added to the scaled products of each head: mq * mk elements, for all batches or for each">:$mask,
    AttentionBuffer:$buffer,
    AttentionBatch:$batch,
    Arg<I64Attr, "Number of elements of each head">:$dim,
    AttentionKeepDims:$keep_dims,
    AttentionKvHead:$kv_head,
    AttentionMaskSize:$mask_size,
    AttentionMk:$mk,
    AttentionMq:$mq,
    AttentionQHead:$q_head,
    AttentionScale:$scale);
}

def Top_FAttentionOp : Top_FlashAttentionOp<"FAttention"> {
  let summary = "softmax(scale * Q K^T + mask) V, computed by blocks (flash attention)";
  let description = [{
    `q_head` heads of queries share `kv_head` heads of keys and values. The causal mask hides keys after the query,
    with the last query at the last key. The result is [batch, mq, q_head, dim], or [batch, mq, q_head * dim] without
    `keep_dims`.
  }];
  let results = (outs AnyTensor:$output);
}

def Top_FAttentionLseOp : Top_FlashAttentionOp<"FAttentionLse"> {
  let summary = "FAttention, and the logarithm of the sum that the softmax divides by";
  let results = (outs
    Res<AnyTensor, "The result of FAttention">:$output,
    Res<AnyTensor,
      "The logarithms, in float32: [batch, mq, q_head], with a last axis of 1 if `keep_dims` is true">:$lse);
}

def Top_FlexAttentionOp : Top_Op<"FlexAttention"> {
  let summary = "FAttention with values of their own size and a map of hidden blocks";
  let description = [{
    A chip skips the squares whose entry of `block_bitmap` is 0, which `mask` must hide as well: the result is computed
    from `mask` alone.
  }];
  let arguments = (ins
    Arg<AnyTensor, "The queries: [batch, mq, q_head, qk_d]">:$queries,
    Arg<AnyTensor, "The keys: [batch, mk, kv_head, qk_d]">:$keys,
    Arg<AnyTensor, "The values: [batch, mk, kv_head, v_d]">:$values,
    Arg<AnyTensorOrNone,
      "Added to the scaled products of each head: mq * mk elements for all batches, or [batch, mq, 1, mk]">:$mask,
    Arg<AnyTensorOrNone,
      "One entry for each square of `flex_block` queries and keys: [mq / flex_block, mk / flex_block], rounded up"
    >:$block_bitmap,
    AttentionBuffer:$buffer,
    AttentionBatch:$batch,
    Arg<DefaultValuedAttr<SI32Attr, "128">,
      "Number of queries and keys of a square of `block_bitmap`, at least 1">:$flex_block,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether `lse` is computed">:$has_lse,
    AttentionKeepDims:$keep_dims,
    AttentionKvHead:$kv_head,
    AttentionMaskSize:$mask_size,
    AttentionMk:$mk,
    AttentionMq:$mq,
    AttentionQHead:$q_head,
    Arg<I64Attr, "Number of elements of each query and key">:$qk_d,
    AttentionScale:$scale,
    Arg<I64Attr, "Number of elements of each value">:$v_d);
  let results = (outs
    Res<AnyTensor, "The attention: [batch, mq, q_head, v_d], the last two axes joined without `keep_dims`">:$output,
    Res<AnyTensor, "Like that of FAttentionLse with `has_lse`; otherwise a single 0">:$lse);
}

def RopeMode : OneOf<["interleaved_pairs", "contiguous_halves"]>;

def Top_RopeOp : Top_Op<"Rope", [QuantTransparent]> {
  let summary = "Rotary position embedding: rotates each pair of elements by an angle";
  let description = [{ A pair (a, b) becomes (a cos - b sin, b cos + a sin). The shifts, roundings and saturations
    are for integers: of the product with the sine (`mul1`), of that with the cosine (`mul2`), and of their sum.
    Products saturate to 16 bits for 8-bit inputs, otherwise to 32 bits. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor; its last axis, of even size, consists of pairs">:$input1,
    Arg<AnyTensor, "The sines, broadcast to `input1`; integers if that has integers">:$input2,
    Arg<AnyTensor, "The cosines, broadcast to `input1`; integers if that has integers">:$input3,
    Arg<DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">, "How the shifted sum is rounded">:$add_round_mode,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether the chip saturates the sum; here it always saturates">:$add_saturation,
    Arg<DefaultValuedAttr<SI32Attr, "0">,
      "Bits by which the sum is shifted to the left, or to the right if negative">:$add_shift,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether the tool chain lowers it to float32 where others become bfloat16">:$force_f32,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether axis 1 of four, not axis 2, has the positions; only a chip needs to know">:$is_permute_optimize,
    Arg<DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">,
      "How the shifted product with the sine is rounded">:$mul1_round_mode,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether the chip saturates the product with the sine; here it always saturates">:$mul1_saturation,
    Arg<DefaultValuedAttr<SI32Attr, "0">,
      "Bits by which the product with the sine is shifted to the left, or to the right if negative">:$mul1_shift,
    Arg<DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">,
      "How the shifted product with the cosine is rounded">:$mul2_round_mode,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether the chip saturates the product with the cosine; here it always saturates">:$mul2_saturation,
    Arg<DefaultValuedAttr<SI32Attr, "0">,
      "Bits by which the product with the cosine is shifted to the left, or to the right if negative">:$mul2_shift,
    Arg<DefaultValuedAttr<RopeMode, "\"interleaved_pairs\"">,
      "Which of d elements are pairs: 2i and 2i + 1 (`interleaved_pairs`), or i and i + d / 2 (`contiguous_halves`)"
    >:$rope_mode);
  let ignored = ["add_saturation", "force_f32", "is_permute_optimize", "mul1_saturation", "mul2_saturation"];
  let results = (outs AnyTensor:$output);
}
