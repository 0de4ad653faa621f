// Training: forward passes that keep their statistics, and gradients.

def Top_BatchNormTrainOp : Top_Op<"BatchNormTrain"> {
  let summary = "BatchNorm by the statistics of the batch";
  let description = [{ Each channel is normalized by its mean and its variance, the mean square of the differences. A
    running statistic becomes (1 - momentum) * running + momentum * that of the batch, whose variance is then the
    unbiased estimate. The statistics among the results have the shape of `mean`. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ...]">:$input,
    Arg<AnyTensor, "The running mean of each channel: c elements">:$mean,
    Arg<AnyTensor, "The running variance of each channel: c elements">:$var,
    Arg<AnyTensorOrNone, "The factor of each channel after normalization: c elements; 1 if none">:$gamma,
    Arg<AnyTensorOrNone, "Added to each channel after that: c elements; 0 if none">:$beta,
    DoRelu:$do_relu,
    Arg<DefaultValuedAttr<F64Attr, "1e-05">, "Added to the variance">:$epsilon,
    Arg<DefaultValuedAttr<F64Attr, "0.1">, "The weight of the batch in the running statistics">:$momentum,
    ReluLimit:$relu_limit);
  let results = (outs
    Res<AnyTensor, "The normalized tensor, of the type of `input`">:$output,
    Res<AnyTensor, "The mean of the batch">:$mean_out,
    Res<AnyTensor, "The scale of the batch, 1 / sqrt(var + epsilon)">:$saved_invstd,
    Res<AnyTensor, "The updated running mean">:$running_mean,
    Res<AnyTensor, "The updated running variance">:$running_var);
}

def Top_MeanRstdOp : Top_Op<"MeanRstd"> {
  let summary = "Statistics of a batch, and the Scale that normalizes by them";
  let description = [{ A running statistic becomes (1 - momentum) * running + momentum * that of the batch, whose
    variance is then the unbiased estimate. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ...]">:$input,
    Arg<AnyTensor, "The running mean of each channel: c elements">:$running_mean,
    Arg<AnyTensor, "The running variance of each channel: c elements">:$running_var,
    Arg<AnyTensor, "The factor of each channel after normalization: c elements">:$weight,
    Arg<AnyTensor, "Added to each channel after that: c elements">:$bias,
    Arg<F64Attr, "Added to the variance">:$eps,
    Arg<F64Attr, "The weight of the batch in the running statistics">:$momentum);
  let results = (outs
    Res<AnyTensor, "The mean of each channel, of the shape of `running_mean`">:$mean,
    Res<AnyTensor, "The scale of each channel, 1 / sqrt(var + eps), of the shape of `running_var`">:$rstd,
    Res<AnyTensor, "The updated running mean">:$running_mean_update,
    Res<AnyTensor, "The updated running variance">:$running_var_update,
    Res<AnyTensor, "The Scale's factor, weight * rstd: [1, c, 1, 1]">:$scale,
    Res<AnyTensor, "The Scale's bias, bias - mean * scale: [1, c, 1, 1]">:$bias_new);
}

def Top_GroupNormTrainOp : Top_GroupedNormOp<"GroupNormTrain"> {
  let summary = "GroupNorm, and mean and 1 / sqrt(var + eps) of each group";
  let results = (outs
    Res<AnyTensor, "The normalized tensor, of the type of `input`">:$output,
    Res<AnyTensor, "The mean of each group: [n, num_groups]">:$mean,
    Res<AnyTensor, "The scale of each group, 1 / sqrt(var + eps): [n, num_groups]">:$rstd);
}

def Top_LayerNormTrainOp : Top_AxisNormOp<"LayerNormTrain"> {
  let summary = "LayerNorm, and its statistics";
  let results = (outs
    Res<AnyTensor, "The normalized tensor, of the type of `input`">:$output,
    Res<AnyTensor, "The means: the shape of `input`, with 1 for the normalized axes">:$mean,
    Res<AnyTensor, "The scales, 1 / sqrt(var + eps), in spite of the name; of the shape of `mean`">:$variance);
  let ignored = ["normalized_shape"];
}

