// Attention of transformers, and the position embedding that goes with it.

def Top_ScaleDotProductAttentionOp : Top_Op<"ScaleDotProductAttention"> {
  let summary = "softmax(scale * Q K^T + mask) V";
  let description = [{
    `query` is [.., queries, elements], `key` [.., keys, elements], `value` [.., keys, elements of the result]. A
    `scale` of 0, as by default, or infinity stands for 1 / sqrt(elements). `mask` is broadcast to [.., queries,
    keys]. With `is_causal`, a query sees the keys up to its own position only.
  }];
  let arguments = (ins AnyTensor:$query, AnyTensor:$key, AnyTensor:$value, AnyTensorOrNone:$mask,
    DefaultValuedAttr<F64Attr, "0.0">:$dropout_p,
    DefaultValuedAttr<BoolAttr, "false">:$is_causal,
    DefaultValuedAttr<F64Attr, "0.0">:$scale);
  let ignored = ["dropout_p"];
  let results = (outs AnyTensor:$output);
}

def Top_AttentionOp : Top_Op<"Attention"> {
  let summary = "Multi-head attention with its projections";
  let description = [{
    `input` (for the queries), `keys` and `values` are multiplied by their weights and split into `head` heads; each
    head is softmax(scale * Q K^T + mask) V, and the joined heads are multiplied by `out_weight`.
  }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$keys, AnyTensor:$values,
    AnyTensor:$queries_weight, AnyTensorOrNone:$queries_bias, AnyTensor:$keys_weight,
    AnyTensorOrNone:$keys_bias, AnyTensor:$values_weight, AnyTensorOrNone:$values_bias,
    AnyTensor:$out_weight, AnyTensorOrNone:$out_bias, AnyTensorOrNone:$mask,
    DefaultValuedAttr<I64Attr, "0">:$dim,
    DefaultValuedAttr<I64Attr, "0">:$has_bias,
    I64Attr:$head, F64Attr:$scale,
    DefaultValuedAttr<F64ArrayAttr, "{1.0}">:$scale_param,
    DefaultValuedAttr<I64ArrayAttr, "{0}">:$zp_param);
  let ignored = ["dim", "has_bias", "scale_param", "zp_param"];
  let results = (outs AnyTensor:$output);
}

class Top_FlashAttentionOp<string mnemonic> : Top_Op<mnemonic> {
  let arguments = (ins AnyTensor:$queries, AnyTensor:$keys, AnyTensor:$values,
    AnyTensorOrNone:$mask, AnyTensorOrNone:$buffer, I64Attr:$batch, I64Attr:$dim,
    DefaultValuedAttr<BoolAttr, "true">:$keep_dims,
    I64Attr:$kv_head,
    DefaultValuedAttr<SI32Attr, "0">:$mask_size,
    I64Attr:$mk, I64Attr:$mq, I64Attr:$q_head, F64Attr:$scale);
}

def Top_FAttentionOp : Top_FlashAttentionOp<"FAttention"> {
  let summary = "softmax(scale * Q K^T + mask) V, computed by blocks (flash attention)";
  let description = [{
    `q_head` heads of queries share `kv_head` heads of keys and values; `mq` and `mk` are the lengths of queries and
    keys, `dim` is the size of a head. With a `mask_size` other than 0, `mask` is the causal mask that hides keys
    after the query, with the last query at the last key. Without `keep_dims`, head and element are one axis of the
    result.
  }];
  let results = (outs AnyTensor:$output);
}

def Top_FAttentionLseOp : Top_FlashAttentionOp<"FAttentionLse"> {
  let summary = "FAttention, and the logarithm of the sum that the softmax divides by";
  let description = [{ `lse` is float32, [batch, mq, q_head], with a last axis of 1 where
    `keep_dims` is true. }];
  let results = (outs AnyTensor:$output, AnyTensor:$lse);
}

def Top_FlexAttentionOp : Top_Op<"FlexAttention"> {
  let summary = "FAttention with values of their own size and a map of hidden blocks";
  let description = [{
    `queries` are [batch, mq, q_head, qk_d], `keys` [batch, mk, kv_head, qk_d], `values` [batch, mk, kv_head, v_d];
    `mask`, [batch, mq, 1, mk], is added. `block_bitmap` has one entry for each square of `flex_block` queries and
    keys. A chip skips squares whose entry is 0, which `mask` must hide as well: the result is computed from `mask`
    alone. `lse` is like FAttentionLse's, with `has_lse` only.
  }];
  let arguments = (ins AnyTensor:$queries, AnyTensor:$keys, AnyTensor:$values,
    AnyTensorOrNone:$mask, AnyTensorOrNone:$block_bitmap, AnyTensorOrNone:$buffer, I64Attr:$batch,
    DefaultValuedAttr<SI32Attr, "128">:$flex_block,
    DefaultValuedAttr<BoolAttr, "false">:$has_lse,
    DefaultValuedAttr<BoolAttr, "true">:$keep_dims,
    I64Attr:$kv_head,
    DefaultValuedAttr<SI32Attr, "0">:$mask_size,
    I64Attr:$mk, I64Attr:$mq, I64Attr:$q_head, I64Attr:$qk_d, F64Attr:$scale, I64Attr:$v_d);
  let results = (outs AnyTensor:$output, AnyTensor:$lse);
}

def RopeMode : OneOf<["interleaved_pairs", "contiguous_halves"]>;

def Top_RopeOp : Top_Op<"Rope", [QuantTransparent]> {
  let summary = "Rotary position embedding: rotates each pair of elements by an angle";
  let description = [{ `input2` holds the sines, `input3` the cosines, both broadcast to `input1`: a
    pair (a, b) becomes (a cos - b sin, b cos + a sin). Pairs are elements 2i and 2i + 1 of the last
    axis (`interleaved_pairs`), or i and i + d / 2 (`contiguous_halves`). The shifts, roundings and
    saturations are for integers: of the product with the cosine or sine, and of the sum. }];
  let arguments = (ins AnyTensor:$input1, AnyTensor:$input2, AnyTensor:$input3,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$add_round_mode,
    DefaultValuedAttr<BoolAttr, "true">:$add_saturation,
    DefaultValuedAttr<SI32Attr, "0">:$add_shift,
    DefaultValuedAttr<BoolAttr, "false">:$force_f32,
    DefaultValuedAttr<BoolAttr, "false">:$is_permute_optimize,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$mul1_round_mode,
    DefaultValuedAttr<BoolAttr, "true">:$mul1_saturation,
    DefaultValuedAttr<SI32Attr, "0">:$mul1_shift,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$mul2_round_mode,
    DefaultValuedAttr<BoolAttr, "true">:$mul2_saturation,
    DefaultValuedAttr<SI32Attr, "0">:$mul2_shift,
    DefaultValuedAttr<RopeMode, "\"interleaved_pairs\"">:$rope_mode);
  let ignored = ["force_f32"];
  let results = (outs AnyTensor:$output);
}
