// The parts of Mask R-CNN that are one op each. Shapes: n is the number of images.

def Top_MaskRCNN_RPNGetBboxesOp : Top_Op<"MaskRCNN_RPNGetBboxes"> {
  let summary = "Regions proposed by Mask R-CNN";
  let description = [{ From class scores, box differences and anchors of five levels, with
    non-maximum suppression. Level 0 has the largest features. The result is
    [n, 1, MAX_PER_IMG, NUM_INDEXES + NUM_CLASSES]. }];
  let arguments = (ins
    Arg<AnyTensor, "Scores of the anchors of level 0: [n, CHANNEL_RPN_SCORES, h, w]">:$cls_scores_0,
    Arg<AnyTensor, "Scores of the anchors of level 1: [n, CHANNEL_RPN_SCORES, h, w]">:$cls_scores_1,
    Arg<AnyTensor, "Scores of the anchors of level 2: [n, CHANNEL_RPN_SCORES, h, w]">:$cls_scores_2,
    Arg<AnyTensor, "Scores of the anchors of level 3: [n, CHANNEL_RPN_SCORES, h, w]">:$cls_scores_3,
    Arg<AnyTensor, "Scores of the anchors of level 4: [n, CHANNEL_RPN_SCORES, h, w]">:$cls_scores_4,
    Arg<AnyTensor, "Differences between boxes and anchors of level 0: [n, CHANNEL_RPN_BBOXES, h, w]">:$bbox_preds_0,
    Arg<AnyTensor, "Differences between boxes and anchors of level 1: [n, CHANNEL_RPN_BBOXES, h, w]">:$bbox_preds_1,
    Arg<AnyTensor, "Differences between boxes and anchors of level 2: [n, CHANNEL_RPN_BBOXES, h, w]">:$bbox_preds_2,
    Arg<AnyTensor, "Differences between boxes and anchors of level 3: [n, CHANNEL_RPN_BBOXES, h, w]">:$bbox_preds_3,
    Arg<AnyTensor, "Differences between boxes and anchors of level 4: [n, CHANNEL_RPN_BBOXES, h, w]">:$bbox_preds_4,
    Arg<AnyTensor, "The size of the image, to which boxes are clipped">:$max_shape,
    Arg<AnyTensor, "Anchors of level 0, by their corners in pixels of the image: [1, 1, anchors, 4]">:$mlvl_anchors_0,
    Arg<AnyTensor, "Anchors of level 1, by their corners in pixels of the image: [1, 1, anchors, 4]">:$mlvl_anchors_1,
    Arg<AnyTensor, "Anchors of level 2, by their corners in pixels of the image: [1, 1, anchors, 4]">:$mlvl_anchors_2,
    Arg<AnyTensor, "Anchors of level 3, by their corners in pixels of the image: [1, 1, anchors, 4]">:$mlvl_anchors_3,
    Arg<AnyTensor, "Anchors of level 4, by their corners in pixels of the image: [1, 1, anchors, 4]">:$mlvl_anchors_4,
    Arg<I64Attr, "Channels of `bbox_preds_0` and the others: 4 per anchor of a position">:$CHANNEL_RPN_BBOXES,
    Arg<I64Attr, "Channels of `cls_scores_0` and the others: one per anchor of a position">:$CHANNEL_RPN_SCORES,
    Arg<I64Attr,
      "Size of the chip's memory for sorted scores, in multiples of the scores of level 0">:$HARDWARE_FACTOR_TOPK,
    Arg<I64Attr,
      "Maximum height of level 0; each level has half the height of the one before, rounded up">:$H_RPN_DYN_MAX,
    Arg<I64Attr, "Maximum number of boxes of all levels together, before suppression">:$MAX_LENGTH_STATIC_STRECHED,
    Arg<I64Attr, "Number of boxes per image in the result">:$MAX_PER_IMG,
    Arg<I64Attr, "Maximum number of boxes that suppression compares">:$NMS_MAX_LENGTH,
    Arg<I64Attr, "Maximum number of boxes per level before suppression, those with the highest scores">:$NMS_PRE,
    Arg<I64Attr, "Number of scores per box">:$NUM_CLASSES,
    Arg<I64Attr, "Number of coordinates per box: 4">:$NUM_INDEXES,
    Arg<I64Attr, "Size of the chip's list of boxes that suppression keeps, per class">:$TOPK_ONNX_NMS,
    Arg<I64Attr,
      "Maximum width of level 0; each level has half the width of the one before, rounded up">:$W_RPN_DYN_MAX,
    Arg<F64Attr, "Minimum score of a box">:$conf_threshold,
    Arg<F64Attr,
      "Maximum absolute value of the logarithm of a box's width or height over the anchor's">:$delta2bbox_max_scalar_c,
    Arg<F64Attr, "Mean of the first difference, of the horizontal center">:$delta2bbox_mean_0,
    Arg<F64Attr, "Mean of the second difference, of the vertical center">:$delta2bbox_mean_1,
    Arg<F64Attr, "Mean of the third difference, of the width's logarithm">:$delta2bbox_mean_2,
    Arg<F64Attr, "Mean of the fourth difference, of the height's logarithm">:$delta2bbox_mean_3,
    Arg<F64Attr, "Standard deviation of the first difference, of the horizontal center">:$delta2bbox_std_0,
    Arg<F64Attr, "Standard deviation of the second difference, of the vertical center">:$delta2bbox_std_1,
    Arg<F64Attr, "Standard deviation of the third difference, of the width's logarithm">:$delta2bbox_std_2,
    Arg<F64Attr, "Standard deviation of the fourth difference, of the height's logarithm">:$delta2bbox_std_3,
    Arg<F64Attr, "Maximum intersection over union of two boxes that are both kept">:$iou_threshold);
  let results = (outs AnyTensor:$result_list);
}

