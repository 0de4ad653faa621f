// Object detection: regions, their features, and the boxes that remain.

def Top_NmsOp : Top_Op<"Nms"> {
  let summary = "Boxes kept by non-maximum suppression";
  let description = [{
    `inputs` are boxes [batch, n, 4], scores [batch, classes, n], and optionally the number of boxes kept, the
    overlap above which a box is dropped and the minimum score. A row of the result is batch, class, box. A box is
    two corners, or center and size if `center_point_box` is 1. At most `max_output_size` boxes per class are kept;
    unused rows hold -1.
  }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, I64Attr:$center_point_box,
    I64Attr:$max_output_size);
  let results = (outs AnyTensor:$output);
}

def RoiAlignMode : OneOf<["Avg", "Max"]>;

def Top_RoiAlignOp : Top_Op<"RoiAlign"> {
  let summary = "Mean or maximum of interpolated samples in each cell of a region";
  let description = [{ A row of `rois` is an image's index and two corners, which are multiplied by
    `spatial_scale`. Each region has `output_height` x `output_width` cells, each cell
    `sampling_ratio` samples per side. `align_corners` moves the corners by half a pixel. }];
  let arguments = (ins AnyTensor:$input, AnyTensor:$rois, BoolAttr:$align_corners,
    RoiAlignMode:$mode, I64Attr:$output_height, I64Attr:$output_width, I64Attr:$sampling_ratio,
    F64Attr:$spatial_scale);
  let results = (outs AnyTensor:$output);
}

def Top_RoiExtractorOp : Top_Op<"RoiExtractor"> {
  let summary = "RoiAlign of each region on its own level of a feature pyramid";
  let description = [{
    `inputs` are the levels, `spatial_scales` their scales; `target_lvls` has the level of each region.
  }];
  let arguments = (ins AnyTensor:$rois, AnyTensor:$target_lvls, Variadic<AnyTensor>:$inputs,
    BoolAttr:$align_corners, BoolAttr:$is_static, RoiAlignMode:$mode, I64Attr:$num_levels,
    I64Attr:$output_height, I64Attr:$output_width, I64Attr:$sampling_ratio,
    F64ArrayAttr:$spatial_scales);
  let ignored = ["is_static"];
  let results = (outs AnyTensor:$output);
}

def Top_ROIPoolingOp : Top_Op<"ROIPooling"> {
  let summary = "Maximum of each cell of a region";
  let description = [{ `inputs` are features and regions; a region is an image's index and two
    corners, which are multiplied by `spatial_scale`. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, I64Attr:$pooled_h, I64Attr:$pooled_w,
    F64Attr:$spatial_scale);
  let results = (outs AnyTensor:$output);
}

def Top_ProposalOp : Top_Op<"Proposal"> {
  let summary = "Regions proposed by Faster R-CNN";
  let description = [{ The result is [n, 1, rpn_nms_post_top_n, 5]. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, I64Attr:$anchor_base_size, I64Attr:$feat_stride,
    I64Attr:$net_input_h, I64Attr:$net_input_w, I64Attr:$rpn_nms_post_top_n,
    F64Attr:$rpn_nms_threshold, F64Attr:$rpn_obj_threshold);
  let results = (outs AnyTensor:$output);
}

def Top_FrcnDetectionOp : Top_Op<"FrcnDetection"> {
  let summary = "Boxes found by Faster R-CNN";
  let description = [{ The result is [n, 1, keep_topk, 6]. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, I64Attr:$class_num, I64Attr:$keep_topk,
    F64Attr:$nms_threshold, F64Attr:$obj_threshold);
  let results = (outs AnyTensor:$output);
}

def Top_PriorBoxOp : Top_Op<"PriorBox"> {
  let summary = "Anchor boxes of SSD over a feature map";
  let description = [{ The result is [1, 2, h * w * num_priors * 4]: the boxes, then their
    variances. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, F64ArrayAttr:$aspect_ratios,
    DefaultValuedAttr<BoolAttr, "true">:$clip,
    I64Attr:$img_h, I64Attr:$img_w, F64ArrayAttr:$max_size, F64ArrayAttr:$min_size,
    I64Attr:$num_priors,
    DefaultValuedAttr<F64Attr, "0.5">:$offset,
    F64Attr:$step_h, F64Attr:$step_w,
    DefaultValuedAttr<BoolAttr, "true">:$use_default_aspect_ratio,
    F64ArrayAttr:$variance);
  let results = (outs AnyTensor:$output);
}

def DetectionOutputCodeType : OneOf<["CORNER", "CENTER_SIZE", "CORNER_SIZE"]>;

def Top_DetectionOutputOp : Top_Op<"DetectionOutput"> {
  let summary = "Boxes found by SSD";
  let description = [{ The result is [n, 1, keep_top_k, 7]: image, class, score and two corners. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<I64Attr, "0">:$background_label_id,
    DetectionOutputCodeType:$code_type, F64Attr:$confidence_threshold,
    DefaultValuedAttr<F64Attr, "1">:$eta,
    I64Attr:$keep_top_k, F64Attr:$nms_threshold, I64Attr:$num_classes,
    DefaultValuedAttr<BoolAttr, "true">:$share_location,
    I64Attr:$top_k,
    DefaultValuedAttr<F64Attr, "0">:$variance_encoded_in_target);
  let results = (outs AnyTensor:$output);
}

def YoloDetectionVersion : OneOf<["yolov3", "yolov3_tiny", "yolov3_spp", "yolov4", "yolov5",
                                  "yolov8", "yolov11", "yolov26"]>;

def Top_YoloDetectionOp : Top_Op<"YoloDetection"> {
  let summary = "Boxes found by YOLO";
  let description = [{ }];
  let arguments = (ins Variadic<AnyTensor>:$inputs,
    DefaultValuedAttr<BoolAttr, "false">:$agnostic_nms,
    F64ArrayAttr:$anchors,
    DefaultValuedAttr<I64Attr, "80">:$class_num,
    I64Attr:$keep_topk, I64Attr:$net_input_h, I64Attr:$net_input_w, F64Attr:$nms_threshold,
    DefaultValuedAttr<I64Attr, "3">:$num_boxes,
    F64Attr:$obj_threshold, YoloDetectionVersion:$version);
  let ignored = ["agnostic_nms", "num_boxes"];
  let results = (outs AnyTensor:$output);
}

def Top_RetinaFaceDetectionOp : Top_Op<"RetinaFaceDetection"> {
  let summary = "Faces found by RetinaFace";
  let description = [{ The result is [n, 1, keep_topk, 15]. }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, F64Attr:$confidence_threshold,
    I64Attr:$keep_topk, F64Attr:$nms_threshold);
  let results = (outs AnyTensor:$output);
}
