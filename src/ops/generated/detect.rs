// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of CORNER, CENTER_SIZE, CORNER_SIZE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DetectionOutputCodeType {
    CORNER,
    CENTERSIZE,
    CORNERSIZE,
}
impl DetectionOutputCodeType {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            DetectionOutputCodeType::CORNER => "CORNER",
            DetectionOutputCodeType::CENTERSIZE => "CENTER_SIZE",
            DetectionOutputCodeType::CORNERSIZE => "CORNER_SIZE",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "CORNER" => DetectionOutputCodeType::CORNER,
                "CENTER_SIZE" => DetectionOutputCodeType::CENTERSIZE,
                "CORNER_SIZE" => DetectionOutputCodeType::CORNERSIZE,
                _ => return None,
            },
        )
    }
}
one_of!(DetectionOutputCodeType);
/// A string attribute: one of Avg, Max.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum RoiAlignMode {
    Avg,
    Max,
}
impl RoiAlignMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            RoiAlignMode::Avg => "Avg",
            RoiAlignMode::Max => "Max",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "Avg" => RoiAlignMode::Avg,
                "Max" => RoiAlignMode::Max,
                _ => return None,
            },
        )
    }
}
one_of!(RoiAlignMode);
/// A string attribute: one of yolov3, yolov3_tiny, yolov3_spp, yolov4, yolov5, yolov8, yolov11, yolov26.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum YoloDetectionVersion {
    Yolov3,
    Yolov3Tiny,
    Yolov3Spp,
    Yolov4,
    Yolov5,
    Yolov8,
    Yolov11,
    Yolov26,
}
impl YoloDetectionVersion {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            YoloDetectionVersion::Yolov3 => "yolov3",
            YoloDetectionVersion::Yolov3Tiny => "yolov3_tiny",
            YoloDetectionVersion::Yolov3Spp => "yolov3_spp",
            YoloDetectionVersion::Yolov4 => "yolov4",
            YoloDetectionVersion::Yolov5 => "yolov5",
            YoloDetectionVersion::Yolov8 => "yolov8",
            YoloDetectionVersion::Yolov11 => "yolov11",
            YoloDetectionVersion::Yolov26 => "yolov26",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "yolov3" => YoloDetectionVersion::Yolov3,
                "yolov3_tiny" => YoloDetectionVersion::Yolov3Tiny,
                "yolov3_spp" => YoloDetectionVersion::Yolov3Spp,
                "yolov4" => YoloDetectionVersion::Yolov4,
                "yolov5" => YoloDetectionVersion::Yolov5,
                "yolov8" => YoloDetectionVersion::Yolov8,
                "yolov11" => YoloDetectionVersion::Yolov11,
                "yolov26" => YoloDetectionVersion::Yolov26,
                _ => return None,
            },
        )
    }
}
one_of!(YoloDetectionVersion);
pub(super) const DETECTIONOUTPUT: OpDef = OpDef {
    name: "DetectionOutput",
    summary: "Boxes found by SSD",
    description: "The result is [n, 1, keep_top_k, 7]: image, class, score and two corners.",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "background_label_id",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "code_type",
            kind: AttributeKind::OneOf(&["CORNER", "CENTER_SIZE", "CORNER_SIZE"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "confidence_threshold",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "eta",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_top_k",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nms_threshold",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_classes",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "share_location",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "top_k",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "variance_encoded_in_target",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.DetectionOutput`: Boxes found by SSD.

The result is \[n, 1, keep_top_k, 7\]: image, class, score and two corners.*/
#[derive(Debug, Clone, PartialEq)]
pub struct DetectionOutput<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute; `0` by default.
    pub background_label_id: i64,
    ///Attribute.
    pub code_type: DetectionOutputCodeType,
    ///Attribute.
    pub confidence_threshold: f64,
    ///Attribute; `1.0f64` by default.
    pub eta: f64,
    ///Attribute.
    pub keep_top_k: i64,
    ///Attribute.
    pub nms_threshold: f64,
    ///Attribute.
    pub num_classes: i64,
    ///Attribute; `true` by default.
    pub share_location: bool,
    ///Attribute.
    pub top_k: i64,
    ///Attribute; `0.0f64` by default.
    pub variance_encoded_in_target: f64,
}
impl<V> DetectionOutput<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        inputs: Vec<V>,
        code_type: DetectionOutputCodeType,
        confidence_threshold: f64,
        keep_top_k: i64,
        nms_threshold: f64,
        num_classes: i64,
        top_k: i64,
    ) -> Self {
        Self {
            inputs,
            background_label_id: 0,
            code_type,
            confidence_threshold,
            eta: 1.0f64,
            keep_top_k,
            nms_threshold,
            num_classes,
            share_location: true,
            top_k,
            variance_encoded_in_target: 0.0f64,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            background_label_id: attributes.take("background_label_id")?,
            code_type: attributes.take("code_type")?,
            confidence_threshold: attributes.take("confidence_threshold")?,
            eta: attributes.take("eta")?,
            keep_top_k: attributes.take("keep_top_k")?,
            nms_threshold: attributes.take("nms_threshold")?,
            num_classes: attributes.take("num_classes")?,
            share_location: attributes.take("share_location")?,
            top_k: attributes.take("top_k")?,
            variance_encoded_in_target: attributes.take("variance_encoded_in_target")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("background_label_id", &self.background_label_id);
        a.put("code_type", &self.code_type);
        a.put("confidence_threshold", &self.confidence_threshold);
        a.put("eta", &self.eta);
        a.put("keep_top_k", &self.keep_top_k);
        a.put("nms_threshold", &self.nms_threshold);
        a.put("num_classes", &self.num_classes);
        a.put("share_location", &self.share_location);
        a.put("top_k", &self.top_k);
        a.put("variance_encoded_in_target", &self.variance_encoded_in_target);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<DetectionOutput<U>, E> {
        Ok(DetectionOutput {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            background_label_id: self.background_label_id,
            code_type: self.code_type,
            confidence_threshold: self.confidence_threshold,
            eta: self.eta,
            keep_top_k: self.keep_top_k,
            nms_threshold: self.nms_threshold,
            num_classes: self.num_classes,
            share_location: self.share_location,
            top_k: self.top_k,
            variance_encoded_in_target: self.variance_encoded_in_target,
        })
    }
}
pub(super) const FRCNDETECTION: OpDef = OpDef {
    name: "FrcnDetection",
    summary: "Boxes found by Faster R-CNN",
    description: "The result is [n, 1, keep_topk, 6].",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "class_num",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_topk",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nms_threshold",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "obj_threshold",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.FrcnDetection`: Boxes found by Faster R-CNN.

The result is \[n, 1, keep_topk, 6\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct FrcnDetection<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute.
    pub class_num: i64,
    ///Attribute.
    pub keep_topk: i64,
    ///Attribute.
    pub nms_threshold: f64,
    ///Attribute.
    pub obj_threshold: f64,
}
impl<V> FrcnDetection<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        inputs: Vec<V>,
        class_num: i64,
        keep_topk: i64,
        nms_threshold: f64,
        obj_threshold: f64,
    ) -> Self {
        Self {
            inputs,
            class_num,
            keep_topk,
            nms_threshold,
            obj_threshold,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            class_num: attributes.take("class_num")?,
            keep_topk: attributes.take("keep_topk")?,
            nms_threshold: attributes.take("nms_threshold")?,
            obj_threshold: attributes.take("obj_threshold")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("class_num", &self.class_num);
        a.put("keep_topk", &self.keep_topk);
        a.put("nms_threshold", &self.nms_threshold);
        a.put("obj_threshold", &self.obj_threshold);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<FrcnDetection<U>, E> {
        Ok(FrcnDetection {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            class_num: self.class_num,
            keep_topk: self.keep_topk,
            nms_threshold: self.nms_threshold,
            obj_threshold: self.obj_threshold,
        })
    }
}
pub(super) const NMS: OpDef = OpDef {
    name: "Nms",
    summary: "Boxes kept by non-maximum suppression",
    description: "`inputs` are boxes [batch, n, 4], scores [batch, classes, n], and optionally the number of boxes kept, the overlap above which a box is dropped and the minimum score. A row of the result is batch, class, box. A box is two corners, or center and size if `center_point_box` is 1. At most `max_output_size` boxes per class are kept; unused rows hold -1.",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "center_point_box",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "max_output_size",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Nms`: Boxes kept by non-maximum suppression.

`inputs` are boxes \[batch, n, 4\], scores \[batch, classes, n\], and optionally the number of boxes kept, the overlap above which a box is dropped and the minimum score. A row of the result is batch, class, box. A box is two corners, or center and size if `center_point_box` is 1. At most `max_output_size` boxes per class are kept; unused rows hold -1.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Nms<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute.
    pub center_point_box: i64,
    ///Attribute.
    pub max_output_size: i64,
}
impl<V> Nms<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>, center_point_box: i64, max_output_size: i64) -> Self {
        Self {
            inputs,
            center_point_box,
            max_output_size,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            center_point_box: attributes.take("center_point_box")?,
            max_output_size: attributes.take("max_output_size")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("center_point_box", &self.center_point_box);
        a.put("max_output_size", &self.max_output_size);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Nms<U>, E> {
        Ok(Nms {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            center_point_box: self.center_point_box,
            max_output_size: self.max_output_size,
        })
    }
}
pub(super) const PRIORBOX: OpDef = OpDef {
    name: "PriorBox",
    summary: "Anchor boxes of SSD over a feature map",
    description: "The result is [1, 2, h * w * num_priors * 4]: the boxes, then their variances.",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "aspect_ratios",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "clip",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "img_h",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "img_w",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "max_size",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "min_size",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_priors",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "offset",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.5)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "step_h",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "step_w",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "use_default_aspect_ratio",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "variance",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.PriorBox`: Anchor boxes of SSD over a feature map.

The result is \[1, 2, h * w * num_priors * 4\]: the boxes, then their variances.*/
#[derive(Debug, Clone, PartialEq)]
pub struct PriorBox<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute.
    pub aspect_ratios: Vec<f64>,
    ///Attribute; `true` by default.
    pub clip: bool,
    ///Attribute.
    pub img_h: i64,
    ///Attribute.
    pub img_w: i64,
    ///Attribute.
    pub max_size: Vec<f64>,
    ///Attribute.
    pub min_size: Vec<f64>,
    ///Attribute.
    pub num_priors: i64,
    ///Attribute; `0.5f64` by default.
    pub offset: f64,
    ///Attribute.
    pub step_h: f64,
    ///Attribute.
    pub step_w: f64,
    ///Attribute; `true` by default.
    pub use_default_aspect_ratio: bool,
    ///Attribute.
    pub variance: Vec<f64>,
}
impl<V> PriorBox<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        inputs: Vec<V>,
        aspect_ratios: Vec<f64>,
        img_h: i64,
        img_w: i64,
        max_size: Vec<f64>,
        min_size: Vec<f64>,
        num_priors: i64,
        step_h: f64,
        step_w: f64,
        variance: Vec<f64>,
    ) -> Self {
        Self {
            inputs,
            aspect_ratios,
            clip: true,
            img_h,
            img_w,
            max_size,
            min_size,
            num_priors,
            offset: 0.5f64,
            step_h,
            step_w,
            use_default_aspect_ratio: true,
            variance,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            aspect_ratios: attributes.take("aspect_ratios")?,
            clip: attributes.take("clip")?,
            img_h: attributes.take("img_h")?,
            img_w: attributes.take("img_w")?,
            max_size: attributes.take("max_size")?,
            min_size: attributes.take("min_size")?,
            num_priors: attributes.take("num_priors")?,
            offset: attributes.take("offset")?,
            step_h: attributes.take("step_h")?,
            step_w: attributes.take("step_w")?,
            use_default_aspect_ratio: attributes.take("use_default_aspect_ratio")?,
            variance: attributes.take("variance")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("aspect_ratios", &self.aspect_ratios);
        a.put("clip", &self.clip);
        a.put("img_h", &self.img_h);
        a.put("img_w", &self.img_w);
        a.put("max_size", &self.max_size);
        a.put("min_size", &self.min_size);
        a.put("num_priors", &self.num_priors);
        a.put("offset", &self.offset);
        a.put("step_h", &self.step_h);
        a.put("step_w", &self.step_w);
        a.put("use_default_aspect_ratio", &self.use_default_aspect_ratio);
        a.put("variance", &self.variance);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<PriorBox<U>, E> {
        Ok(PriorBox {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            aspect_ratios: self.aspect_ratios.clone(),
            clip: self.clip,
            img_h: self.img_h,
            img_w: self.img_w,
            max_size: self.max_size.clone(),
            min_size: self.min_size.clone(),
            num_priors: self.num_priors,
            offset: self.offset,
            step_h: self.step_h,
            step_w: self.step_w,
            use_default_aspect_ratio: self.use_default_aspect_ratio,
            variance: self.variance.clone(),
        })
    }
}
pub(super) const PROPOSAL: OpDef = OpDef {
    name: "Proposal",
    summary: "Regions proposed by Faster R-CNN",
    description: "The result is [n, 1, rpn_nms_post_top_n, 5].",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "anchor_base_size",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "feat_stride",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "net_input_h",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "net_input_w",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rpn_nms_post_top_n",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rpn_nms_threshold",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rpn_obj_threshold",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Proposal`: Regions proposed by Faster R-CNN.

The result is \[n, 1, rpn_nms_post_top_n, 5\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute.
    pub anchor_base_size: i64,
    ///Attribute.
    pub feat_stride: i64,
    ///Attribute.
    pub net_input_h: i64,
    ///Attribute.
    pub net_input_w: i64,
    ///Attribute.
    pub rpn_nms_post_top_n: i64,
    ///Attribute.
    pub rpn_nms_threshold: f64,
    ///Attribute.
    pub rpn_obj_threshold: f64,
}
impl<V> Proposal<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        inputs: Vec<V>,
        anchor_base_size: i64,
        feat_stride: i64,
        net_input_h: i64,
        net_input_w: i64,
        rpn_nms_post_top_n: i64,
        rpn_nms_threshold: f64,
        rpn_obj_threshold: f64,
    ) -> Self {
        Self {
            inputs,
            anchor_base_size,
            feat_stride,
            net_input_h,
            net_input_w,
            rpn_nms_post_top_n,
            rpn_nms_threshold,
            rpn_obj_threshold,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            anchor_base_size: attributes.take("anchor_base_size")?,
            feat_stride: attributes.take("feat_stride")?,
            net_input_h: attributes.take("net_input_h")?,
            net_input_w: attributes.take("net_input_w")?,
            rpn_nms_post_top_n: attributes.take("rpn_nms_post_top_n")?,
            rpn_nms_threshold: attributes.take("rpn_nms_threshold")?,
            rpn_obj_threshold: attributes.take("rpn_obj_threshold")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("anchor_base_size", &self.anchor_base_size);
        a.put("feat_stride", &self.feat_stride);
        a.put("net_input_h", &self.net_input_h);
        a.put("net_input_w", &self.net_input_w);
        a.put("rpn_nms_post_top_n", &self.rpn_nms_post_top_n);
        a.put("rpn_nms_threshold", &self.rpn_nms_threshold);
        a.put("rpn_obj_threshold", &self.rpn_obj_threshold);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Proposal<U>, E> {
        Ok(Proposal {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            anchor_base_size: self.anchor_base_size,
            feat_stride: self.feat_stride,
            net_input_h: self.net_input_h,
            net_input_w: self.net_input_w,
            rpn_nms_post_top_n: self.rpn_nms_post_top_n,
            rpn_nms_threshold: self.rpn_nms_threshold,
            rpn_obj_threshold: self.rpn_obj_threshold,
        })
    }
}
pub(super) const ROIPOOLING: OpDef = OpDef {
    name: "ROIPooling",
    summary: "Maximum of each cell of a region",
    description: "`inputs` are features and regions; a region is an image's index and two corners, which are multiplied by `spatial_scale`.",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "pooled_h",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pooled_w",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "spatial_scale",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.ROIPooling`: Maximum of each cell of a region.

`inputs` are features and regions; a region is an image's index and two corners, which are multiplied by `spatial_scale`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct ROIPooling<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute.
    pub pooled_h: i64,
    ///Attribute.
    pub pooled_w: i64,
    ///Attribute.
    pub spatial_scale: f64,
}
impl<V> ROIPooling<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        inputs: Vec<V>,
        pooled_h: i64,
        pooled_w: i64,
        spatial_scale: f64,
    ) -> Self {
        Self {
            inputs,
            pooled_h,
            pooled_w,
            spatial_scale,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            pooled_h: attributes.take("pooled_h")?,
            pooled_w: attributes.take("pooled_w")?,
            spatial_scale: attributes.take("spatial_scale")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("pooled_h", &self.pooled_h);
        a.put("pooled_w", &self.pooled_w);
        a.put("spatial_scale", &self.spatial_scale);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ROIPooling<U>, E> {
        Ok(ROIPooling {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            pooled_h: self.pooled_h,
            pooled_w: self.pooled_w,
            spatial_scale: self.spatial_scale,
        })
    }
}
pub(super) const RETINAFACEDETECTION: OpDef = OpDef {
    name: "RetinaFaceDetection",
    summary: "Faces found by RetinaFace",
    description: "The result is [n, 1, keep_topk, 15].",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "confidence_threshold",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_topk",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nms_threshold",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.RetinaFaceDetection`: Faces found by RetinaFace.

The result is \[n, 1, keep_topk, 15\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct RetinaFaceDetection<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute.
    pub confidence_threshold: f64,
    ///Attribute.
    pub keep_topk: i64,
    ///Attribute.
    pub nms_threshold: f64,
}
impl<V> RetinaFaceDetection<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        inputs: Vec<V>,
        confidence_threshold: f64,
        keep_topk: i64,
        nms_threshold: f64,
    ) -> Self {
        Self {
            inputs,
            confidence_threshold,
            keep_topk,
            nms_threshold,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            confidence_threshold: attributes.take("confidence_threshold")?,
            keep_topk: attributes.take("keep_topk")?,
            nms_threshold: attributes.take("nms_threshold")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("confidence_threshold", &self.confidence_threshold);
        a.put("keep_topk", &self.keep_topk);
        a.put("nms_threshold", &self.nms_threshold);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<RetinaFaceDetection<U>, E> {
        Ok(RetinaFaceDetection {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            confidence_threshold: self.confidence_threshold,
            keep_topk: self.keep_topk,
            nms_threshold: self.nms_threshold,
        })
    }
}
pub(super) const ROIALIGN: OpDef = OpDef {
    name: "RoiAlign",
    summary: "Mean or maximum of interpolated samples in each cell of a region",
    description: "A row of `rois` is an image's index and two corners, which are multiplied by `spatial_scale`. Each region has `output_height` x `output_width` cells, each cell `sampling_ratio` samples per side. `align_corners` moves the corners by half a pixel.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "rois",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "align_corners",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mode",
            kind: AttributeKind::OneOf(&["Avg", "Max"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_height",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_width",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "sampling_ratio",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "spatial_scale",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.RoiAlign`: Mean or maximum of interpolated samples in each cell of a region.

A row of `rois` is an image's index and two corners, which are multiplied by `spatial_scale`. Each region has `output_height` x `output_width` cells, each cell `sampling_ratio` samples per side. `align_corners` moves the corners by half a pixel.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RoiAlign<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub rois: V,
    ///Attribute.
    pub align_corners: bool,
    ///Attribute.
    pub mode: RoiAlignMode,
    ///Attribute.
    pub output_height: i64,
    ///Attribute.
    pub output_width: i64,
    ///Attribute.
    pub sampling_ratio: i64,
    ///Attribute.
    pub spatial_scale: f64,
}
impl<V> RoiAlign<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        rois: V,
        align_corners: bool,
        mode: RoiAlignMode,
        output_height: i64,
        output_width: i64,
        sampling_ratio: i64,
        spatial_scale: f64,
    ) -> Self {
        Self {
            input,
            rois,
            align_corners,
            mode,
            output_height,
            output_width,
            sampling_ratio,
            spatial_scale,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            rois: operands.required("rois")?,
            align_corners: attributes.take("align_corners")?,
            mode: attributes.take("mode")?,
            output_height: attributes.take("output_height")?,
            output_width: attributes.take("output_width")?,
            sampling_ratio: attributes.take("sampling_ratio")?,
            spatial_scale: attributes.take("spatial_scale")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("rois", OperandValue::One(& self
            .rois)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("align_corners", &self.align_corners);
        a.put("mode", &self.mode);
        a.put("output_height", &self.output_height);
        a.put("output_width", &self.output_width);
        a.put("sampling_ratio", &self.sampling_ratio);
        a.put("spatial_scale", &self.spatial_scale);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<RoiAlign<U>, E> {
        Ok(RoiAlign {
            input: f(&self.input)?,
            rois: f(&self.rois)?,
            align_corners: self.align_corners,
            mode: self.mode,
            output_height: self.output_height,
            output_width: self.output_width,
            sampling_ratio: self.sampling_ratio,
            spatial_scale: self.spatial_scale,
        })
    }
}
pub(super) const ROIEXTRACTOR: OpDef = OpDef {
    name: "RoiExtractor",
    summary: "RoiAlign of each region on its own level of a feature pyramid",
    description: "`inputs` are the levels, `spatial_scales` their scales; `target_lvls` has the level of each region.",
    operands: &[
        ValueDef {
            name: "rois",
            arity: Arity::Required,
        },
        ValueDef {
            name: "target_lvls",
            arity: Arity::Required,
        },
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "align_corners",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_static",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "mode",
            kind: AttributeKind::OneOf(&["Avg", "Max"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_levels",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_height",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_width",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "sampling_ratio",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "spatial_scales",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.RoiExtractor`: RoiAlign of each region on its own level of a feature pyramid.

`inputs` are the levels, `spatial_scales` their scales; `target_lvls` has the level of each region.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RoiExtractor<V> {
    /// Operand.
    pub rois: V,
    /// Operand.
    pub target_lvls: V,
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute.
    pub align_corners: bool,
    ///Attribute. It changes no result.
    pub is_static: bool,
    ///Attribute.
    pub mode: RoiAlignMode,
    ///Attribute.
    pub num_levels: i64,
    ///Attribute.
    pub output_height: i64,
    ///Attribute.
    pub output_width: i64,
    ///Attribute.
    pub sampling_ratio: i64,
    ///Attribute.
    pub spatial_scales: Vec<f64>,
}
impl<V> RoiExtractor<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        rois: V,
        target_lvls: V,
        inputs: Vec<V>,
        align_corners: bool,
        is_static: bool,
        mode: RoiAlignMode,
        num_levels: i64,
        output_height: i64,
        output_width: i64,
        sampling_ratio: i64,
        spatial_scales: Vec<f64>,
    ) -> Self {
        Self {
            rois,
            target_lvls,
            inputs,
            align_corners,
            is_static,
            mode,
            num_levels,
            output_height,
            output_width,
            sampling_ratio,
            spatial_scales,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            rois: operands.required("rois")?,
            target_lvls: operands.required("target_lvls")?,
            inputs: operands.rest("inputs")?,
            align_corners: attributes.take("align_corners")?,
            is_static: attributes.take("is_static")?,
            mode: attributes.take("mode")?,
            num_levels: attributes.take("num_levels")?,
            output_height: attributes.take("output_height")?,
            output_width: attributes.take("output_width")?,
            sampling_ratio: attributes.take("sampling_ratio")?,
            spatial_scales: attributes.take("spatial_scales")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("rois", OperandValue::One(& self.rois)), ("target_lvls", OperandValue::One(&
            self.target_lvls)), ("inputs", OperandValue::Many(& self.inputs)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("align_corners", &self.align_corners);
        a.put("is_static", &self.is_static);
        a.put("mode", &self.mode);
        a.put("num_levels", &self.num_levels);
        a.put("output_height", &self.output_height);
        a.put("output_width", &self.output_width);
        a.put("sampling_ratio", &self.sampling_ratio);
        a.put("spatial_scales", &self.spatial_scales);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<RoiExtractor<U>, E> {
        Ok(RoiExtractor {
            rois: f(&self.rois)?,
            target_lvls: f(&self.target_lvls)?,
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            align_corners: self.align_corners,
            is_static: self.is_static,
            mode: self.mode,
            num_levels: self.num_levels,
            output_height: self.output_height,
            output_width: self.output_width,
            sampling_ratio: self.sampling_ratio,
            spatial_scales: self.spatial_scales.clone(),
        })
    }
}
pub(super) const YOLODETECTION: OpDef = OpDef {
    name: "YoloDetection",
    summary: "Boxes found by YOLO",
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "agnostic_nms",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "anchors",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "class_num",
            kind: AttributeKind::Int,
            default: Some(Default::Int(80)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_topk",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "net_input_h",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "net_input_w",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nms_threshold",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_boxes",
            kind: AttributeKind::Int,
            default: Some(Default::Int(3)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "obj_threshold",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "version",
            kind: AttributeKind::OneOf(
                &[
                    "yolov3",
                    "yolov3_tiny",
                    "yolov3_spp",
                    "yolov4",
                    "yolov5",
                    "yolov8",
                    "yolov11",
                    "yolov26",
                ],
            ),
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.YoloDetection`: Boxes found by YOLO.
#[derive(Debug, Clone, PartialEq)]
pub struct YoloDetection<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute; `false` by default. It changes no result.
    pub agnostic_nms: bool,
    ///Attribute.
    pub anchors: Vec<f64>,
    ///Attribute; `80` by default.
    pub class_num: i64,
    ///Attribute.
    pub keep_topk: i64,
    ///Attribute.
    pub net_input_h: i64,
    ///Attribute.
    pub net_input_w: i64,
    ///Attribute.
    pub nms_threshold: f64,
    ///Attribute; `3` by default. It changes no result.
    pub num_boxes: i64,
    ///Attribute.
    pub obj_threshold: f64,
    ///Attribute.
    pub version: YoloDetectionVersion,
}
impl<V> YoloDetection<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        inputs: Vec<V>,
        anchors: Vec<f64>,
        keep_topk: i64,
        net_input_h: i64,
        net_input_w: i64,
        nms_threshold: f64,
        obj_threshold: f64,
        version: YoloDetectionVersion,
    ) -> Self {
        Self {
            inputs,
            agnostic_nms: false,
            anchors,
            class_num: 80,
            keep_topk,
            net_input_h,
            net_input_w,
            nms_threshold,
            num_boxes: 3,
            obj_threshold,
            version,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            agnostic_nms: attributes.take("agnostic_nms")?,
            anchors: attributes.take("anchors")?,
            class_num: attributes.take("class_num")?,
            keep_topk: attributes.take("keep_topk")?,
            net_input_h: attributes.take("net_input_h")?,
            net_input_w: attributes.take("net_input_w")?,
            nms_threshold: attributes.take("nms_threshold")?,
            num_boxes: attributes.take("num_boxes")?,
            obj_threshold: attributes.take("obj_threshold")?,
            version: attributes.take("version")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("agnostic_nms", &self.agnostic_nms);
        a.put("anchors", &self.anchors);
        a.put("class_num", &self.class_num);
        a.put("keep_topk", &self.keep_topk);
        a.put("net_input_h", &self.net_input_h);
        a.put("net_input_w", &self.net_input_w);
        a.put("nms_threshold", &self.nms_threshold);
        a.put("num_boxes", &self.num_boxes);
        a.put("obj_threshold", &self.obj_threshold);
        a.put("version", &self.version);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<YoloDetection<U>, E> {
        Ok(YoloDetection {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            agnostic_nms: self.agnostic_nms,
            anchors: self.anchors.clone(),
            class_num: self.class_num,
            keep_topk: self.keep_topk,
            net_input_h: self.net_input_h,
            net_input_w: self.net_input_w,
            nms_threshold: self.nms_threshold,
            num_boxes: self.num_boxes,
            obj_threshold: self.obj_threshold,
            version: self.version,
        })
    }
}