def Top_BatchNormBwdOp : Top_Op<"BatchNormBwd"> {
  let summary = "Gradients of a batch normalization: input, weight and bias";
  let arguments = (ins
    Arg<AnyTensor, "The gradient of the result, of the shape of `input`">:$grad_out,
    Arg<AnyTensor, "The normalization's input: [n, c, ...]">:$input,
    Arg<AnyTensorOrNone, "The factor of each channel: c elements; 1 if none">:$weight_opt,
    Arg<AnyTensorOrNone, "The mean of each channel: c elements; computed from `input` if none">:$saved_mean,
    Arg<AnyTensorOrNone,
      "The scale of each channel, 1 / sqrt(var + epsilon): c elements; computed from `input` if none">:$saved_invstd,
    Arg<DefaultValuedAttr<F64Attr, "1e-05">, "Added to the variance, if `saved_invstd` is none">:$epsilon);
  let results = (outs
    Res<AnyTensor, "The gradient of `input`">:$grad_in,
    Res<AnyTensorOrNone,
      "The gradient of the weight, of the shape of `weight_opt`, or [c] if that is none">:$weight_grad,
    Res<AnyTensorOrNone, "The gradient of the bias, of the shape of `weight_grad`">:$bias_grad);
}

def Top_LayerNormBwdOp : Top_Op<"LayerNormBwd"> {
  let summary = "Gradients of a layer normalization: input, weight and bias";
  let description = [{ `mean` and `variance` are those of LayerNormTrain. }];
  let arguments = (ins
    Arg<AnyTensor, "The gradient of the result, of the shape of `input`">:$grad_out,
    Arg<AnyTensor, "The normalization's input">:$input,
    Arg<AnyTensor, "The mean of each part that is normalized">:$mean,
    Arg<AnyTensor, "The scale of each part, 1 / sqrt(var + eps), in spite of the name">:$variance,
    Arg<AnyTensorOrNone, "The factors, as many elements as `normalized_shape` has; 1 if none">:$weight,
    Arg<AnyTensorOrNone, "The bias, as many elements as `normalized_shape` has. It changes no result">:$bias,
    Arg<I64ArrayAttr, "The last dimensions of `input`, over which it is normalized">:$normalized_shape);
  let results = (outs
    Res<AnyTensorOrNone, "The gradient of `input`">:$grad_input,
    Res<AnyTensorOrNone, "The gradient of `weight`, of the shape `normalized_shape`">:$grad_weight,
    Res<AnyTensorOrNone, "The gradient of `bias`, of the shape `normalized_shape`">:$grad_bias);
}

def Top_ConvbwdOp : Top_Op<"Convbwd"> {
  let summary = "Gradients of a convolution: input, filter and bias";
  let description = [{ The flags say which of them are computed; the others are none. }];
  let arguments = (ins
    Arg<AnyTensor, "The gradient of the result: [n, oc, oh, ow]">:$grad_out,
    Arg<AnyTensor, "The convolution's input: [n, ic, h, w]">:$input,
    Arg<AnyTensor, "The filter: [oc, ic / groups, kh, kw]">:$kernel,
    Arg<I64ArrayAttr, "The vertical and the horizontal distance of the filter's elements, at least 1">:$dilations,
    Arg<BoolAttr, "Whether `grad_bias` is computed">:$grad_bias_enable,
    Arg<BoolAttr, "Whether `grad_input` is computed">:$grad_input_enable,
    Arg<I64ArrayAttr, "The shape of `grad_out`">:$grad_out_shape,
    Arg<BoolAttr, "Whether `grad_weight` is computed">:$grad_weight_enable,
    Arg<I64Attr, "Number of groups of channels that are convolved separately">:$groups,
    Arg<I64ArrayAttr, "The shape of `input`">:$input_shape,
    Arg<I64ArrayAttr, "Number of zeros between input elements: only 0 is supported">:$inserts,
    Arg<I64ArrayAttr, "The shape of `kernel`">:$kernel_shape,
    Arg<I64ArrayAttr, "The padding: top, left, bottom, right">:$padding,
    Arg<I64ArrayAttr, "The vertical and the horizontal step, at least 1">:$stride);
  let ignored = ["grad_out_shape", "input_shape", "kernel_shape"];
  let results = (outs
    Res<AnyTensorOrNone, "The gradient of `input`">:$grad_input,
    Res<AnyTensorOrNone, "The gradient of `kernel`">:$grad_weight,
    Res<AnyTensorOrNone, "The gradient of the bias: [oc]">:$grad_bias);
}