def Top_MaskRCNN_BboxPoolerOp : Top_Op<"MaskRCNN_BboxPooler"> {
  let summary = "Features of the proposed regions, for the box head";
  let description = [{ RoiAlign over four levels, of which level 0 has the largest features. }];
  let arguments = (ins
    Arg<AnyTensor, "Features of level 0: [n, CHANNEL_ROI, h, w]">:$ptr_feat0,
    Arg<AnyTensor, "Features of level 1: [n, CHANNEL_ROI, h, w]">:$ptr_feat1,
    Arg<AnyTensor, "Features of level 2: [n, CHANNEL_ROI, h, w]">:$ptr_feat2,
    Arg<AnyTensor, "Features of level 3: [n, CHANNEL_ROI, h, w]">:$ptr_feat3,
    Arg<AnyTensor, "The regions of all images, as MaskRCNN_RPNGetBboxes returns them">:$rois_multi_batch,
    Arg<I64Attr, "Number of channels of the features">:$CHANNEL_ROI,
    Arg<I64Attr, "Maximum height of level 0">:$ROI_H,
    Arg<I64Attr, "Number of elements of a region: 5">:$ROI_LEN,
    Arg<I64Attr, "Number of levels: 4">:$ROI_NUM_LEVELS,
    Arg<I64Attr, "Height of a region's features in the result">:$ROI_PH,
    Arg<I64Attr, "Width of a region's features in the result">:$ROI_PW,
    Arg<I64Attr, "Number of regions per image">:$ROI_SLICE,
    Arg<I64Attr, "Maximum width of level 0">:$ROI_W);
  let results = (outs
    Res<AnyTensor, "Features of the regions: [n * ROI_SLICE, CHANNEL_ROI, ROI_PH, ROI_PW]">:$result_res,
    Res<AnyTensor, "The regions to which they belong: [n, ROI_SLICE, 1, ROI_LEN]">:$result_rois);
}

