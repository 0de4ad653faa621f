// Object detection: regions, their features, and the boxes that remain.

// Arguments of several ops.
def DetectNmsThreshold : Arg<F64Attr,
  "The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped">;
def DetectKeepTopK : Arg<I64Attr, "The maximum number of boxes of each image, at least 1">;

def Top_NmsOp : Top_Op<"Nms"> {
  let summary = "Boxes kept by non-maximum suppression";
  let description = [{
    The optional inputs are the maximum number of boxes kept per class, the overlap (intersection over union) with a
    kept box above which a box is dropped, and the score that a box must exceed; the last two are 0.5 unless both are
    given. A row of the result is batch, class, box, the best first within a class; it has
    batch * classes * min(max_output_size, n) rows, of which unused ones hold -1.
  }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>,
      "Boxes [batch, n, 4], scores [batch, classes, n], and optionally up to three numbers of one element">:$inputs,
    Arg<I64Attr, "The form of a box: 0 for two opposite corners, 1 for center and size">:$center_point_box,
    Arg<I64Attr, "The maximum number of boxes kept per class, at least 1">:$max_output_size);
  let results = (outs AnyTensor:$output);
}

def RoiAlignMode : OneOf<["Avg", "Max"]>;

def Top_RoiAlignOp : Top_Op<"RoiAlign"> {
  let summary = "Mean or maximum of interpolated samples in each cell of a region";
  let description = [{ The result is [regions, c, output_height, output_width]. Samples more than a pixel outside the
    image are 0. }];
  let arguments = (ins
    Arg<AnyTensor, "The features: [n, c, h, w]">:$input,
    Arg<AnyTensor, "The regions, [regions, 5]: the index of an image, then two corners, as x, y, x, y">:$rois,
    Arg<BoolAttr,
      "Whether corners move by half a pixel up and left; otherwise a side has at least a pixel">:$align_corners,
    Arg<RoiAlignMode, "Whether a cell is the mean (Avg) or the maximum (Max) of its samples">:$mode,
    Arg<I64Attr, "Number of cells of a region vertically, 1 to 4096">:$output_height,
    Arg<I64Attr, "Number of cells of a region horizontally, 1 to 4096">:$output_width,
    Arg<I64Attr, "Number of samples per side of a cell, at most 128; 0 for one per pixel">:$sampling_ratio,
    Arg<F64Attr, "The factor from the corners' units to pixels of `input`">:$spatial_scale);
  let results = (outs AnyTensor:$output);
}

def Top_RoiExtractorOp : Top_Op<"RoiExtractor"> {
  let summary = "RoiAlign of each region on its own level of a feature pyramid";
  let description = [{ The result is [regions, c, output_height, output_width]. }];
  let arguments = (ins
    Arg<AnyTensor, "The regions, [regions, 5]: the index of an image, then two corners, as x, y, x, y">:$rois,
    Arg<AnyTensor, "The level of each region, from 0: [regions]">:$target_lvls,
    Arg<Variadic<AnyTensor>, "The levels: [n, c, h, w] each, of the same n, c and dtype">:$inputs,
    Arg<BoolAttr,
      "Whether corners move by half a pixel up and left; otherwise a side has at least a pixel">:$align_corners,
    Arg<BoolAttr, "Whether shapes are static in the tool chain">:$is_static,
    Arg<RoiAlignMode, "Whether a cell is the mean (Avg) or the maximum (Max) of its samples">:$mode,
    Arg<I64Attr, "Number of levels; that of `inputs`">:$num_levels,
    Arg<I64Attr, "Number of cells of a region vertically, 1 to 4096">:$output_height,
    Arg<I64Attr, "Number of cells of a region horizontally, 1 to 4096">:$output_width,
    Arg<I64Attr, "Number of samples per side of a cell, at most 128; 0 for one per pixel">:$sampling_ratio,
    Arg<F64ArrayAttr, "The factor from the corners' units to pixels of each level">:$spatial_scales);
  let ignored = ["is_static"];
  let results = (outs AnyTensor:$output);
}

