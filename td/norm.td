// Normalization.

def Top_BatchNormOp : Top_Op<"BatchNorm"> {
  let summary = "(x - mean) / sqrt(variance + epsilon) * gamma + beta, per channel (axis 1)";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$mean, AnyTensor:$variance,
    AnyTensorOrNone:$gamma, AnyTensorOrNone:$beta,
    DefaultValuedAttr<F64Attr, "1e-05">:$epsilon,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit);
  let results = (outs AnyTensor:$output);
}

class Top_AxisNormOp<string mnemonic> : Top_Op<mnemonic> {
  let arguments = (ins AnyTensor:$input, AnyTensorOrNone:$weight, AnyTensorOrNone:$bias,
    I64ArrayAttr:$normalized_shape, SI32Attr:$axis, F64Attr:$eps);
}

def Top_LayerNormOp : Top_AxisNormOp<"LayerNorm"> {
  let summary = "Normalization over axis and all axes after it";
  let description = [{ `(x - mean) / sqrt(var + eps) * weight + bias`, var the biased variance. }];
  let results = (outs AnyTensor:$output);
}

def Top_RMSNormOp : Top_Op<"RMSNorm"> {
  let summary = "x / sqrt(mean(x^2) + eps) * gamma, over the last axis";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, AnyTensorOrNone:$gamma, F64Attr:$eps,
    DefaultValuedAttr<BoolAttr, "false">:$weight_keep_f32);
  let ignored = ["weight_keep_f32"];
  let results = (outs AnyTensor:$output);
}

class Top_GroupedNormOp<string mnemonic> : Top_Op<mnemonic> {
  let arguments = (ins AnyTensor:$input, AnyTensorOrNone:$weight, AnyTensorOrNone:$bias,
    F64Attr:$eps, I64Attr:$num_groups);
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
  let arguments = (ins AnyTensor:$input, AnyTensorOrNone:$weight, AnyTensorOrNone:$bias,
    F64Attr:$eps);
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
  let description = [{ }];
  let arguments = (ins AnyTensor:$input,
    DefaultValuedAttr<F64Attr, "0.0001">:$alpha,
    DefaultValuedAttr<F64Attr, "0.75">:$beta,
    DefaultValuedAttr<F64Attr, "1.0">:$bias,
    I64Attr:$size);
  let results = (outs AnyTensor:$output);
}

def Top_NormalizeOp : Top_Op<"Normalize"> {
  let summary = "x divided by its Euclidean norm over the channels, times scale";
  let description = [{ With `across_spatial` the norm is taken over the spatial axes too. `scale`
    has one value per channel, all of them equal with `channel_shared`. There is no epsilon: 0 / 0 is NaN. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$scale,
    DefaultValuedAttr<BoolAttr, "false">:$across_spatial,
    DefaultValuedAttr<BoolAttr, "true">:$channel_shared);
  let ignored = ["channel_shared"];
  let results = (outs AnyTensor:$output);
}

def Top_ScaleOp : Top_Op<"Scale"> {
  let summary = "x * scale + bias, per channel (axis 1)";
  let description = [{ The tool chain replaces batch normalizations with it. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$scale, AnyTensor:$bias,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit);
  let results = (outs AnyTensor:$output);
}