def Top_ConvBwd_WeightOp : Top_Op<"ConvBwd_Weight"> {
  let summary = "Gradient of the filter of a convolution";
  let description = [{ The result is [oc, ic / groups, kh, kw]. }];
  let arguments = (ins
    Arg<AnyTensor, "The convolution's input: [n, ic, h, w]">:$input,
    Arg<AnyTensor, "The gradient of the result: [n, oc, oh, ow]">:$gradout,
    Arg<AnyTensor, "The same for the chip, as [oc, n, oh, ow]. It changes no result">:$gradout_transpose,
    Arg<I64ArrayAttr, "The vertical and the horizontal distance of the filter's elements, at least 1">:$dilations,
    Arg<BoolAttr, "Whether the chip computes the gradient of the bias, too">:$grad_bias_enable,
    Arg<I64ArrayAttr, "The shape of `gradout`">:$grad_out_shape,
    Arg<I64Attr, "Number of groups of channels that are convolved separately">:$groups,
    Arg<I64ArrayAttr, "The shape of `input`">:$input_shape,
    Arg<I64ArrayAttr, "The height and width of the filter">:$kernel_shape,
    Arg<I64ArrayAttr, "The padding: top, left, bottom, right">:$padding,
    Arg<I64ArrayAttr, "The vertical and the horizontal step, at least 1">:$stride);
  let ignored = ["grad_bias_enable", "grad_out_shape", "input_shape"];
  let results = (outs AnyTensor:$output);
}

def Top_SoftmaxBwdOp : Top_Op<"SoftmaxBwd"> {
  let summary = "Gradient of a softmax";
  let description = [{ `output * (grad_output - sum(grad_output * output))`, the sum along `dim`. }];
  let arguments = (ins
    Arg<AnyTensor, "The gradient of the softmax's result">:$grad_output,
    Arg<AnyTensor, "The softmax's result, of the shape of `grad_output`">:$output,
    Arg<SI32Attr, "The axis of the softmax; a negative one counts from the end">:$dim);
  let results = (outs AnyRankedTensor:$grad_input);
}

def Top_EmbDenseBwdOp : Top_Op<"EmbDenseBwd"> {
  let summary = "Gradient of an embedding: rows of grad_output summed by index";
  let arguments = (ins
    Arg<AnyTensor, "The gradient of the result: the shape of `indices`, then the elements of a row">:$grad_output,
    Arg<AnyTensor, "The row of the table for each row of `grad_output`, from 0">:$indices,
    Arg<SI32Attr, "Number of rows of the table and of the result, at least 1">:$num_weights);
  let results = (outs AnyTensor:$output);
}

def Top_MaxPoolingIndicesBwdOp : Top_Op<"MaxPoolingIndicesBwd"> {
  let summary = "Gradient of a max pooling: grad_output put where the largest values were";
  let description = [{ Gradients at one index are added. The window has no effect, since `indices` and `input_shape`
    determine the result. }];
  let arguments = (ins
    Arg<AnyTensor, "The gradient of the pool's result: [n, c, oh, ow]">:$grad_output,
    Arg<AnyTensor,
      "The index of each value in its plane of the pool's input, h * width + w; shaped like `grad_output`">:$indices,
    Arg<I64ArrayAttr, "The distance of the window's elements">:$dilations,
    Arg<I64ArrayAttr, "The shape of the pool's input: [n, c, h, w]">:$input_shape,
    Arg<I64ArrayAttr, "The height and width of the window">:$kernel_shape,
    Arg<I64ArrayAttr, "The padding: top, left, bottom, right">:$pads,
    Arg<I64ArrayAttr, "The vertical and the horizontal step of the window">:$strides);
  let ignored = ["dilations", "kernel_shape", "pads", "strides"];
  let results = (outs AnyTensor:$grad_input);
}

def Top_WeightReorderOp : Top_Op<"WeightReorder"> {
  let summary = "Coefficient in the order that the chip reads";
  let arguments = (ins
    Arg<AnyTensor, "The coefficient">:$input,
    Arg<DefaultValuedAttr<I64Attr, "0">, "The number of the order, which the chip defines">:$reorder_mode);
  let results = (outs AnyTensor:$output);
}
