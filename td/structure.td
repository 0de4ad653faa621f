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
    deployed network does to an image before the first layer: it resizes the image, crops it to the input's height and
    width, and computes `(x - mean) * scale`. The reference executor is fed the preprocessed values. }];
  let arguments = (ins
    Arg<AnyRankedTensor, "The argument of the function">:$input,
    Arg<OptionalAttr<I64ArrayAttr>,
      "The values of an input that determines shapes, from which TPU-MLIR infers them. It is dropped">:$shape_tensor,
    Arg<DefaultValuedAttr<BoolAttr, "false">,
      "Whether the network preprocesses the input; otherwise attributes of images have no effect">:$do_preprocess,
    Arg<OptionalAttr<InputPixelFormat>,
      "The channels, in order; gbrg to rggb are raw pixels of a sensor. Absent if the input is no image">:$pixel_format,
    Arg<OptionalAttr<InputChannelFormat>,
      "The place of the channels: before height and width, nchw, or after them, nhwc; nchw if absent">:$channel_format,
    Arg<OptionalAttr<I64ArrayAttr>,
      "Height and width after resizing, before cropping; those of the input if absent">:$resize_dims,
    Arg<OptionalAttr<BoolAttr>, "Whether resizing keeps the aspect ratio; false if absent">:$keep_aspect_ratio,
    Arg<OptionalAttr<StrAttr>,
      "With `keep_aspect_ratio`, letterbox to pad or short_side_scale to crop; letterbox if absent">:$keep_ratio_mode,
    Arg<OptionalAttr<I64Attr>, "The value of padded pixels, 0 to 255; 0 if absent">:$pad_value,
    Arg<OptionalAttr<InputPadType>,
      "The place of the image in its padding: at the top left, normal, or centered; centered if absent">:$pad_type,
    Arg<OptionalAttr<F64ArrayAttr>, "The factor of each channel, in the order of `pixel_format`; 1 if absent">:$scale,
    Arg<OptionalAttr<F64ArrayAttr>,
      "The mean of each channel, which is subtracted first, in the order of `pixel_format`; 0 if absent">:$mean,
    Arg<OptionalAttr<StrAttr>,
      "A format of the image of the chip's own; it must be empty or absent">:$customization_format,
    Arg<OptionalAttr<BoolAttr>,
      "Whether the rows of the image are aligned as a chip requires. It is dropped">:$aligned,
    Arg<OptionalAttr<StrAttr>, "A YUV format of the image; it must be empty or absent">:$yuv_type);
  let results = (outs AnyTensor:$output);
}

def WeightStoreMode : OneOf<["1N", "2N", "4N"]>;
def WeightPlaceholder : OneOf<["Auto", "F32", "None"]>;

def Top_WeightOp : Top_Op<"Weight", [Structure]> {
  let summary = "A coefficient, whose data are in the weight file";
  let description = [{ The location is the key in the npz named by `module.weight_file`. The attributes are set in
    modules that are lowered for a chip or use adapters (LoRA): those by which the data would not be the array in the
    file are rejected, others are dropped. }];
  let arguments = (ins
    Arg<OptionalAttr<F64ArrayAttr>, "The factors of the data: only 1 is supported">:$scale,
    Arg<OptionalAttr<BoolAttr>, "Whether the data are compressed: only false is supported">:$do_compress,
    Arg<OptionalAttr<I64Attr>, "The first bias of the compression. It is dropped">:$bias0,
    Arg<OptionalAttr<I64Attr>, "The second bias of the compression. It is dropped">:$bias1,
    Arg<OptionalAttr<BoolAttr>, "Whether compressed numbers are signed. It is dropped">:$is_signed,
    Arg<OptionalAttr<BoolAttr>, "Whether the compression guards zeros. It is dropped">:$zero_guard,
    Arg<OptionalAttr<WeightStoreMode>,
      "How the numbers of a batch share a word of the chip's memory: only 1N is supported">:$store_mode,
    Arg<OptionalAttr<I64ArrayAttr>, "The axes along which a chip may divide the data. It is dropped">:$allow_split,
    Arg<OptionalAttr<StrAttr>,
      "The data themselves, in place of the weight file: only an empty string is supported">:$inline_bytes,
    Arg<OptionalAttr<StrAttr>, "The path of the weight in an adapter (LoRA). It is dropped">:$path,
    Arg<OptionalAttr<I64ArrayAttr>, "Indices of the data: only an empty list is supported">:$indices_idx,
    Arg<OptionalAttr<I64ArrayAttr>, "Slices of the data: only an empty list is supported">:$indices_slice,
    Arg<OptionalAttr<WeightPlaceholder>,
      "Marks a coefficient that only keeps its place in the chip's weight file. It is dropped">:$placeholder);
  let results = (outs AnyRankedTensor:$output);
}
