// Sequences: what follows depends on a state carried along.

def Top_LSTMOp : Top_Op<"LSTM"> {
  let summary = "Long short-term memory over a sequence";
  let description = [{ The gates are in the order input, output, forget, cell; directions is 2 if `bidirectional`,
    else 1. The shapes are those without `batch_first`; with it, the batch is the first axis of `input`, of the
    initial states and of the results. }];
  let arguments = (ins
    Arg<AnyTensor, "The sequences: [length, batch, size], or [batch, length, size] with `batch_first`">:$input,
    Arg<AnyTensor, "The weights of `input`: [directions, 4 * hidden_size, size]">:$filter,
    Arg<AnyTensor, "The weights of the hidden state: [directions, 4 * hidden_size, hidden_size]">:$recurrence,
    Arg<AnyTensorOrNone,
      "The bias: [directions, 8 * hidden_size], that of `filter`, then that of `recurrence`; 0 if none">:$bias,
    Arg<AnyTensorOrNone,
      "The hidden state before the first step: [directions, batch, hidden_size]; 0 if none">:$initial_h,
    Arg<AnyTensorOrNone,
      "The cell state before the first step: [directions, batch, hidden_size]; 0 if none">:$initial_c,
    Arg<AnyTensorOrNone,
      "The factors of both states before each step: [length, batch]. Where one is 0, a sequence restarts">:$cont,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether the batch is the first axis of `input`, of the initial states and of the results">:$batch_first,
    Arg<BoolAttr, "Whether a second direction reads the sequence backwards">:$bidirectional,
    Arg<I64Attr, "Number of elements of a hidden state, at least 1">:$hidden_size);
  let results = (outs
    Res<AnyTensorOrNone,
      "The hidden states of all steps: [length, directions, batch, hidden_size]">:$Y,
    Res<AnyTensorOrNone, "The last hidden state, of the shape of `initial_h`">:$Y_h,
    Res<AnyTensorOrNone, "The last cell state, of the shape of `initial_c`">:$Y_c);
}

