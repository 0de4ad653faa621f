// Images: what is done to them before and after a network, and stereo matching.

def Top_PreprocessOp : Top_Op<"Preprocess"> {
  let summary = "Placeholder for an input's preprocessing, which a pass expands";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, StrAttr:$channel_order, StrAttr:$customization_format,
    F64ArrayAttr:$mean, StrAttr:$quant_mode, I64ArrayAttr:$resize_dims, F64ArrayAttr:$scale,
    DefaultValuedAttr<BoolAttr, "true">:$sign);
  let results = (outs AnyTensor:$output);
}

def Top_MeanStdScaleOp : Top_Op<"MeanStdScale"> {
  let summary = "(x - mean) / std * scale + zero_points, per channel";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, StrAttr:$channel_order, StrAttr:$customization_format,
    F64ArrayAttr:$mean, StrAttr:$quant_mode, I64ArrayAttr:$resize_dims, RoundMode:$rounding_mode,
    F64ArrayAttr:$scale,
    DefaultValuedAttr<BoolAttr, "true">:$sign,
    F64ArrayAttr:$std, F64ArrayAttr:$zero_points);
  let ignored = ["customization_format"];
  let results = (outs AnyTensor:$output);
}

def Top_ScaleLutOp : Top_Op<"ScaleLut"> {
  let summary = "x * scale + bias, per channel, by table";
  let description = [{ }];
  let arguments = (ins AnyTensor:$input, F64ArrayAttr:$bias, F64ArrayAttr:$scale,
    DefaultValuedAttr<BoolAttr, "true">:$sign);
  let results = (outs AnyTensor:$output);
}

def Top_CscOp : Top_Op<"Csc"> {
  let summary = "Converts the color space of an input image";
  let description = [{ `pixel_format` is that of the input; the alignments are those of its planes. }];
  let arguments = (ins AnyTensor:$input, BoolAttr:$aligned, I64Attr:$channel_align,
    StrAttr:$pixel_format, I64Attr:$w_align, I64Attr:$y_align);
  let results = (outs AnyTensor:$output);
}

def Yuv2rgbFormulaImageFormat : OneOf<["FLOAT32", "UINT8"]>;
def Yuv2rgbFormulaMode : OneOf<["_601_limited", "_601_full"]>;

def Top_Yuv2rgbFormulaOp : Top_Op<"Yuv2rgbFormula"> {
  let summary = "YUV image to RGB";
  let description = [{ `src_format` and `dst_format`: 0 YU12, 1 YV12, 2 NV12, 3 NV21, 4 RGB, 5 BGR. }];
  let arguments = (ins AnyTensor:$YUV, UI32Attr:$dst_format, Yuv2rgbFormulaMode:$formula_mode,
    Yuv2rgbFormulaImageFormat:$image_format,
    DefaultValuedAttr<RoundMode, "\"HalfAwayFromZero\"">:$round_mode,
    UI32Attr:$src_format);
  let results = (outs AnyTensor:$output);
}

def Top_DepackRawOp : Top_Op<"DepackRaw"> {
  let summary = "Merges four channels into the 2 x 2 pattern of a raw image";
  let description = [{ The padding is removed first. }];
  let arguments = (ins AnyTensor:$input, F64Attr:$black_level, I64ArrayAttr:$channel_order,
    I64Attr:$padding_h, I64Attr:$padding_w, F64Attr:$white_level);
  let results = (outs AnyTensor:$output);
}

def Top_Mmap2RgbmapOp : Top_UnaryOp<"Mmap2Rgbmap"> {
  let summary = "Map of an image signal processor to its RGB form";
  let description = [{ }];
}

def MatchTemplateMode : OneOf<["TM_CCOEFF_NORMED", "TM_SQDIFF"]>;

def Top_MatchTemplateOp : Top_Op<"MatchTemplate"> {
  let summary = "Match score of a template at each position of an image";
  let description = [{ `TM_SQDIFF` is the sum of squared differences, `TM_CCOEFF_NORMED` the
    correlation coefficient; as in OpenCV. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$match, MatchTemplateMode:$mode);
  let results = (outs AnyTensor:$output);
}

def Top_CorrelationOp : Top_Op<"Correlation"> {
  let summary = "Mean product of left and right features, for each disparity";
  let description = [{ `inputs` are left and right, [n, c, h, w]. For disparity d < `max_disp` the
    result is the mean over the channels of left[w] * right[w - d], and 0 where w < d. With
    `num_groups`, each group of channels has a mean of its own. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<I64Attr, "0">:$max_disp,
    DefaultValuedAttr<I64Attr, "1">:$num_groups);
  let results = (outs AnyTensor:$output);
}

def Top_ConcatVolumeOp : Top_Op<"ConcatVolume"> {
  let summary = "Joins left and right features, for each disparity";
  let description = [{ `inputs` are left and right, [n, c, h, w]; the result is
    [n, 2 * c, max_disp, h, w]: left[w], then right[w - d], which is 0 where w < d. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, DefaultValuedAttr<I64Attr, "0">:$max_disp);
  let results = (outs AnyTensor:$output);
}
