// Images: what is done to them before and after a network, and stereo matching.

def Top_PreprocessOp : Top_Op<"Preprocess"> {
  let summary = "Placeholder for an input's preprocessing, which a pass expands";
  let arguments = (ins
    Arg<AnyTensor, "The images">:$input,
    Arg<StrAttr, "The order of the network's channels, such as `rgb`">:$channel_order,
    Arg<StrAttr, "The format of the images that are fed, such as `BGR_PACKED`">:$customization_format,
    Arg<F64ArrayAttr, "Subtracted from each channel">:$mean,
    Arg<StrAttr, "How the network is quantized, such as `INT8` or `BF16`">:$quant_mode,
    Arg<I64ArrayAttr,
      "Height and width of the images, whose center is cropped; if empty, those of the result">:$resize_dims,
    Arg<F64ArrayAttr, "The factor of each channel after its mean is subtracted">:$scale,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether 8-bit results have a sign">:$sign);
  let results = (outs AnyTensor:$output);
}

def Top_MeanStdScaleOp : Top_Op<"MeanStdScale"> {
  let summary = "(x - mean) / std * scale + zero_points, per channel";
  let description = [{ Float results are (x - mean) / std. Those in int8 are, of floats,
    round((x - mean) / std * scale[0] / scale[1]) - zero_points[0] + zero_points[1]; of integers, they are computed
    with a 16-bit multiplier and a shift, without the zero points. }];
  let arguments = (ins
    Arg<AnyTensor,
      "Images [n, c, h, w] or [n, c, d, h, w] of at most 9 channels: float32, float16, uint8 or int8">:$input,
    Arg<StrAttr, "The order of the channels or axes, such as `nchw`">:$channel_order,
    Arg<StrAttr, "The format of the images that are fed, such as `RGB`">:$customization_format,
    Arg<F64ArrayAttr, "The mean of each channel">:$mean,
    Arg<StrAttr, "How the tool chain computes int8, such as `MultiplierShift`">:$quant_mode,
    Arg<I64ArrayAttr, "Height and width of the images">:$resize_dims,
    Arg<RoundMode, "How int8 results are rounded">:$rounding_mode,
    Arg<F64ArrayAttr, "The scale of the input, then of the output; used for int8 results">:$scale,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether 8-bit results have a sign">:$sign,
    Arg<F64ArrayAttr, "The standard deviation of each channel">:$std,
    Arg<F64ArrayAttr,
      "The zero point of the input, then of the output; used for int8 results of floats">:$zero_points);
  let ignored = ["channel_order", "customization_format", "quant_mode", "resize_dims", "sign"];
  let results = (outs AnyTensor:$output);
}

def Top_ScaleLutOp : Top_Op<"ScaleLut"> {
  let summary = "x * scale + bias, per channel, by table";
  let description = [{ Integer results are rounded to the nearest, halves up. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, c, ...]">:$input,
    Arg<F64ArrayAttr, "Added to each channel: c numbers">:$bias,
    Arg<F64ArrayAttr, "The factor of each channel: c numbers">:$scale,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether 8-bit results have a sign">:$sign);
  let ignored = ["sign"];
  let results = (outs AnyTensor:$output);
}

def Top_CscOp : Top_Op<"Csc"> {
  let summary = "Converts the color space of an input image";
  let arguments = (ins
    Arg<AnyTensor, "The image">:$input,
    Arg<BoolAttr, "Whether lines and channels of the input are padded to multiples">:$aligned,
    Arg<I64Attr, "The multiple to which each channel is padded">:$channel_align,
    Arg<StrAttr, "The format of the input, such as `YUV_NV12`">:$pixel_format,
    Arg<I64Attr, "The multiple to which lines are padded; in YUV, those of U and V">:$w_align,
    Arg<I64Attr, "The multiple to which lines of Y are padded">:$y_align);
  let results = (outs AnyTensor:$output);
}

def Yuv2rgbFormulaImageFormat : OneOf<["FLOAT32", "UINT8"]>;
def Yuv2rgbFormulaMode : OneOf<["_601_limited", "_601_full"]>;

def Top_Yuv2rgbFormulaOp : Top_Op<"Yuv2rgbFormula"> {
  let summary = "YUV image to RGB";
  let description = [{ The result is [..., 3, h, w], clamped to 0 to 255. Each block of 2 x 2 pixels shares its U and
    V. }];
  let arguments = (ins
    Arg<AnyTensor, "The planes of 8-bit values on top of each other: [..., h * 3 / 2, w] with even h and w">:$YUV,
    Arg<UI32Attr, "The order of the result's channels: 4 for RGB, 5 for BGR">:$dst_format,
    Arg<Yuv2rgbFormulaMode,
      "BT.601 with brightness from 16 to 235 (`_601_limited`) or from 0 to 255 (`_601_full`)">:$formula_mode,
    Arg<Yuv2rgbFormulaImageFormat, "The dtype of the result">:$image_format,
    Rounding:$round_mode,
    Arg<UI32Attr, "The format of `YUV`: 0 for YU12, 1 for YV12, 2 for NV12, 3 for NV21">:$src_format);
  let results = (outs AnyTensor:$output);
}

def Top_DepackRawOp : Top_Op<"DepackRaw"> {
  let summary = "Merges four channels into the 2 x 2 pattern of a raw image";
  let description = [{ The padding is removed first. }];
  let arguments = (ins
    Arg<AnyTensor, "The tensor: [n, 4, h, w], including the padding">:$input,
    Arg<F64Attr, "The value of black in the image">:$black_level,
    Arg<I64ArrayAttr, "The channel of each pixel of the pattern, row by row">:$channel_order,
    Arg<I64Attr, "Number of rows of padding">:$padding_h,
    Arg<I64Attr, "Number of columns of padding">:$padding_w,
    Arg<F64Attr, "The value of white in the image">:$white_level);
  let results = (outs AnyTensor:$output);
}

def Top_Mmap2RgbmapOp : Top_UnaryOp<"Mmap2Rgbmap"> {
  let summary = "Map of an image signal processor to its RGB form";
}

def MatchTemplateMode : OneOf<["TM_CCOEFF_NORMED", "TM_SQDIFF"]>;

def Top_MatchTemplateOp : Top_Op<"MatchTemplate"> {
  let summary = "Match score of a template at each position of an image";
  let description = [{ As in OpenCV. The result is [h - rows + 1, w - columns + 1]. }];
  let arguments = (ins
    Arg<AnyTensor, "The image: [h, w]">:$input,
    Arg<AnyTensor, "The template: [rows, columns], which fit into the image">:$match,
    Arg<MatchTemplateMode,
      "The sum of squared differences (TM_SQDIFF) or the correlation coefficient (TM_CCOEFF_NORMED)">:$mode);
  let results = (outs AnyTensor:$output);
}

def Top_CorrelationOp : Top_Op<"Correlation"> {
  let summary = "Mean product of left and right features, for each disparity";
  let description = [{ The result is [num_groups, max_disp, h, w]. For disparity d < `max_disp` it is the mean over the
    channels of a group of left[w] * right[w - d], and 0 where w < d. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "The left and the right features: [1, c, h, w] each">:$inputs,
    Arg<DefaultValuedAttr<I64Attr, "0">, "Number of disparities, 1 to w">:$max_disp,
    Arg<DefaultValuedAttr<I64Attr, "1">,
      "Number of groups of channels, each with a mean of its own; it divides c">:$num_groups);
  let results = (outs AnyTensor:$output);
}

def Top_ConcatVolumeOp : Top_Op<"ConcatVolume"> {
  let summary = "Joins left and right features, for each disparity";
  let description = [{ The result is [n, 2 * c, max_disp, h, w]: left[w], then right[w - d], which is 0 where w < d. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "The left and the right features: [n, c, h, w] each">:$inputs,
    Arg<DefaultValuedAttr<I64Attr, "0">, "Number of disparities, at least 1">:$max_disp);
  let results = (outs AnyTensor:$output);
}
