// Normalisation.

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

def Top_LayerNormOp : Top_Op<"LayerNorm"> {
  let summary = "normalisation over axis and all axes after it";
  let description = [{ `(x - mean) / sqrt(var + eps) * weight + bias`, var the biased variance. }];
  let arguments = (ins AnyTensor:$input, AnyTensorOrNone:$weight, AnyTensorOrNone:$bias,
    I64ArrayAttr:$normalized_shape, SI32Attr:$axis, F64Attr:$eps);
  let results = (outs AnyTensor:$output);
}

def Top_ScaleOp : Top_Op<"Scale"> {
  let summary = "x * scale + bias, per channel (axis 1)";
  let description = [{ What the tool chain makes of a batch normalisation. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$scale, AnyTensor:$bias,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit);
  let results = (outs AnyTensor:$output);
}