def Top_GRUOp : Top_Op<"GRU"> {
  let summary = "Gated recurrent unit over a sequence";
  let description = [{ The gates are in the order update, reset, hidden; directions is 2 if `bidirectional`, else 1.
    The shapes are those without `batch_first`; with it, the batch is the first axis as in LSTM. }];
  let arguments = (ins
    Arg<AnyTensor, "The sequences: [length, batch, size], or [batch, length, size] with `batch_first`">:$input,
    Arg<AnyTensor, "The weights of `input`: [directions, 3 * hidden_size, size]">:$filter,
    Arg<AnyTensor, "The weights of the hidden state: [directions, 3 * hidden_size, hidden_size]">:$recurrence,
    Arg<AnyTensorOrNone,
      "The bias: [directions, 6 * hidden_size], that of `filter`, then that of `recurrence`; 0 if none">:$bias,
    Arg<AnyTensorOrNone,
      "The hidden state before the first step: [directions, batch, hidden_size]; 0 if none">:$initial_h,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether the batch is the first axis of `input`, of the initial state and of the results">:$batch_first,
    Arg<BoolAttr, "Whether a second direction reads the sequence backwards">:$bidirectional,
    Arg<I64Attr, "Number of elements of a hidden state, at least 1">:$hidden_size,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether the reset gate is applied after the product with `recurrence`, not before">:$linear_before_reset);
  let results = (outs
    Res<AnyTensorOrNone,
      "The hidden states of all steps: [length, directions, batch, hidden_size]">:$Y,
    Res<AnyTensorOrNone, "The last hidden state, of the shape of `initial_h`">:$Y_h);
}

def Top_RecurrentGatedDeltaRuleOp : Top_Op<"RecurrentGatedDeltaRule"> {
  let summary = "One step of linear attention by the gated delta rule";
  let description = [{ The state, one matrix per head, becomes `s = exp(g) * s`, then
    `s = s + outer(key, beta * (value - s^T key))`; the result is `s^T (scale * query)`. }];
  let arguments = (ins
    Arg<AnyTensor, "The query: [batch, 1, num_k_heads, d]">:$query,
    Arg<AnyTensor, "The key: [batch, 1, num_k_heads, d]">:$key,
    Arg<AnyTensor, "The value: [batch, 1, num_v_heads, d]">:$value,
    Arg<AnyTensor, "The logarithm of the state's decay: [batch, 1, num_v_heads]">:$g,
    Arg<AnyTensor, "The factor of the state's update: [batch, 1, num_v_heads]">:$beta,
    Arg<AnyTensor, "The state before the step: [batch, num_v_heads, d, d]">:$recurrent_state,
    Arg<I64Attr, "Number of elements of a head, at least 1">:$d,
    Arg<I64Attr, "Number of heads of `query` and `key`, which divides `num_v_heads`">:$num_k_heads,
    Arg<I64Attr, "Number of heads of `value`; consecutive ones share a head of `query` and `key`">:$num_v_heads,
    Arg<F64Attr, "The factor of `query`">:$scale,
    Arg<BoolAttr, "Whether `query` and `key` are first divided by their norm, sqrt(sum(x^2) + 1e-6)">:$use_qk_l2norm);
  let results = (outs AnyTensor:$attn_out);
}

def Top_ChunkGatedDeltaRuleOp : Top_Op<"ChunkGatedDeltaRule"> {
  let summary = "Linear attention by the gated delta rule over a sequence, chunk by chunk";
  let description = [{ The same as RecurrentGatedDeltaRule over a whole sequence. The masks and `eye` are constants by
    which a chip computes a chunk at once; they change no result. }];
  let arguments = (ins
    Arg<AnyTensor, "The queries: [batch, length, num_k_heads, d]">:$query,
    Arg<AnyTensor, "The keys: [batch, length, num_k_heads, d]">:$key,
    Arg<AnyTensor, "The values: [batch, length, num_v_heads, d]">:$value,
    Arg<AnyTensor, "The logarithm of the state's decay at each step: [batch, length, num_v_heads]">:$g,
    Arg<AnyTensor, "The factor of the state's update at each step: [batch, length, num_v_heads]">:$beta,
    Arg<AnyTensor, "The state before the first step: [batch, num_v_heads, d, d]">:$recurrent_state,
    Arg<AnyTensor, "Ones in the upper triangle: [chunk_size, chunk_size]">:$triu_mask,
    Arg<AnyTensor, "Ones in the upper triangle without the diagonal: [chunk_size, chunk_size]">:$strict_triu_mask,
    Arg<AnyTensor, "Ones in the lower triangle: [chunk_size, chunk_size]">:$tril_mask,
    Arg<AnyTensor, "The identity matrix: [chunk_size, chunk_size]">:$eye,
    Arg<I64Attr, "Number of steps that a chip computes at once">:$chunk_size,
    Arg<I64Attr, "Number of elements of a head, at least 1">:$d,
    Arg<I64Attr, "Number of heads of `query` and `key`, which divides `num_v_heads`">:$num_k_heads,
    Arg<I64Attr, "Number of heads of `value`; consecutive ones share a head of `query` and `key`">:$num_v_heads,
    Arg<F64Attr, "The factor of `query`">:$scale,
    Arg<BoolAttr, "Whether `query` and `key` are first divided by their norm, sqrt(sum(x^2) + 1e-6)">:$use_qk_l2norm);
  let ignored = ["chunk_size"];
  let results = (outs AnyTensor:$attn_out);
}

def Top_SelectiveScanOp : Top_Op<"SelectiveScan"> {
  let summary = "Scan of a state space model, forwards and backwards (VMamba)";
  let description = [{
    Along the sequence `h = deltaA * h + deltaB_u` and `y = Cs * h`; `us * Ds` is added if `Ds` is given. The first
    half of the channels is scanned forwards, the second half backwards; their number is even. The result is
    [length, channels, batch].
  }];
  let arguments = (ins
    Arg<AnyTensor, "The factors of the state in the result: [length, channels, 1, batch]">:$Cs,
    Arg<AnyTensor, "The factors of the state at each step: [1, channels, length, batch]">:$deltaA,
    Arg<AnyTensor, "Added to the state at each step: [1, channels, length, batch]">:$deltaB_u,
    Arg<AnyTensor, "The inputs, which only `Ds` uses: [length, channels, batch]">:$us,
    Arg<AnyTensorOrNone, "The factor of `us` in each channel: channels elements">:$Ds);
  let results = (outs AnyTensor:$output);
}
