// Sequences: what follows depends on a state carried along.

def Top_LSTMOp : Top_Op<"LSTM"> {
  let summary = "Long short-term memory over a sequence";
  let description = [{ `input` is [length, batch, size], or [batch, length, size] with
    `batch_first`. `filter` is [directions, 4 * hidden_size, size] and `recurrence`
    [directions, 4 * hidden_size, hidden_size], in the order input, output, forget, cell; `bias` is
    [directions, 8 * hidden_size]: that of `filter`, then that of `recurrence`. `Y` holds the hidden
    states of all steps, [length, directions, batch, hidden_size], `Y_h` and `Y_c` the last hidden and cell
    state, [directions, batch, hidden_size] as the initial ones; with `batch_first` the batch is the first axis. Where
    `cont` is 0 a sequence restarts. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$filter, AnyTensor:$recurrence,
    AnyTensorOrNone:$bias, AnyTensorOrNone:$initial_h, AnyTensorOrNone:$initial_c,
    AnyTensorOrNone:$cont,
    DefaultValuedAttr<BoolAttr, "false">:$batch_first,
    BoolAttr:$bidirectional, I64Attr:$hidden_size);
  let results = (outs AnyTensorOrNone:$Y, AnyTensorOrNone:$Y_h, AnyTensorOrNone:$Y_c);
}

def Top_GRUOp : Top_Op<"GRU"> {
  let summary = "Gated recurrent unit over a sequence";
  let description = [{ Shapes are like LSTM's, with 3 in place of 4 and 6 in place of 8, in the order
    update, reset, hidden. With `linear_before_reset`, the reset gate is applied after the product
    with `recurrence`, not before. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$filter, AnyTensor:$recurrence,
    AnyTensorOrNone:$bias, AnyTensorOrNone:$initial_h,
    DefaultValuedAttr<BoolAttr, "false">:$batch_first,
    BoolAttr:$bidirectional, I64Attr:$hidden_size,
    DefaultValuedAttr<BoolAttr, "true">:$linear_before_reset);
  let results = (outs AnyTensorOrNone:$Y, AnyTensorOrNone:$Y_h);
}

def Top_RecurrentGatedDeltaRuleOp : Top_Op<"RecurrentGatedDeltaRule"> {
  let summary = "One step of linear attention by the gated delta rule";
  let description = [{ The state, one matrix per head, becomes `s = exp(g) * s`, then
    `s = s + outer(key, beta * (value - s^T key))`; the result is `s^T (scale * query)`. `query` and
    `key` are [batch, 1, num_k_heads, d], `value` is [batch, 1, num_v_heads, d], `g` and `beta` are
    [batch, 1, num_v_heads], `recurrent_state` is [batch, num_v_heads, d, d]. `use_qk_l2norm`
    divides `query` and `key` by their norm first. }];
  let arguments = (ins AnyTensor:$query, AnyTensor:$key, AnyTensor:$value, AnyTensor:$g,
    AnyTensor:$beta, AnyTensor:$recurrent_state, I64Attr:$d, I64Attr:$num_k_heads,
    I64Attr:$num_v_heads, F64Attr:$scale, BoolAttr:$use_qk_l2norm);
  let results = (outs AnyTensor:$attn_out);
}

def Top_ChunkGatedDeltaRuleOp : Top_Op<"ChunkGatedDeltaRule"> {
  let summary = "Linear attention by the gated delta rule over a sequence, chunk by chunk";
  let description = [{ The same as RecurrentGatedDeltaRule over a whole sequence. The masks and `eye` are
    constants, [chunk_size, chunk_size]. }];
  let arguments = (ins AnyTensor:$query, AnyTensor:$key, AnyTensor:$value, AnyTensor:$g,
    AnyTensor:$beta, AnyTensor:$recurrent_state, AnyTensor:$triu_mask, AnyTensor:$strict_triu_mask,
    AnyTensor:$tril_mask, AnyTensor:$eye, I64Attr:$chunk_size, I64Attr:$d, I64Attr:$num_k_heads,
    I64Attr:$num_v_heads, F64Attr:$scale, BoolAttr:$use_qk_l2norm);
  let results = (outs AnyTensor:$attn_out);
}

def Top_SelectiveScanOp : Top_Op<"SelectiveScan"> {
  let summary = "Scan of a state space model, forwards and backwards (VMamba)";
  let description = [{
    Along the sequence `h = deltaA * h + deltaB_u` and `y = Cs * h`; `us * Ds` is added if `Ds` is given. The first
    half of the channels is scanned forwards, the second half backwards. `Cs` is [length, channels, 1, batch],
    `deltaA` and `deltaB_u` are [1, channels, length, batch]; the result is [length, channels, batch].
  }];
  let arguments = (ins AnyTensor:$Cs, AnyTensor:$deltaA, AnyTensor:$deltaB_u, AnyTensor:$us,
    AnyTensorOrNone:$Ds);
  let results = (outs AnyTensor:$output);
}