def Top_ROIPoolingOp : Top_Op<"ROIPooling"> {
  let summary = "Maximum of each cell of a region";
  let description = [{ Corners are rounded to pixels, both of which belong to the region. A cell that is empty or has
    no positive element is 0. The result is [m * regions, c, pooled_h, pooled_w]. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>,
      "Features [n, c, h, w] and regions [m, 1, regions, 5]: the index of an image, then x, y, x, y">:$inputs,
    Arg<I64Attr, "Number of cells of a region vertically, 1 to 4096">:$pooled_h,
    Arg<I64Attr, "Number of cells of a region horizontally, 1 to 4096">:$pooled_w,
    Arg<F64Attr, "The factor from the corners' units to pixels of the features">:$spatial_scale);
  let results = (outs AnyTensor:$output);
}

def Top_ProposalOp : Top_Op<"Proposal"> {
  let summary = "Regions proposed by Faster R-CNN";
  let description = [{ Each position has nine anchors: heights of 0.5, 1 and 2 widths, at 8, 16 and 32 times the base
    size. Differences move the center in units of the size, and the size by factors that are exponentials. The result is
    [n, 1, rpn_nms_post_top_n, 5]; a row is the index of an image and two corners in pixels, or zeros if unused. It
    has the first of the boxes that remain, in the order of the inputs. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>,
      "Scores [n, 18, h, w], of which the last 9 are those of objects, and differences [n, 36, h, w]">:$inputs,
    Arg<I64Attr, "The side of the base of all anchors in pixels, 1 to 2^20">:$anchor_base_size,
    Arg<I64Attr, "The distance of neighboring positions in pixels">:$feat_stride,
    Arg<I64Attr, "The height of the image in pixels, to which boxes are clipped">:$net_input_h,
    Arg<I64Attr, "The width of the image in pixels, to which boxes are clipped">:$net_input_w,
    DetectKeepTopK:$rpn_nms_post_top_n,
    DetectNmsThreshold:$rpn_nms_threshold,
    Arg<F64Attr, "The minimum score of a box">:$rpn_obj_threshold);
  let results = (outs AnyTensor:$output);
}

def Top_FrcnDetectionOp : Top_Op<"FrcnDetection"> {
  let summary = "Boxes found by Faster R-CNN";
  let description = [{ The result is [n, 1, keep_topk, 6]; a row is two corners, class and score, or zeros if unused.
    It has the first of the boxes that remain, in the order of the inputs. Differences move the center in units
    of the size, and the size by factors that are exponentials. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>,
      "Four differences and a score for each region and class; regions [n, 1, regions, 5] of a Proposal">:$inputs,
    Arg<I64Attr, "Number of classes, including the background, which is class 0">:$class_num,
    DetectKeepTopK:$keep_topk,
    DetectNmsThreshold:$nms_threshold,
    Arg<F64Attr, "The score that a box must exceed">:$obj_threshold);
  let results = (outs AnyTensor:$output);
}

def Top_PriorBoxOp : Top_Op<"PriorBox"> {
  let summary = "Anchor boxes of SSD over a feature map";
  let description = [{ The result is [1, 2, h * w * num_priors * 4]: the corners of the boxes relative to the image, as
    x, y, x, y, then their variances. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "The features and the image, of four dimensions; only their shapes matter">:$inputs,
    Arg<F64ArrayAttr, "Width divided by height of further boxes of each minimum size; 1 is skipped">:$aspect_ratios,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether corners are clamped to the image">:$clip,
    Arg<I64Attr, "The height of the image in pixels; if it or `img_w` is 0, both are those of the second input">:$img_h,
    Arg<I64Attr, "The width of the image in pixels; if it or `img_h` is 0, both are those of the second input">:$img_w,
    Arg<F64ArrayAttr,
      "Empty, or for each minimum size another, which adds a square with the side sqrt(min * max)">:$max_size,
    Arg<F64ArrayAttr, "The sides of the boxes in pixels, whose fractions are dropped">:$min_size,
    Arg<I64Attr, "Number of boxes per position; it must be what sizes and ratios give">:$num_priors,
    Arg<DefaultValuedAttr<F64Attr, "0.5">, "The place of a box's center in its step: 0.5 is the middle">:$offset,
    Arg<F64Attr,
      "The vertical distance of boxes in pixels; if it or `step_w` is 0, the image is divided evenly">:$step_h,
    Arg<F64Attr,
      "The horizontal distance of boxes in pixels; if it or `step_h` is 0, the image is divided evenly">:$step_w,
    Arg<DefaultValuedAttr<BoolAttr, "true">, "Whether each minimum size gives a square">:$use_default_aspect_ratio,
    Arg<F64ArrayAttr, "The four variances of each box">:$variance);
  let results = (outs AnyTensor:$output);
}

def DetectionOutputCodeType : OneOf<["CORNER", "CENTER_SIZE", "CORNER_SIZE"]>;

def Top_DetectionOutputOp : Top_Op<"DetectionOutput"> {
  let summary = "Boxes found by SSD";
  let description = [{ Scores are [n, boxes, classes] if there are anchors, else [n, classes, boxes]; without anchors
    boxes are corners as they are. The result is [n, 1, keep_top_k, 7]; a row is image, class, score and two corners.
    Unused rows are at the end and hold -1; if nothing is found, the first ones begin with the indices of the images.
    }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>,
      "Boxes, scores, and, if boxes are relative to anchors, those of a PriorBox: [1, 2, 4 * boxes]">:$inputs,
    Arg<DefaultValuedAttr<I64Attr, "0">, "The class that is skipped">:$background_label_id,
    Arg<DetectionOutputCodeType,
      "What is relative: corners (CORNER), by the size (CORNER_SIZE), or center and log size (CENTER_SIZE)">:$code_type,
    Arg<F64Attr, "The score that a box must exceed">:$confidence_threshold,
    Arg<DefaultValuedAttr<F64Attr, "1">,
      "If below 1, the factor of `nms_threshold` after each box kept, while it is above 0.5">:$eta,
    DetectKeepTopK:$keep_top_k,
    DetectNmsThreshold:$nms_threshold,
    Arg<I64Attr, "Number of classes, including the background">:$num_classes,
    Arg<DefaultValuedAttr<BoolAttr, "true">,
      "Whether all classes have the same boxes; else each box has 4 numbers for each class">:$share_location,
    Arg<I64Attr, "Number of boxes of each class that are considered, the best ones; all if negative">:$top_k,
    Arg<DefaultValuedAttr<F64Attr, "0">,
      "If 0, boxes are multiplied by the variances of their anchors">:$variance_encoded_in_target);
  let results = (outs AnyTensor:$output);
}

def YoloDetectionVersion : OneOf<["yolov3", "yolov3_tiny", "yolov3_spp", "yolov4", "yolov5",
                                  "yolov8", "yolov11", "yolov26"]>;

def Top_YoloDetectionOp : Top_Op<"YoloDetection"> {
  let summary = "Boxes found by YOLO";
  let description = [{ A score is the sigmoid of the objectness times the softmax of the likeliest class. The result is
    [n, 1, keep_topk, 6]; a row is center, size, class and score, or zeros if unused. It has the first of the
    boxes that remain, beginning with the widest features. The rows of several images have an image's index before
    that; only a single image is computed. Centers and sizes are in pixels for yolov5, else relative to the image. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "The features at each scale: [n, 3 * (5 + class_num), h, w]">:$inputs,
    Arg<DefaultValuedAttr<BoolAttr, "false">, "Whether boxes suppress those of other classes, too">:$agnostic_nms,
    Arg<F64ArrayAttr,
      "Width and height in pixels of three anchors for each of the inputs, of which the widest is first">:$anchors,
    Arg<DefaultValuedAttr<I64Attr, "80">, "Number of classes">:$class_num,
    DetectKeepTopK:$keep_topk,
    Arg<I64Attr, "The height of the image in pixels">:$net_input_h,
    Arg<I64Attr, "The width of the image in pixels">:$net_input_w,
    DetectNmsThreshold:$nms_threshold,
    Arg<DefaultValuedAttr<I64Attr, "3">, "Number of boxes per position">:$num_boxes,
    Arg<F64Attr, "The minimum score of a box">:$obj_threshold,
    Arg<YoloDetectionVersion, "How features encode boxes; versions after yolov5 are not computed">:$version);
  let ignored = ["agnostic_nms", "num_boxes"];
  let results = (outs AnyTensor:$output);
}

def Top_RetinaFaceDetectionOp : Top_Op<"RetinaFaceDetection"> {
  let summary = "Faces found by RetinaFace";
  let description = [{ The result is [n, 1, keep_topk, 15]; a row is two corners, the score and five points. }];
  let arguments = (ins
    Arg<Variadic<AnyTensor>, "Scores, boxes and points at each of three scales">:$inputs,
    Arg<F64Attr, "The score that a face must exceed">:$confidence_threshold,
    Arg<I64Attr, "The maximum number of faces of each image">:$keep_topk,
    DetectNmsThreshold:$nms_threshold);
  let results = (outs AnyTensor:$output);
}
