// The parts of Mask R-CNN that are one op each.

def Top_MaskRCNN_RPNGetBboxesOp : Top_Op<"MaskRCNN_RPNGetBboxes"> {
  let summary = "Regions proposed by Mask R-CNN";
  let description = [{ From class scores, box differences and anchors of five levels, with
    non-maximum suppression. }];
  let arguments = (ins AnyTensor:$cls_scores_0, AnyTensor:$cls_scores_1, AnyTensor:$cls_scores_2,
    AnyTensor:$cls_scores_3, AnyTensor:$cls_scores_4, AnyTensor:$bbox_preds_0,
    AnyTensor:$bbox_preds_1, AnyTensor:$bbox_preds_2, AnyTensor:$bbox_preds_3,
    AnyTensor:$bbox_preds_4, AnyTensor:$max_shape, AnyTensor:$mlvl_anchors_0,
    AnyTensor:$mlvl_anchors_1, AnyTensor:$mlvl_anchors_2, AnyTensor:$mlvl_anchors_3,
    AnyTensor:$mlvl_anchors_4, I64Attr:$CHANNEL_RPN_BBOXES, I64Attr:$CHANNEL_RPN_SCORES,
    I64Attr:$HARDWARE_FACTOR_TOPK, I64Attr:$H_RPN_DYN_MAX, I64Attr:$MAX_LENGTH_STATIC_STRECHED,
    I64Attr:$MAX_PER_IMG, I64Attr:$NMS_MAX_LENGTH, I64Attr:$NMS_PRE, I64Attr:$NUM_CLASSES,
    I64Attr:$NUM_INDEXES, I64Attr:$TOPK_ONNX_NMS, I64Attr:$W_RPN_DYN_MAX, F64Attr:$conf_threshold,
    F64Attr:$delta2bbox_max_scalar_c, F64Attr:$delta2bbox_mean_0, F64Attr:$delta2bbox_mean_1,
    F64Attr:$delta2bbox_mean_2, F64Attr:$delta2bbox_mean_3, F64Attr:$delta2bbox_std_0,
    F64Attr:$delta2bbox_std_1, F64Attr:$delta2bbox_std_2, F64Attr:$delta2bbox_std_3,
    F64Attr:$iou_threshold);
  let results = (outs AnyTensor:$result_list);
}

def Top_MaskRCNN_BboxPoolerOp : Top_Op<"MaskRCNN_BboxPooler"> {
  let summary = "Features of the proposed regions, for the box head";
  let description = [{ RoiAlign over four levels. }];
  let arguments = (ins AnyTensor:$ptr_feat0, AnyTensor:$ptr_feat1, AnyTensor:$ptr_feat2,
    AnyTensor:$ptr_feat3, AnyTensor:$rois_multi_batch, I64Attr:$CHANNEL_ROI, I64Attr:$ROI_H,
    I64Attr:$ROI_LEN, I64Attr:$ROI_NUM_LEVELS, I64Attr:$ROI_PH, I64Attr:$ROI_PW, I64Attr:$ROI_SLICE,
    I64Attr:$ROI_W);
  let results = (outs AnyTensor:$result_res, AnyTensor:$result_rois);
}

def Top_MaskRCNN_GetBboxBOp : Top_Op<"MaskRCNN_GetBboxB"> {
  let summary = "Boxes and classes that the box head finds";
  let description = [{ Differences applied to the regions, then non-maximum suppression. }];
  let arguments = (ins AnyTensor:$ptr_rois, AnyTensor:$ptr_bbox, AnyTensor:$ptr_score,
    AnyTensor:$max_val, AnyTensor:$scale_factor, I64Attr:$MAX_NMS_LENGTH_GetBboxB,
    I64Attr:$MAX_PER_IMG, I64Attr:$MAX_PER_IMG_GetBboxB, I64Attr:$NUM_CLASSES,
    I64Attr:$NUM_CLASSES_getBboxB, I64Attr:$NUM_INDEXES, I64Attr:$TOPK_ONNX_NMS,
    F64Attr:$delta2bbox_means, F64Attr:$delta2bbox_stds_0, F64Attr:$delta2bbox_stds_1,
    F64Attr:$nms_iou_thr, F64Attr:$threshold_score_eq, F64Attr:$wh_ratio_log);
  let results = (outs AnyTensor:$result_det_bboxes, AnyTensor:$result_det_labels);
}

def Top_MaskRCNN_MaskPoolerOp : Top_Op<"MaskRCNN_MaskPooler"> {
  let summary = "Features of the boxes found, for the mask head";
  let description = [{ RoiAlign over four levels. }];
  let arguments = (ins AnyTensor:$x_0, AnyTensor:$x_1, AnyTensor:$x_2, AnyTensor:$x_3,
    AnyTensor:$det_bboxes_multi_batch, AnyTensor:$det_labels_multi_batch, AnyTensor:$scale_factor,
    I64Attr:$CHANNEL_ROI, I64Attr:$ROI_H, I64Attr:$ROI_LEN, I64Attr:$ROI_NUM_LEVELS,
    I64Attr:$ROI_PH, I64Attr:$ROI_PW, I64Attr:$ROI_SLICE, I64Attr:$ROI_W);
  let results = (outs AnyTensor:$result_res);
}
