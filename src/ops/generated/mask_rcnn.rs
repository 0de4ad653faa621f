// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const MASKRCNN_BBOXPOOLER: OpDef = OpDef {
    name: "MaskRCNN_BboxPooler",
    summary: "Features of the proposed regions, for the box head",
    description: "RoiAlign over four levels, of which level 0 has the largest features.",
    operands: &[
        ValueDef {
            name: "ptr_feat0",
            description: "Features of level 0: [n, CHANNEL_ROI, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "ptr_feat1",
            description: "Features of level 1: [n, CHANNEL_ROI, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "ptr_feat2",
            description: "Features of level 2: [n, CHANNEL_ROI, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "ptr_feat3",
            description: "Features of level 3: [n, CHANNEL_ROI, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "rois_multi_batch",
            description: "The regions of all images, as MaskRCNN_RPNGetBboxes returns them",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "CHANNEL_ROI",
            description: "Number of channels of the features",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_H",
            description: "Maximum height of level 0",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_LEN",
            description: "Number of elements of a region: 5",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_NUM_LEVELS",
            description: "Number of levels: 4",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_PH",
            description: "Height of a region's features in the result",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_PW",
            description: "Width of a region's features in the result",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_SLICE",
            description: "Number of regions per image",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_W",
            description: "Maximum width of level 0",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "result_res",
            description: "Features of the regions: [n * ROI_SLICE, CHANNEL_ROI, ROI_PH, ROI_PW]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "result_rois",
            description: "The regions to which they belong: [n, ROI_SLICE, 1, ROI_LEN]",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MaskRCNN_BboxPooler`: Features of the proposed regions, for the box head.

RoiAlign over four levels, of which level 0 has the largest features.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MaskRCNN_BboxPooler<V> {
    /// Features of level 0: \[n, CHANNEL_ROI, h, w\].
    pub ptr_feat0: V,
    /// Features of level 1: \[n, CHANNEL_ROI, h, w\].
    pub ptr_feat1: V,
    /// Features of level 2: \[n, CHANNEL_ROI, h, w\].
    pub ptr_feat2: V,
    /// Features of level 3: \[n, CHANNEL_ROI, h, w\].
    pub ptr_feat3: V,
    /// The regions of all images, as MaskRCNN_RPNGetBboxes returns them.
    pub rois_multi_batch: V,
    /// Number of channels of the features.
    pub CHANNEL_ROI: i64,
    /// Maximum height of level 0.
    pub ROI_H: i64,
    /// Number of elements of a region: 5.
    pub ROI_LEN: i64,
    /// Number of levels: 4.
    pub ROI_NUM_LEVELS: i64,
    /// Height of a region's features in the result.
    pub ROI_PH: i64,
    /// Width of a region's features in the result.
    pub ROI_PW: i64,
    /// Number of regions per image.
    pub ROI_SLICE: i64,
    /// Maximum width of level 0.
    pub ROI_W: i64,
}
impl<V> MaskRCNN_BboxPooler<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        ptr_feat0: V,
        ptr_feat1: V,
        ptr_feat2: V,
        ptr_feat3: V,
        rois_multi_batch: V,
        CHANNEL_ROI: i64,
        ROI_H: i64,
        ROI_LEN: i64,
        ROI_NUM_LEVELS: i64,
        ROI_PH: i64,
        ROI_PW: i64,
        ROI_SLICE: i64,
        ROI_W: i64,
    ) -> Self {
        Self {
            ptr_feat0,
            ptr_feat1,
            ptr_feat2,
            ptr_feat3,
            rois_multi_batch,
            CHANNEL_ROI,
            ROI_H,
            ROI_LEN,
            ROI_NUM_LEVELS,
            ROI_PH,
            ROI_PW,
            ROI_SLICE,
            ROI_W,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            ptr_feat0: operands.required("ptr_feat0")?,
            ptr_feat1: operands.required("ptr_feat1")?,
            ptr_feat2: operands.required("ptr_feat2")?,
            ptr_feat3: operands.required("ptr_feat3")?,
            rois_multi_batch: operands.required("rois_multi_batch")?,
            CHANNEL_ROI: attributes.take("CHANNEL_ROI")?,
            ROI_H: attributes.take("ROI_H")?,
            ROI_LEN: attributes.take("ROI_LEN")?,
            ROI_NUM_LEVELS: attributes.take("ROI_NUM_LEVELS")?,
            ROI_PH: attributes.take("ROI_PH")?,
            ROI_PW: attributes.take("ROI_PW")?,
            ROI_SLICE: attributes.take("ROI_SLICE")?,
            ROI_W: attributes.take("ROI_W")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("ptr_feat0", OperandValue::One(& self.ptr_feat0)), ("ptr_feat1",
            OperandValue::One(& self.ptr_feat1)), ("ptr_feat2", OperandValue::One(& self
            .ptr_feat2)), ("ptr_feat3", OperandValue::One(& self.ptr_feat3)),
            ("rois_multi_batch", OperandValue::One(& self.rois_multi_batch)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("CHANNEL_ROI", &self.CHANNEL_ROI);
        a.put("ROI_H", &self.ROI_H);
        a.put("ROI_LEN", &self.ROI_LEN);
        a.put("ROI_NUM_LEVELS", &self.ROI_NUM_LEVELS);
        a.put("ROI_PH", &self.ROI_PH);
        a.put("ROI_PW", &self.ROI_PW);
        a.put("ROI_SLICE", &self.ROI_SLICE);
        a.put("ROI_W", &self.ROI_W);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MaskRCNN_BboxPooler<U>, E> {
        Ok(MaskRCNN_BboxPooler {
            ptr_feat0: f(&self.ptr_feat0)?,
            ptr_feat1: f(&self.ptr_feat1)?,
            ptr_feat2: f(&self.ptr_feat2)?,
            ptr_feat3: f(&self.ptr_feat3)?,
            rois_multi_batch: f(&self.rois_multi_batch)?,
            CHANNEL_ROI: self.CHANNEL_ROI,
            ROI_H: self.ROI_H,
            ROI_LEN: self.ROI_LEN,
            ROI_NUM_LEVELS: self.ROI_NUM_LEVELS,
            ROI_PH: self.ROI_PH,
            ROI_PW: self.ROI_PW,
            ROI_SLICE: self.ROI_SLICE,
            ROI_W: self.ROI_W,
        })
    }
}
pub(super) const MASKRCNN_GETBBOXB: OpDef = OpDef {
    name: "MaskRCNN_GetBboxB",
    summary: "Boxes and classes that the box head finds",
    description: "Differences applied to the regions, then non-maximum suppression.",
    operands: &[
        ValueDef {
            name: "ptr_rois",
            description: "The regions, NUM_INDEXES + NUM_CLASSES elements each, MAX_PER_IMG per image; four axes",
            arity: Arity::Required,
        },
        ValueDef {
            name: "ptr_bbox",
            description: "Differences between boxes and regions: NUM_INDEXES for each class of each region",
            arity: Arity::Required,
        },
        ValueDef {
            name: "ptr_score",
            description: "Scores of the regions: NUM_CLASSES_getBboxB + 1 each, with that of the background",
            arity: Arity::Required,
        },
        ValueDef {
            name: "max_val",
            description: "The size of the image, to which boxes are clipped",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale_factor",
            description: "Factors from the original image's size to the network's, by which boxes are divided",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "MAX_NMS_LENGTH_GetBboxB",
            description: "Maximum number of boxes that suppression compares: MAX_PER_IMG * NUM_CLASSES_getBboxB",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "MAX_PER_IMG",
            description: "Number of regions per image",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "MAX_PER_IMG_GetBboxB",
            description: "Number of boxes per image in the results",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "NUM_CLASSES",
            description: "Number of scores per region and per box: 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "NUM_CLASSES_getBboxB",
            description: "Number of classes of objects, without the background",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "NUM_INDEXES",
            description: "Number of coordinates per box: 4",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "TOPK_ONNX_NMS",
            description: "Size of the chip's list of boxes that suppression keeps: 250",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_means",
            description: "Mean of all differences",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_stds_0",
            description: "Standard deviation of the differences of the center",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_stds_1",
            description: "Standard deviation of the differences of width's and height's logarithms",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nms_iou_thr",
            description: "Maximum intersection over union of two boxes that are both kept",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "threshold_score_eq",
            description: "Minimum score of a box",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "wh_ratio_log",
            description: "Maximum absolute value of the logarithm of a box's width or height over the region's",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "result_det_bboxes",
            description: "The boxes and their scores: [n, 1, MAX_PER_IMG_GetBboxB, NUM_INDEXES + NUM_CLASSES]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "result_det_labels",
            description: "The classes of the boxes: [n, 1, MAX_PER_IMG_GetBboxB, 1]",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MaskRCNN_GetBboxB`: Boxes and classes that the box head finds.

Differences applied to the regions, then non-maximum suppression.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MaskRCNN_GetBboxB<V> {
    /// The regions, NUM_INDEXES + NUM_CLASSES elements each, MAX_PER_IMG per image; four axes.
    pub ptr_rois: V,
    /// Differences between boxes and regions: NUM_INDEXES for each class of each region.
    pub ptr_bbox: V,
    /// Scores of the regions: NUM_CLASSES_getBboxB + 1 each, with that of the background.
    pub ptr_score: V,
    /// The size of the image, to which boxes are clipped.
    pub max_val: V,
    /// Factors from the original image's size to the network's, by which boxes are divided.
    pub scale_factor: V,
    /// Maximum number of boxes that suppression compares: MAX_PER_IMG * NUM_CLASSES_getBboxB.
    pub MAX_NMS_LENGTH_GetBboxB: i64,
    /// Number of regions per image.
    pub MAX_PER_IMG: i64,
    /// Number of boxes per image in the results.
    pub MAX_PER_IMG_GetBboxB: i64,
    /// Number of scores per region and per box: 1.
    pub NUM_CLASSES: i64,
    /// Number of classes of objects, without the background.
    pub NUM_CLASSES_getBboxB: i64,
    /// Number of coordinates per box: 4.
    pub NUM_INDEXES: i64,
    /// Size of the chip's list of boxes that suppression keeps: 250.
    pub TOPK_ONNX_NMS: i64,
    /// Mean of all differences.
    pub delta2bbox_means: f64,
    /// Standard deviation of the differences of the center.
    pub delta2bbox_stds_0: f64,
    /// Standard deviation of the differences of width's and height's logarithms.
    pub delta2bbox_stds_1: f64,
    /// Maximum intersection over union of two boxes that are both kept.
    pub nms_iou_thr: f64,
    /// Minimum score of a box.
    pub threshold_score_eq: f64,
    /// Maximum absolute value of the logarithm of a box's width or height over the region's.
    pub wh_ratio_log: f64,
}
impl<V> MaskRCNN_GetBboxB<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        ptr_rois: V,
        ptr_bbox: V,
        ptr_score: V,
        max_val: V,
        scale_factor: V,
        MAX_NMS_LENGTH_GetBboxB: i64,
        MAX_PER_IMG: i64,
        MAX_PER_IMG_GetBboxB: i64,
        NUM_CLASSES: i64,
        NUM_CLASSES_getBboxB: i64,
        NUM_INDEXES: i64,
        TOPK_ONNX_NMS: i64,
        delta2bbox_means: f64,
        delta2bbox_stds_0: f64,
        delta2bbox_stds_1: f64,
        nms_iou_thr: f64,
        threshold_score_eq: f64,
        wh_ratio_log: f64,
    ) -> Self {
        Self {
            ptr_rois,
            ptr_bbox,
            ptr_score,
            max_val,
            scale_factor,
            MAX_NMS_LENGTH_GetBboxB,
            MAX_PER_IMG,
            MAX_PER_IMG_GetBboxB,
            NUM_CLASSES,
            NUM_CLASSES_getBboxB,
            NUM_INDEXES,
            TOPK_ONNX_NMS,
            delta2bbox_means,
            delta2bbox_stds_0,
            delta2bbox_stds_1,
            nms_iou_thr,
            threshold_score_eq,
            wh_ratio_log,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            ptr_rois: operands.required("ptr_rois")?,
            ptr_bbox: operands.required("ptr_bbox")?,
            ptr_score: operands.required("ptr_score")?,
            max_val: operands.required("max_val")?,
            scale_factor: operands.required("scale_factor")?,
            MAX_NMS_LENGTH_GetBboxB: attributes.take("MAX_NMS_LENGTH_GetBboxB")?,
            MAX_PER_IMG: attributes.take("MAX_PER_IMG")?,
            MAX_PER_IMG_GetBboxB: attributes.take("MAX_PER_IMG_GetBboxB")?,
            NUM_CLASSES: attributes.take("NUM_CLASSES")?,
            NUM_CLASSES_getBboxB: attributes.take("NUM_CLASSES_getBboxB")?,
            NUM_INDEXES: attributes.take("NUM_INDEXES")?,
            TOPK_ONNX_NMS: attributes.take("TOPK_ONNX_NMS")?,
            delta2bbox_means: attributes.take("delta2bbox_means")?,
            delta2bbox_stds_0: attributes.take("delta2bbox_stds_0")?,
            delta2bbox_stds_1: attributes.take("delta2bbox_stds_1")?,
            nms_iou_thr: attributes.take("nms_iou_thr")?,
            threshold_score_eq: attributes.take("threshold_score_eq")?,
            wh_ratio_log: attributes.take("wh_ratio_log")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("ptr_rois", OperandValue::One(& self.ptr_rois)), ("ptr_bbox",
            OperandValue::One(& self.ptr_bbox)), ("ptr_score", OperandValue::One(& self
            .ptr_score)), ("max_val", OperandValue::One(& self.max_val)),
            ("scale_factor", OperandValue::One(& self.scale_factor)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("MAX_NMS_LENGTH_GetBboxB", &self.MAX_NMS_LENGTH_GetBboxB);
        a.put("MAX_PER_IMG", &self.MAX_PER_IMG);
        a.put("MAX_PER_IMG_GetBboxB", &self.MAX_PER_IMG_GetBboxB);
        a.put("NUM_CLASSES", &self.NUM_CLASSES);
        a.put("NUM_CLASSES_getBboxB", &self.NUM_CLASSES_getBboxB);
        a.put("NUM_INDEXES", &self.NUM_INDEXES);
        a.put("TOPK_ONNX_NMS", &self.TOPK_ONNX_NMS);
        a.put("delta2bbox_means", &self.delta2bbox_means);
        a.put("delta2bbox_stds_0", &self.delta2bbox_stds_0);
        a.put("delta2bbox_stds_1", &self.delta2bbox_stds_1);
        a.put("nms_iou_thr", &self.nms_iou_thr);
        a.put("threshold_score_eq", &self.threshold_score_eq);
        a.put("wh_ratio_log", &self.wh_ratio_log);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MaskRCNN_GetBboxB<U>, E> {
        Ok(MaskRCNN_GetBboxB {
            ptr_rois: f(&self.ptr_rois)?,
            ptr_bbox: f(&self.ptr_bbox)?,
            ptr_score: f(&self.ptr_score)?,
            max_val: f(&self.max_val)?,
            scale_factor: f(&self.scale_factor)?,
            MAX_NMS_LENGTH_GetBboxB: self.MAX_NMS_LENGTH_GetBboxB,
            MAX_PER_IMG: self.MAX_PER_IMG,
            MAX_PER_IMG_GetBboxB: self.MAX_PER_IMG_GetBboxB,
            NUM_CLASSES: self.NUM_CLASSES,
            NUM_CLASSES_getBboxB: self.NUM_CLASSES_getBboxB,
            NUM_INDEXES: self.NUM_INDEXES,
            TOPK_ONNX_NMS: self.TOPK_ONNX_NMS,
            delta2bbox_means: self.delta2bbox_means,
            delta2bbox_stds_0: self.delta2bbox_stds_0,
            delta2bbox_stds_1: self.delta2bbox_stds_1,
            nms_iou_thr: self.nms_iou_thr,
            threshold_score_eq: self.threshold_score_eq,
            wh_ratio_log: self.wh_ratio_log,
        })
    }
}
pub(super) const MASKRCNN_MASKPOOLER: OpDef = OpDef {
    name: "MaskRCNN_MaskPooler",
    summary: "Features of the boxes found, for the mask head",
    description: "RoiAlign over four levels, of which level 0 has the largest features. The result is [n * ROI_SLICE, CHANNEL_ROI, ROI_PH, ROI_PW].",
    operands: &[
        ValueDef {
            name: "x_0",
            description: "Features of level 0: [n, CHANNEL_ROI, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "x_1",
            description: "Features of level 1: [n, CHANNEL_ROI, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "x_2",
            description: "Features of level 2: [n, CHANNEL_ROI, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "x_3",
            description: "Features of level 3: [n, CHANNEL_ROI, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "det_bboxes_multi_batch",
            description: "The boxes of all images, as MaskRCNN_GetBboxB returns them: [n, 1, ROI_SLICE, ROI_LEN]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "det_labels_multi_batch",
            description: "The classes of the boxes: [n, 1, ROI_SLICE, 1]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale_factor",
            description: "Factors from the original image's size to the network's, by which boxes are multiplied",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "CHANNEL_ROI",
            description: "Number of channels of the features",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_H",
            description: "Maximum height of level 0",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_LEN",
            description: "Number of elements of a region: 5",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_NUM_LEVELS",
            description: "Number of levels: 4",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_PH",
            description: "Height of a region's features in the result",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_PW",
            description: "Width of a region's features in the result",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_SLICE",
            description: "Number of regions per image",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "ROI_W",
            description: "Maximum width of level 0",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "result_res",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MaskRCNN_MaskPooler`: Features of the boxes found, for the mask head.

RoiAlign over four levels, of which level 0 has the largest features. The result is \[n * ROI_SLICE, CHANNEL_ROI, ROI_PH, ROI_PW\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct MaskRCNN_MaskPooler<V> {
    /// Features of level 0: \[n, CHANNEL_ROI, h, w\].
    pub x_0: V,
    /// Features of level 1: \[n, CHANNEL_ROI, h, w\].
    pub x_1: V,
    /// Features of level 2: \[n, CHANNEL_ROI, h, w\].
    pub x_2: V,
    /// Features of level 3: \[n, CHANNEL_ROI, h, w\].
    pub x_3: V,
    /// The boxes of all images, as MaskRCNN_GetBboxB returns them: \[n, 1, ROI_SLICE, ROI_LEN\].
    pub det_bboxes_multi_batch: V,
    /// The classes of the boxes: \[n, 1, ROI_SLICE, 1\].
    pub det_labels_multi_batch: V,
    /// Factors from the original image's size to the network's, by which boxes are multiplied.
    pub scale_factor: V,
    /// Number of channels of the features.
    pub CHANNEL_ROI: i64,
    /// Maximum height of level 0.
    pub ROI_H: i64,
    /// Number of elements of a region: 5.
    pub ROI_LEN: i64,
    /// Number of levels: 4.
    pub ROI_NUM_LEVELS: i64,
    /// Height of a region's features in the result.
    pub ROI_PH: i64,
    /// Width of a region's features in the result.
    pub ROI_PW: i64,
    /// Number of regions per image.
    pub ROI_SLICE: i64,
    /// Maximum width of level 0.
    pub ROI_W: i64,
}
impl<V> MaskRCNN_MaskPooler<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        x_0: V,
        x_1: V,
        x_2: V,
        x_3: V,
        det_bboxes_multi_batch: V,
        det_labels_multi_batch: V,
        scale_factor: V,
        CHANNEL_ROI: i64,
        ROI_H: i64,
        ROI_LEN: i64,
        ROI_NUM_LEVELS: i64,
        ROI_PH: i64,
        ROI_PW: i64,
        ROI_SLICE: i64,
        ROI_W: i64,
    ) -> Self {
        Self {
            x_0,
            x_1,
            x_2,
            x_3,
            det_bboxes_multi_batch,
            det_labels_multi_batch,
            scale_factor,
            CHANNEL_ROI,
            ROI_H,
            ROI_LEN,
            ROI_NUM_LEVELS,
            ROI_PH,
            ROI_PW,
            ROI_SLICE,
            ROI_W,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            x_0: operands.required("x_0")?,
            x_1: operands.required("x_1")?,
            x_2: operands.required("x_2")?,
            x_3: operands.required("x_3")?,
            det_bboxes_multi_batch: operands.required("det_bboxes_multi_batch")?,
            det_labels_multi_batch: operands.required("det_labels_multi_batch")?,
            scale_factor: operands.required("scale_factor")?,
            CHANNEL_ROI: attributes.take("CHANNEL_ROI")?,
            ROI_H: attributes.take("ROI_H")?,
            ROI_LEN: attributes.take("ROI_LEN")?,
            ROI_NUM_LEVELS: attributes.take("ROI_NUM_LEVELS")?,
            ROI_PH: attributes.take("ROI_PH")?,
            ROI_PW: attributes.take("ROI_PW")?,
            ROI_SLICE: attributes.take("ROI_SLICE")?,
            ROI_W: attributes.take("ROI_W")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("x_0", OperandValue::One(& self.x_0)), ("x_1", OperandValue::One(& self
            .x_1)), ("x_2", OperandValue::One(& self.x_2)), ("x_3", OperandValue::One(&
            self.x_3)), ("det_bboxes_multi_batch", OperandValue::One(& self
            .det_bboxes_multi_batch)), ("det_labels_multi_batch", OperandValue::One(&
            self.det_labels_multi_batch)), ("scale_factor", OperandValue::One(& self
            .scale_factor)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("CHANNEL_ROI", &self.CHANNEL_ROI);
        a.put("ROI_H", &self.ROI_H);
        a.put("ROI_LEN", &self.ROI_LEN);
        a.put("ROI_NUM_LEVELS", &self.ROI_NUM_LEVELS);
        a.put("ROI_PH", &self.ROI_PH);
        a.put("ROI_PW", &self.ROI_PW);
        a.put("ROI_SLICE", &self.ROI_SLICE);
        a.put("ROI_W", &self.ROI_W);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MaskRCNN_MaskPooler<U>, E> {
        Ok(MaskRCNN_MaskPooler {
            x_0: f(&self.x_0)?,
            x_1: f(&self.x_1)?,
            x_2: f(&self.x_2)?,
            x_3: f(&self.x_3)?,
            det_bboxes_multi_batch: f(&self.det_bboxes_multi_batch)?,
            det_labels_multi_batch: f(&self.det_labels_multi_batch)?,
            scale_factor: f(&self.scale_factor)?,
            CHANNEL_ROI: self.CHANNEL_ROI,
            ROI_H: self.ROI_H,
            ROI_LEN: self.ROI_LEN,
            ROI_NUM_LEVELS: self.ROI_NUM_LEVELS,
            ROI_PH: self.ROI_PH,
            ROI_PW: self.ROI_PW,
            ROI_SLICE: self.ROI_SLICE,
            ROI_W: self.ROI_W,
        })
    }
}
pub(super) const MASKRCNN_RPNGETBBOXES: OpDef = OpDef {
    name: "MaskRCNN_RPNGetBboxes",
    summary: "Regions proposed by Mask R-CNN",
    description: "From class scores, box differences and anchors of five levels, with non-maximum suppression. Level 0 has the largest features. The result is [n, 1, MAX_PER_IMG, NUM_INDEXES + NUM_CLASSES].",
    operands: &[
        ValueDef {
            name: "cls_scores_0",
            description: "Scores of the anchors of level 0: [n, CHANNEL_RPN_SCORES, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "cls_scores_1",
            description: "Scores of the anchors of level 1: [n, CHANNEL_RPN_SCORES, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "cls_scores_2",
            description: "Scores of the anchors of level 2: [n, CHANNEL_RPN_SCORES, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "cls_scores_3",
            description: "Scores of the anchors of level 3: [n, CHANNEL_RPN_SCORES, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "cls_scores_4",
            description: "Scores of the anchors of level 4: [n, CHANNEL_RPN_SCORES, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bbox_preds_0",
            description: "Differences between boxes and anchors of level 0: [n, CHANNEL_RPN_BBOXES, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bbox_preds_1",
            description: "Differences between boxes and anchors of level 1: [n, CHANNEL_RPN_BBOXES, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bbox_preds_2",
            description: "Differences between boxes and anchors of level 2: [n, CHANNEL_RPN_BBOXES, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bbox_preds_3",
            description: "Differences between boxes and anchors of level 3: [n, CHANNEL_RPN_BBOXES, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bbox_preds_4",
            description: "Differences between boxes and anchors of level 4: [n, CHANNEL_RPN_BBOXES, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "max_shape",
            description: "The size of the image, to which boxes are clipped",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mlvl_anchors_0",
            description: "Anchors of level 0, by their corners in pixels of the image: [1, 1, anchors, 4]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mlvl_anchors_1",
            description: "Anchors of level 1, by their corners in pixels of the image: [1, 1, anchors, 4]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mlvl_anchors_2",
            description: "Anchors of level 2, by their corners in pixels of the image: [1, 1, anchors, 4]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mlvl_anchors_3",
            description: "Anchors of level 3, by their corners in pixels of the image: [1, 1, anchors, 4]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mlvl_anchors_4",
            description: "Anchors of level 4, by their corners in pixels of the image: [1, 1, anchors, 4]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "CHANNEL_RPN_BBOXES",
            description: "Channels of `bbox_preds_0` and the others: 4 per anchor of a position",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "CHANNEL_RPN_SCORES",
            description: "Channels of `cls_scores_0` and the others: one per anchor of a position",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "HARDWARE_FACTOR_TOPK",
            description: "Size of the chip's memory for sorted scores, in multiples of the scores of level 0",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "H_RPN_DYN_MAX",
            description: "Maximum height of level 0; each level has half the height of the one before, rounded up",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "MAX_LENGTH_STATIC_STRECHED",
            description: "Maximum number of boxes of all levels together, before suppression",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "MAX_PER_IMG",
            description: "Number of boxes per image in the result",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "NMS_MAX_LENGTH",
            description: "Maximum number of boxes that suppression compares",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "NMS_PRE",
            description: "Maximum number of boxes per level before suppression, those with the highest scores",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "NUM_CLASSES",
            description: "Number of scores per box",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "NUM_INDEXES",
            description: "Number of coordinates per box: 4",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "TOPK_ONNX_NMS",
            description: "Size of the chip's list of boxes that suppression keeps, per class",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "W_RPN_DYN_MAX",
            description: "Maximum width of level 0; each level has half the width of the one before, rounded up",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "conf_threshold",
            description: "Minimum score of a box",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_max_scalar_c",
            description: "Maximum absolute value of the logarithm of a box's width or height over the anchor's",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_mean_0",
            description: "Mean of the first difference, of the horizontal center",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_mean_1",
            description: "Mean of the second difference, of the vertical center",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_mean_2",
            description: "Mean of the third difference, of the width's logarithm",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_mean_3",
            description: "Mean of the fourth difference, of the height's logarithm",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_std_0",
            description: "Standard deviation of the first difference, of the horizontal center",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_std_1",
            description: "Standard deviation of the second difference, of the vertical center",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_std_2",
            description: "Standard deviation of the third difference, of the width's logarithm",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "delta2bbox_std_3",
            description: "Standard deviation of the fourth difference, of the height's logarithm",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "iou_threshold",
            description: "Maximum intersection over union of two boxes that are both kept",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "result_list",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.MaskRCNN_RPNGetBboxes`: Regions proposed by Mask R-CNN.

From class scores, box differences and anchors of five levels, with non-maximum suppression. Level 0 has the largest features. The result is \[n, 1, MAX_PER_IMG, NUM_INDEXES + NUM_CLASSES\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct MaskRCNN_RPNGetBboxes<V> {
    /// Scores of the anchors of level 0: \[n, CHANNEL_RPN_SCORES, h, w\].
    pub cls_scores_0: V,
    /// Scores of the anchors of level 1: \[n, CHANNEL_RPN_SCORES, h, w\].
    pub cls_scores_1: V,
    /// Scores of the anchors of level 2: \[n, CHANNEL_RPN_SCORES, h, w\].
    pub cls_scores_2: V,
    /// Scores of the anchors of level 3: \[n, CHANNEL_RPN_SCORES, h, w\].
    pub cls_scores_3: V,
    /// Scores of the anchors of level 4: \[n, CHANNEL_RPN_SCORES, h, w\].
    pub cls_scores_4: V,
    /// Differences between boxes and anchors of level 0: \[n, CHANNEL_RPN_BBOXES, h, w\].
    pub bbox_preds_0: V,
    /// Differences between boxes and anchors of level 1: \[n, CHANNEL_RPN_BBOXES, h, w\].
    pub bbox_preds_1: V,
    /// Differences between boxes and anchors of level 2: \[n, CHANNEL_RPN_BBOXES, h, w\].
    pub bbox_preds_2: V,
    /// Differences between boxes and anchors of level 3: \[n, CHANNEL_RPN_BBOXES, h, w\].
    pub bbox_preds_3: V,
    /// Differences between boxes and anchors of level 4: \[n, CHANNEL_RPN_BBOXES, h, w\].
    pub bbox_preds_4: V,
    /// The size of the image, to which boxes are clipped.
    pub max_shape: V,
    /// Anchors of level 0, by their corners in pixels of the image: \[1, 1, anchors, 4\].
    pub mlvl_anchors_0: V,
    /// Anchors of level 1, by their corners in pixels of the image: \[1, 1, anchors, 4\].
    pub mlvl_anchors_1: V,
    /// Anchors of level 2, by their corners in pixels of the image: \[1, 1, anchors, 4\].
    pub mlvl_anchors_2: V,
    /// Anchors of level 3, by their corners in pixels of the image: \[1, 1, anchors, 4\].
    pub mlvl_anchors_3: V,
    /// Anchors of level 4, by their corners in pixels of the image: \[1, 1, anchors, 4\].
    pub mlvl_anchors_4: V,
    /// Channels of `bbox_preds_0` and the others: 4 per anchor of a position.
    pub CHANNEL_RPN_BBOXES: i64,
    /// Channels of `cls_scores_0` and the others: one per anchor of a position.
    pub CHANNEL_RPN_SCORES: i64,
    /// Size of the chip's memory for sorted scores, in multiples of the scores of level 0.
    pub HARDWARE_FACTOR_TOPK: i64,
    /// Maximum height of level 0; each level has half the height of the one before, rounded up.
    pub H_RPN_DYN_MAX: i64,
    /// Maximum number of boxes of all levels together, before suppression.
    pub MAX_LENGTH_STATIC_STRECHED: i64,
    /// Number of boxes per image in the result.
    pub MAX_PER_IMG: i64,
    /// Maximum number of boxes that suppression compares.
    pub NMS_MAX_LENGTH: i64,
    /// Maximum number of boxes per level before suppression, those with the highest scores.
    pub NMS_PRE: i64,
    /// Number of scores per box.
    pub NUM_CLASSES: i64,
    /// Number of coordinates per box: 4.
    pub NUM_INDEXES: i64,
    /// Size of the chip's list of boxes that suppression keeps, per class.
    pub TOPK_ONNX_NMS: i64,
    /// Maximum width of level 0; each level has half the width of the one before, rounded up.
    pub W_RPN_DYN_MAX: i64,
    /// Minimum score of a box.
    pub conf_threshold: f64,
    /// Maximum absolute value of the logarithm of a box's width or height over the anchor's.
    pub delta2bbox_max_scalar_c: f64,
    /// Mean of the first difference, of the horizontal center.
    pub delta2bbox_mean_0: f64,
    /// Mean of the second difference, of the vertical center.
    pub delta2bbox_mean_1: f64,
    /// Mean of the third difference, of the width's logarithm.
    pub delta2bbox_mean_2: f64,
    /// Mean of the fourth difference, of the height's logarithm.
    pub delta2bbox_mean_3: f64,
    /// Standard deviation of the first difference, of the horizontal center.
    pub delta2bbox_std_0: f64,
    /// Standard deviation of the second difference, of the vertical center.
    pub delta2bbox_std_1: f64,
    /// Standard deviation of the third difference, of the width's logarithm.
    pub delta2bbox_std_2: f64,
    /// Standard deviation of the fourth difference, of the height's logarithm.
    pub delta2bbox_std_3: f64,
    /// Maximum intersection over union of two boxes that are both kept.
    pub iou_threshold: f64,
}
impl<V> MaskRCNN_RPNGetBboxes<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        cls_scores_0: V,
        cls_scores_1: V,
        cls_scores_2: V,
        cls_scores_3: V,
        cls_scores_4: V,
        bbox_preds_0: V,
        bbox_preds_1: V,
        bbox_preds_2: V,
        bbox_preds_3: V,
        bbox_preds_4: V,
        max_shape: V,
        mlvl_anchors_0: V,
        mlvl_anchors_1: V,
        mlvl_anchors_2: V,
        mlvl_anchors_3: V,
        mlvl_anchors_4: V,
        CHANNEL_RPN_BBOXES: i64,
        CHANNEL_RPN_SCORES: i64,
        HARDWARE_FACTOR_TOPK: i64,
        H_RPN_DYN_MAX: i64,
        MAX_LENGTH_STATIC_STRECHED: i64,
        MAX_PER_IMG: i64,
        NMS_MAX_LENGTH: i64,
        NMS_PRE: i64,
        NUM_CLASSES: i64,
        NUM_INDEXES: i64,
        TOPK_ONNX_NMS: i64,
        W_RPN_DYN_MAX: i64,
        conf_threshold: f64,
        delta2bbox_max_scalar_c: f64,
        delta2bbox_mean_0: f64,
        delta2bbox_mean_1: f64,
        delta2bbox_mean_2: f64,
        delta2bbox_mean_3: f64,
        delta2bbox_std_0: f64,
        delta2bbox_std_1: f64,
        delta2bbox_std_2: f64,
        delta2bbox_std_3: f64,
        iou_threshold: f64,
    ) -> Self {
        Self {
            cls_scores_0,
            cls_scores_1,
            cls_scores_2,
            cls_scores_3,
            cls_scores_4,
            bbox_preds_0,
            bbox_preds_1,
            bbox_preds_2,
            bbox_preds_3,
            bbox_preds_4,
            max_shape,
            mlvl_anchors_0,
            mlvl_anchors_1,
            mlvl_anchors_2,
            mlvl_anchors_3,
            mlvl_anchors_4,
            CHANNEL_RPN_BBOXES,
            CHANNEL_RPN_SCORES,
            HARDWARE_FACTOR_TOPK,
            H_RPN_DYN_MAX,
            MAX_LENGTH_STATIC_STRECHED,
            MAX_PER_IMG,
            NMS_MAX_LENGTH,
            NMS_PRE,
            NUM_CLASSES,
            NUM_INDEXES,
            TOPK_ONNX_NMS,
            W_RPN_DYN_MAX,
            conf_threshold,
            delta2bbox_max_scalar_c,
            delta2bbox_mean_0,
            delta2bbox_mean_1,
            delta2bbox_mean_2,
            delta2bbox_mean_3,
            delta2bbox_std_0,
            delta2bbox_std_1,
            delta2bbox_std_2,
            delta2bbox_std_3,
            iou_threshold,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            cls_scores_0: operands.required("cls_scores_0")?,
            cls_scores_1: operands.required("cls_scores_1")?,
            cls_scores_2: operands.required("cls_scores_2")?,
            cls_scores_3: operands.required("cls_scores_3")?,
            cls_scores_4: operands.required("cls_scores_4")?,
            bbox_preds_0: operands.required("bbox_preds_0")?,
            bbox_preds_1: operands.required("bbox_preds_1")?,
            bbox_preds_2: operands.required("bbox_preds_2")?,
            bbox_preds_3: operands.required("bbox_preds_3")?,
            bbox_preds_4: operands.required("bbox_preds_4")?,
            max_shape: operands.required("max_shape")?,
            mlvl_anchors_0: operands.required("mlvl_anchors_0")?,
            mlvl_anchors_1: operands.required("mlvl_anchors_1")?,
            mlvl_anchors_2: operands.required("mlvl_anchors_2")?,
            mlvl_anchors_3: operands.required("mlvl_anchors_3")?,
            mlvl_anchors_4: operands.required("mlvl_anchors_4")?,
            CHANNEL_RPN_BBOXES: attributes.take("CHANNEL_RPN_BBOXES")?,
            CHANNEL_RPN_SCORES: attributes.take("CHANNEL_RPN_SCORES")?,
            HARDWARE_FACTOR_TOPK: attributes.take("HARDWARE_FACTOR_TOPK")?,
            H_RPN_DYN_MAX: attributes.take("H_RPN_DYN_MAX")?,
            MAX_LENGTH_STATIC_STRECHED: attributes.take("MAX_LENGTH_STATIC_STRECHED")?,
            MAX_PER_IMG: attributes.take("MAX_PER_IMG")?,
            NMS_MAX_LENGTH: attributes.take("NMS_MAX_LENGTH")?,
            NMS_PRE: attributes.take("NMS_PRE")?,
            NUM_CLASSES: attributes.take("NUM_CLASSES")?,
            NUM_INDEXES: attributes.take("NUM_INDEXES")?,
            TOPK_ONNX_NMS: attributes.take("TOPK_ONNX_NMS")?,
            W_RPN_DYN_MAX: attributes.take("W_RPN_DYN_MAX")?,
            conf_threshold: attributes.take("conf_threshold")?,
            delta2bbox_max_scalar_c: attributes.take("delta2bbox_max_scalar_c")?,
            delta2bbox_mean_0: attributes.take("delta2bbox_mean_0")?,
            delta2bbox_mean_1: attributes.take("delta2bbox_mean_1")?,
            delta2bbox_mean_2: attributes.take("delta2bbox_mean_2")?,
            delta2bbox_mean_3: attributes.take("delta2bbox_mean_3")?,
            delta2bbox_std_0: attributes.take("delta2bbox_std_0")?,
            delta2bbox_std_1: attributes.take("delta2bbox_std_1")?,
            delta2bbox_std_2: attributes.take("delta2bbox_std_2")?,
            delta2bbox_std_3: attributes.take("delta2bbox_std_3")?,
            iou_threshold: attributes.take("iou_threshold")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("cls_scores_0", OperandValue::One(& self.cls_scores_0)), ("cls_scores_1",
            OperandValue::One(& self.cls_scores_1)), ("cls_scores_2", OperandValue::One(&
            self.cls_scores_2)), ("cls_scores_3", OperandValue::One(& self
            .cls_scores_3)), ("cls_scores_4", OperandValue::One(& self.cls_scores_4)),
            ("bbox_preds_0", OperandValue::One(& self.bbox_preds_0)), ("bbox_preds_1",
            OperandValue::One(& self.bbox_preds_1)), ("bbox_preds_2", OperandValue::One(&
            self.bbox_preds_2)), ("bbox_preds_3", OperandValue::One(& self
            .bbox_preds_3)), ("bbox_preds_4", OperandValue::One(& self.bbox_preds_4)),
            ("max_shape", OperandValue::One(& self.max_shape)), ("mlvl_anchors_0",
            OperandValue::One(& self.mlvl_anchors_0)), ("mlvl_anchors_1",
            OperandValue::One(& self.mlvl_anchors_1)), ("mlvl_anchors_2",
            OperandValue::One(& self.mlvl_anchors_2)), ("mlvl_anchors_3",
            OperandValue::One(& self.mlvl_anchors_3)), ("mlvl_anchors_4",
            OperandValue::One(& self.mlvl_anchors_4)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("CHANNEL_RPN_BBOXES", &self.CHANNEL_RPN_BBOXES);
        a.put("CHANNEL_RPN_SCORES", &self.CHANNEL_RPN_SCORES);
        a.put("HARDWARE_FACTOR_TOPK", &self.HARDWARE_FACTOR_TOPK);
        a.put("H_RPN_DYN_MAX", &self.H_RPN_DYN_MAX);
        a.put("MAX_LENGTH_STATIC_STRECHED", &self.MAX_LENGTH_STATIC_STRECHED);
        a.put("MAX_PER_IMG", &self.MAX_PER_IMG);
        a.put("NMS_MAX_LENGTH", &self.NMS_MAX_LENGTH);
        a.put("NMS_PRE", &self.NMS_PRE);
        a.put("NUM_CLASSES", &self.NUM_CLASSES);
        a.put("NUM_INDEXES", &self.NUM_INDEXES);
        a.put("TOPK_ONNX_NMS", &self.TOPK_ONNX_NMS);
        a.put("W_RPN_DYN_MAX", &self.W_RPN_DYN_MAX);
        a.put("conf_threshold", &self.conf_threshold);
        a.put("delta2bbox_max_scalar_c", &self.delta2bbox_max_scalar_c);
        a.put("delta2bbox_mean_0", &self.delta2bbox_mean_0);
        a.put("delta2bbox_mean_1", &self.delta2bbox_mean_1);
        a.put("delta2bbox_mean_2", &self.delta2bbox_mean_2);
        a.put("delta2bbox_mean_3", &self.delta2bbox_mean_3);
        a.put("delta2bbox_std_0", &self.delta2bbox_std_0);
        a.put("delta2bbox_std_1", &self.delta2bbox_std_1);
        a.put("delta2bbox_std_2", &self.delta2bbox_std_2);
        a.put("delta2bbox_std_3", &self.delta2bbox_std_3);
        a.put("iou_threshold", &self.iou_threshold);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MaskRCNN_RPNGetBboxes<U>, E> {
        Ok(MaskRCNN_RPNGetBboxes {
            cls_scores_0: f(&self.cls_scores_0)?,
            cls_scores_1: f(&self.cls_scores_1)?,
            cls_scores_2: f(&self.cls_scores_2)?,
            cls_scores_3: f(&self.cls_scores_3)?,
            cls_scores_4: f(&self.cls_scores_4)?,
            bbox_preds_0: f(&self.bbox_preds_0)?,
            bbox_preds_1: f(&self.bbox_preds_1)?,
            bbox_preds_2: f(&self.bbox_preds_2)?,
            bbox_preds_3: f(&self.bbox_preds_3)?,
            bbox_preds_4: f(&self.bbox_preds_4)?,
            max_shape: f(&self.max_shape)?,
            mlvl_anchors_0: f(&self.mlvl_anchors_0)?,
            mlvl_anchors_1: f(&self.mlvl_anchors_1)?,
            mlvl_anchors_2: f(&self.mlvl_anchors_2)?,
            mlvl_anchors_3: f(&self.mlvl_anchors_3)?,
            mlvl_anchors_4: f(&self.mlvl_anchors_4)?,
            CHANNEL_RPN_BBOXES: self.CHANNEL_RPN_BBOXES,
            CHANNEL_RPN_SCORES: self.CHANNEL_RPN_SCORES,
            HARDWARE_FACTOR_TOPK: self.HARDWARE_FACTOR_TOPK,
            H_RPN_DYN_MAX: self.H_RPN_DYN_MAX,
            MAX_LENGTH_STATIC_STRECHED: self.MAX_LENGTH_STATIC_STRECHED,
            MAX_PER_IMG: self.MAX_PER_IMG,
            NMS_MAX_LENGTH: self.NMS_MAX_LENGTH,
            NMS_PRE: self.NMS_PRE,
            NUM_CLASSES: self.NUM_CLASSES,
            NUM_INDEXES: self.NUM_INDEXES,
            TOPK_ONNX_NMS: self.TOPK_ONNX_NMS,
            W_RPN_DYN_MAX: self.W_RPN_DYN_MAX,
            conf_threshold: self.conf_threshold,
            delta2bbox_max_scalar_c: self.delta2bbox_max_scalar_c,
            delta2bbox_mean_0: self.delta2bbox_mean_0,
            delta2bbox_mean_1: self.delta2bbox_mean_1,
            delta2bbox_mean_2: self.delta2bbox_mean_2,
            delta2bbox_mean_3: self.delta2bbox_mean_3,
            delta2bbox_std_0: self.delta2bbox_std_0,
            delta2bbox_std_1: self.delta2bbox_std_1,
            delta2bbox_std_2: self.delta2bbox_std_2,
            delta2bbox_std_3: self.delta2bbox_std_3,
            iou_threshold: self.iou_threshold,
        })
    }
}
