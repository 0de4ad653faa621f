// Normalization.

def NormChannelFactor : Arg<AnyTensorOrNone, "The factor of each channel: c elements; 1 if absent">;
def NormChannelAddend : Arg<AnyTensorOrNone, "Added to each channel: c elements; 0 if absent">;
def NormEps : Arg<F64Attr, "Added to the variance, so that it is not 0">;

def Top_BatchNormOp : Top_Op<"BatchNorm"> {
  let summary = "(x - mean) / sqrt(variance + epsilon) * gamma + beta, per channel (axis 1)";
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ..]">:$input,
    Arg<AnyTensor, "The mean of each channel: c elements">:$mean,
    Arg<AnyTensor, "The variance of each channel: c elements, not negative">:$variance,
    NormChannelFactor:$gamma,
    NormChannelAddend:$beta,
    Arg<DefaultValuedAttr<F64Attr, "1e-05">, "Added to the variance, so that it is not 0">:$epsilon,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit);
  let results = (outs AnyTensor:$output);
}

class Top_AxisNormOp<string mnemonic> : Top_Op<mnemonic> {
  let arguments = (ins
    Arg<AnyTensor, "The tensor">:$input,
    Arg<AnyTensorOrNone, "Factors: as many elements as the normalized axes have; 1 if absent">:$weight,
    Arg<AnyTensorOrNone, "Addends: as many elements as the normalized axes have; 0 if absent">:$bias,
    Arg<I64ArrayAttr, "The dimensions of the normalized axes, or an empty list. Only `axis` counts">:$normalized_shape,
    Arg<SI32Attr, "The first normalized axis; negative values count from the end">:$axis,
    NormEps:$eps);
}

def Top_LayerNormOp : Top_AxisNormOp<"LayerNorm"> {
  let summary = "Normalization over axis and all axes after it";
  let description = [{ `(x - mean) / sqrt(var + eps) * weight + bias`, var the biased variance. }];
  let results = (outs AnyTensor:$output);
  let ignored = ["normalized_shape"];
}

def Top_RMSNormOp : Top_Op<"RMSNorm"> {
  let summary = "x / sqrt(mean(x^2) + eps) * gamma, over the last axis";
  let arguments = (ins
    Arg<AnyTensor, "The tensor, of at least one axis">:$input,
    Arg<AnyTensorOrNone, "Factors: as many elements as the last axis has; 1 if absent">:$gamma,
    Arg<F64Attr, "Added to the mean of the squares, so that it is not 0">:$eps,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether `gamma` stays float32 on a chip that computes in 16 bits">:$weight_keep_f32);
  let ignored = ["weight_keep_f32"];
  let results = (outs AnyTensor:$output);
}

class Top_GroupedNormOp<string mnemonic> : Top_Op<mnemonic> {
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ..]">:$input,
    NormChannelFactor:$weight,
    NormChannelAddend:$bias,
    NormEps:$eps,
    Arg<I64Attr, "Number of groups of channels: a divisor of c">:$num_groups);
}

def Top_GroupNormOp : Top_GroupedNormOp<"GroupNorm"> {
  let summary = "Normalization over groups of channels";
  let description = [{
    `(x - mean) / sqrt(var + eps) * weight + bias`, over `num_groups` equal groups of channels (axis 1), each with
    all following axes.
  }];
  let results = (outs AnyTensor:$output);
}

class Top_ChannelNormOp<string mnemonic> : Top_Op<mnemonic> {
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ..]">:$input,
    NormChannelFactor:$weight,
    NormChannelAddend:$bias,
    NormEps:$eps);
  let results = (outs AnyTensor:$output);
}

def Top_InstanceNormOp : Top_ChannelNormOp<"InstanceNorm"> {
  let summary = "Normalization of each channel over its spatial axes";
  let description = [{ `(x - mean) / sqrt(var + eps) * weight + bias`. }];
}

def Top_PixelNormOp : Top_ChannelNormOp<"PixelNorm"> {
  let summary = "Normalization over the channels (axis 1) at each position";
  let description = [{ `(x - mean) / sqrt(var + eps) * weight + bias`. }];
}

def Top_LRNOp : Top_Op<"LRN"> {
  let summary = "x / (bias + alpha / size * sum(x^2))^beta, the sum over size neighboring channels";
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ..]">:$input,
    Arg<DefaultValuedAttr<F64Attr, "0.0001">, "The factor of the mean of the squares">:$alpha,
    Arg<DefaultValuedAttr<F64Attr, "0.75">, "The exponent of the divisor">:$beta,
    Arg<DefaultValuedAttr<F64Attr, "1.0">, "Added before the power is taken">:$bias,
    Arg<I64Attr,
      "Number of channels in a sum, at least 1; if even, one more lies after the channel than before it">:$size);
  let results = (outs AnyTensor:$output);
}

def Top_NormalizeOp : Top_Op<"Normalize"> {
  let summary = "x divided by its Euclidean norm over the channels, times scale";
  let description = [{ There is no epsilon: 0 / 0 is NaN. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ..]">:$input,
    Arg<AnyTensor, "The factor of each channel: c elements">:$scale,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether the norm is taken over the spatial axes too">:$across_spatial,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether all elements of `scale` are equal">:$channel_shared);
  let ignored = ["channel_shared"];
  let results = (outs AnyTensor:$output);
}

def Top_ScaleOp : Top_Op<"Scale"> {
  let summary = "x * scale + bias, per channel (axis 1)";
  let description = [{ The tool chain replaces batch normalizations with it. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ..]">:$input,
    Arg<AnyTensor, "The factor of each channel: c elements">:$scale,
    Arg<AnyTensor, "Added to each channel: c elements">:$bias,
    DoRelu:$do_relu,
    ReluLimit:$relu_limit);
  let results = (outs AnyTensor:$output);
}
