// Training: forward passes that keep their statistics, and gradients.

def Top_BatchNormTrainOp : Top_Op<"BatchNormTrain"> {
  let summary = "BatchNorm by the statistics of the batch";
  let description = [{
    `running_mean` and `running_var` are the updated running statistics, with the population variance;
    `saved_invstd` is 1 / sqrt(var + epsilon).
  }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$mean, AnyTensor:$var, AnyTensorOrNone:$gamma,
    AnyTensorOrNone:$beta,
    DefaultValuedAttr<BoolAttr, "false">:$do_relu,
    DefaultValuedAttr<F64Attr, "1e-05">:$epsilon,
    DefaultValuedAttr<F64Attr, "0.1">:$momentum,
    DefaultValuedAttr<F64Attr, "-1.0">:$relu_limit);
  let results = (outs AnyTensor:$output, AnyTensor:$mean_out, AnyTensor:$saved_invstd,
    AnyTensor:$running_mean, AnyTensor:$running_var);
}

def Top_MeanRstdOp : Top_Op<"MeanRstd"> {
  let summary = "Statistics of a batch, and the Scale that normalizes by them";
  let description = [{ `rstd` is 1 / sqrt(var + eps), `scale` is weight * rstd, `bias_new` is bias -
    mean * scale. A running statistic becomes (1 - momentum) * running + momentum * that of the
    batch. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$running_mean, AnyTensor:$running_var,
    AnyTensor:$weight, AnyTensor:$bias, F64Attr:$eps, F64Attr:$momentum);
  let results = (outs AnyTensor:$mean, AnyTensor:$rstd, AnyTensor:$running_mean_update,
    AnyTensor:$running_var_update, AnyTensor:$scale, AnyTensor:$bias_new);
}

def Top_GroupNormTrainOp : Top_GroupedNormOp<"GroupNormTrain"> {
  let summary = "GroupNorm, and mean and 1 / sqrt(var + eps) of each group";
  let description = [{ }];
  let results = (outs AnyTensor:$output, AnyTensor:$mean, AnyTensor:$rstd);
}

def Top_LayerNormTrainOp : Top_AxisNormOp<"LayerNormTrain"> {
  let summary = "LayerNorm, and its statistics";
  let description = [{ `variance` is 1 / sqrt(var + eps). }];
  let results = (outs AnyTensor:$output, AnyTensor:$mean, AnyTensor:$variance);
}

def Top_BatchNormBwdOp : Top_Op<"BatchNormBwd"> {
  let summary = "Gradients of a batch normalization: input, weight and bias";
  let description = [{ Absent statistics are computed from `input`. }];
  let arguments = (ins AnyTensor:$grad_out, AnyTensor:$input, AnyTensorOrNone:$weight_opt,
    AnyTensorOrNone:$saved_mean, AnyTensorOrNone:$saved_invstd,
    DefaultValuedAttr<F64Attr, "1e-05">:$epsilon);
  let results = (outs AnyTensor:$grad_in, AnyTensorOrNone:$weight_grad, AnyTensorOrNone:$bias_grad);
}

def Top_LayerNormBwdOp : Top_Op<"LayerNormBwd"> {
  let summary = "Gradients of a layer normalization: input, weight and bias";
  let description = [{ `mean` and `variance` are those of LayerNormTrain: the latter is
    1 / sqrt(var + eps). }];
  let arguments = (ins AnyTensor:$grad_out, AnyTensor:$input, AnyTensor:$mean, AnyTensor:$variance,
    AnyTensorOrNone:$weight, AnyTensorOrNone:$bias, I64ArrayAttr:$normalized_shape);
  let results = (outs AnyTensorOrNone:$grad_input, AnyTensorOrNone:$grad_weight,
    AnyTensorOrNone:$grad_bias);
}

def Top_ConvbwdOp : Top_Op<"Convbwd"> {
  let summary = "Gradients of a convolution: input, filter and bias";
  let description = [{ The flags select which of them are computed; the others are none. }];
  let arguments = (ins AnyTensor:$grad_out, AnyTensor:$input, AnyTensor:$kernel,
    I64ArrayAttr:$dilations, BoolAttr:$grad_bias_enable, BoolAttr:$grad_input_enable,
    I64ArrayAttr:$grad_out_shape, BoolAttr:$grad_weight_enable, I64Attr:$groups,
    I64ArrayAttr:$input_shape, I64ArrayAttr:$inserts, I64ArrayAttr:$kernel_shape,
    I64ArrayAttr:$padding, I64ArrayAttr:$stride);
  let results = (outs AnyTensorOrNone:$grad_input, AnyTensorOrNone:$grad_weight,
    AnyTensorOrNone:$grad_bias);
}

def Top_ConvBwd_WeightOp : Top_Op<"ConvBwd_Weight"> {
  let summary = "Gradient of the filter of a convolution";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$gradout, AnyTensor:$gradout_transpose,
    I64ArrayAttr:$dilations, BoolAttr:$grad_bias_enable, I64ArrayAttr:$grad_out_shape,
    I64Attr:$groups, I64ArrayAttr:$input_shape, I64ArrayAttr:$kernel_shape, I64ArrayAttr:$padding,
    I64ArrayAttr:$stride);
  let results = (outs AnyTensor:$output);
}

def Top_SoftmaxBwdOp : Top_Op<"SoftmaxBwd"> {
  let summary = "Gradient of a softmax";
  let description = [{ `output * (grad_output - sum(grad_output * output))`, the sum along `dim`. }];
  let arguments = (ins AnyTensor:$grad_output, AnyTensor:$output, SI32Attr:$dim);
  let results = (outs AnyRankedTensor:$grad_input);
}

def Top_EmbDenseBwdOp : Top_Op<"EmbDenseBwd"> {
  let summary = "Gradient of an embedding: rows of grad_output summed by index";
  let description = [{ The result has `num_weights` rows. }];
  let arguments = (ins AnyTensor:$grad_output, AnyTensor:$indices, SI32Attr:$num_weights);
  let results = (outs AnyTensor:$output);
}

def Top_MaxPoolingIndicesBwdOp : Top_Op<"MaxPoolingIndicesBwd"> {
  let summary = "Gradient of a max pooling: grad_output put where the largest values were";
  let description = [{ }];
  let arguments = (ins AnyTensor:$grad_output, AnyTensor:$indices, I64ArrayAttr:$dilations,
    I64ArrayAttr:$input_shape, I64ArrayAttr:$kernel_shape, I64ArrayAttr:$pads,
    I64ArrayAttr:$strides);
  let results = (outs AnyTensor:$grad_input);
}

def Top_WeightReorderOp : Top_Op<"WeightReorder"> {
  let summary = "Coefficient in the order that the chip reads";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, DefaultValuedAttr<I64Attr, "0">:$reorder_mode);
  let results = (outs AnyTensor:$output);
}