def Top_MaskRCNN_GetBboxBOp : Top_Op<"MaskRCNN_GetBboxB"> {
  let summary = "Boxes and classes that the box head finds";
  let description = [{ Differences applied to the regions, then non-maximum suppression. }];
  let arguments = (ins
    Arg<AnyTensor, "The regions, NUM_INDEXES + NUM_CLASSES elements each, MAX_PER_IMG per image; four axes">:$ptr_rois,
    Arg<AnyTensor, "Differences between boxes and regions: NUM_INDEXES for each class of each region">:$ptr_bbox,
    Arg<AnyTensor, "Scores of the regions: NUM_CLASSES_getBboxB + 1 each, with that of the background">:$ptr_score,
    Arg<AnyTensor, "The size of the image, to which boxes are clipped">:$max_val,
    Arg<AnyTensor, "Factors from the original image's size to the network's, by which boxes are divided">:$scale_factor,
    Arg<I64Attr,
      "Maximum number of boxes that suppression compares: MAX_PER_IMG * NUM_CLASSES_getBboxB">:$MAX_NMS_LENGTH_GetBboxB,
    Arg<I64Attr, "Number of regions per image">:$MAX_PER_IMG,
    Arg<I64Attr, "Number of boxes per image in the results">:$MAX_PER_IMG_GetBboxB,
    Arg<I64Attr, "Number of scores per region and per box: 1">:$NUM_CLASSES,
    Arg<I64Attr, "Number of classes of objects, without the background">:$NUM_CLASSES_getBboxB,
    Arg<I64Attr, "Number of coordinates per box: 4">:$NUM_INDEXES,
    Arg<I64Attr, "Size of the chip's list of boxes that suppression keeps: 250">:$TOPK_ONNX_NMS,
    Arg<F64Attr, "Mean of all differences">:$delta2bbox_means,
    Arg<F64Attr, "Standard deviation of the differences of the center">:$delta2bbox_stds_0,
    Arg<F64Attr, "Standard deviation of the differences of width's and height's logarithms">:$delta2bbox_stds_1,
    Arg<F64Attr, "Maximum intersection over union of two boxes that are both kept">:$nms_iou_thr,
    Arg<F64Attr, "Minimum score of a box">:$threshold_score_eq,
    Arg<F64Attr, "Maximum absolute value of the logarithm of a box's width or height over the region's">:$wh_ratio_log);
  let results = (outs
    Res<AnyTensor,
      "The boxes and their scores: [n, 1, MAX_PER_IMG_GetBboxB, NUM_INDEXES + NUM_CLASSES]">:$result_det_bboxes,
    Res<AnyTensor, "The classes of the boxes: [n, 1, MAX_PER_IMG_GetBboxB, 1]">:$result_det_labels);
}

def Top_MaskRCNN_MaskPoolerOp : Top_Op<"MaskRCNN_MaskPooler"> {
  let summary = "Features of the boxes found, for the mask head";
  let description = [{ RoiAlign over four levels, of which level 0 has the largest features. The result is
    [n * ROI_SLICE, CHANNEL_ROI, ROI_PH, ROI_PW]. }];
  let arguments = (ins
    Arg<AnyTensor, "Features of level 0: [n, CHANNEL_ROI, h, w]">:$x_0,
    Arg<AnyTensor, "Features of level 1: [n, CHANNEL_ROI, h, w]">:$x_1,
    Arg<AnyTensor, "Features of level 2: [n, CHANNEL_ROI, h, w]">:$x_2,
    Arg<AnyTensor, "Features of level 3: [n, CHANNEL_ROI, h, w]">:$x_3,
    Arg<AnyTensor,
      "The boxes of all images, as MaskRCNN_GetBboxB returns them: [n, 1, ROI_SLICE, ROI_LEN]">:$det_bboxes_multi_batch,
    Arg<AnyTensor, "The classes of the boxes: [n, 1, ROI_SLICE, 1]">:$det_labels_multi_batch,
    Arg<AnyTensor,
      "Factors from the original image's size to the network's, by which boxes are multiplied">:$scale_factor,
    Arg<I64Attr, "Number of channels of the features">:$CHANNEL_ROI,
    Arg<I64Attr, "Maximum height of level 0">:$ROI_H,
    Arg<I64Attr, "Number of elements of a region: 5">:$ROI_LEN,
    Arg<I64Attr, "Number of levels: 4">:$ROI_NUM_LEVELS,
    Arg<I64Attr, "Height of a region's features in the result">:$ROI_PH,
    Arg<I64Attr, "Width of a region's features in the result">:$ROI_PW,
    Arg<I64Attr, "Number of regions per image">:$ROI_SLICE,
    Arg<I64Attr, "Maximum width of level 0">:$ROI_W);
  let results = (outs AnyTensor:$result_res);
}
