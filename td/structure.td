// Inputs, coefficients and the placeholder for none: they declare values, and compute nothing.

def Top_NoneOp : Top_Op<"None", [Structure]> {
  let summary = "Placeholder for an absent optional operand";
  let description = [{ One per function, of type `none`. }];
  let results = (outs NoneType:$output);
}

def InputPixelFormat : OneOf<["rgb", "bgr", "gray", "rgba", "gbrg", "grbg", "bggr", "rggb"]>;
def InputChannelFormat : OneOf<["nhwc", "nchw"]>;
def InputPadType : OneOf<["normal", "center"]>;

def Top_InputOp : Top_Op<"Input", [Structure]> {
  let summary = "A graph input, with its preprocessing";
  let description = [{ Names a function argument. The preprocessing attributes describe what the
    deployed network does to an image before the first layer; the reference executor is fed the
    preprocessed values. }];
  let arguments = (ins AnyRankedTensor:$input,
    OptionalAttr<I64ArrayAttr>:$shape_tensor,
    DefaultValuedAttr<BoolAttr, "false">:$do_preprocess,
    OptionalAttr<InputPixelFormat>:$pixel_format,
    OptionalAttr<InputChannelFormat>:$channel_format,
    OptionalAttr<I64ArrayAttr>:$resize_dims,
    OptionalAttr<BoolAttr>:$keep_aspect_ratio,
    OptionalAttr<StrAttr>:$keep_ratio_mode,
    OptionalAttr<I64Attr>:$pad_value,
    OptionalAttr<InputPadType>:$pad_type,
    OptionalAttr<F64ArrayAttr>:$scale,
    OptionalAttr<F64ArrayAttr>:$mean,
    OptionalAttr<StrAttr>:$customization_format,
    OptionalAttr<BoolAttr>:$aligned,
    OptionalAttr<StrAttr>:$yuv_type);
  let results = (outs AnyTensor:$output);
}

def WeightStoreMode : OneOf<["1N", "2N", "4N"]>;
def WeightPlaceholder : OneOf<["Auto", "F32", "None"]>;

def Top_WeightOp : Top_Op<"Weight", [Structure]> {
  let summary = "A coefficient, whose data are in the weight file";
  let description = [{ The location is the key in the npz named by `module.weight_file`. }];
  let arguments = (ins
    OptionalAttr<F64ArrayAttr>:$scale,
    OptionalAttr<BoolAttr>:$do_compress,
    OptionalAttr<I64Attr>:$bias0,
    OptionalAttr<I64Attr>:$bias1,
    OptionalAttr<BoolAttr>:$is_signed,
    OptionalAttr<BoolAttr>:$zero_guard,
    OptionalAttr<WeightStoreMode>:$store_mode,
    OptionalAttr<I64ArrayAttr>:$allow_split,
    OptionalAttr<StrAttr>:$inline_bytes,
    OptionalAttr<StrAttr>:$path,
    OptionalAttr<I64ArrayAttr>:$indices_idx,
    OptionalAttr<I64ArrayAttr>:$indices_slice,
    OptionalAttr<WeightPlaceholder>:$placeholder);
  let results = (outs AnyRankedTensor:$output);
}
