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
    description: "Scores are [n, boxes, classes] if there are anchors, else [n, classes, boxes]; without anchors boxes are corners as they are. The result is [n, 1, keep_top_k, 7]; a row is image, class, score and two corners. Unused rows are at the end and hold -1; if nothing is found, the first ones begin with the indices of the images.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "Boxes, scores, and, if boxes are relative to anchors, those of a PriorBox: [1, 2, 4 * boxes]",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "background_label_id",
            description: "The class that is skipped",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "code_type",
            description: "What is relative: corners (CORNER), by the size (CORNER_SIZE), or center and log size (CENTER_SIZE)",
            kind: AttributeKind::OneOf(&["CORNER", "CENTER_SIZE", "CORNER_SIZE"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "confidence_threshold",
            description: "The score that a box must exceed",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "eta",
            description: "If below 1, the factor of `nms_threshold` after each box kept, while it is above 0.5",
            kind: AttributeKind::Float,
            default: Some(Default::Float(1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_top_k",
            description: "The maximum number of boxes of each image, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nms_threshold",
            description: "The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_classes",
            description: "Number of classes, including the background",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "share_location",
            description: "Whether all classes have the same boxes; else each box has 4 numbers for each class",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "top_k",
            description: "Number of boxes of each class that are considered, the best ones; all if negative",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "variance_encoded_in_target",
            description: "If 0, boxes are multiplied by the variances of their anchors",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.0)),
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.DetectionOutput`: Boxes found by SSD.

Scores are \[n, boxes, classes\] if there are anchors, else \[n, classes, boxes\]; without anchors boxes are corners as they are. The result is \[n, 1, keep_top_k, 7\]; a row is image, class, score and two corners. Unused rows are at the end and hold -1; if nothing is found, the first ones begin with the indices of the images.*/
#[derive(Debug, Clone, PartialEq)]
pub struct DetectionOutput<V> {
    /// Boxes, scores, and, if boxes are relative to anchors, those of a PriorBox: \[1, 2, 4 * boxes\].
    pub inputs: Vec<V>,
    /// The class that is skipped. The default is `0`.
    pub background_label_id: i64,
    /// What is relative: corners (CORNER), by the size (CORNER_SIZE), or center and log size (CENTER_SIZE).
    pub code_type: DetectionOutputCodeType,
    /// The score that a box must exceed.
    pub confidence_threshold: f64,
    /// If below 1, the factor of `nms_threshold` after each box kept, while it is above 0.5. The default is `1.0f64`.
    pub eta: f64,
    /// The maximum number of boxes of each image, at least 1.
    pub keep_top_k: i64,
    /// The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped.
    pub nms_threshold: f64,
    /// Number of classes, including the background.
    pub num_classes: i64,
    /// Whether all classes have the same boxes; else each box has 4 numbers for each class. The default is `true`.
    pub share_location: bool,
    /// Number of boxes of each class that are considered, the best ones; all if negative.
    pub top_k: i64,
    /// If 0, boxes are multiplied by the variances of their anchors. The default is `0.0f64`.
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
    description: "The result is [n, 1, keep_topk, 6]; a row is two corners, class and score, or zeros if unused. It has the first of the boxes that remain, in the order of the inputs. Differences move the center in units of the size, and the size by factors that are exponentials.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "Four differences and a score for each region and class; regions [n, 1, regions, 5] of a Proposal",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "class_num",
            description: "Number of classes, including the background, which is class 0",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_topk",
            description: "The maximum number of boxes of each image, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nms_threshold",
            description: "The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "obj_threshold",
            description: "The score that a box must exceed",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.FrcnDetection`: Boxes found by Faster R-CNN.

The result is \[n, 1, keep_topk, 6\]; a row is two corners, class and score, or zeros if unused. It has the first of the boxes that remain, in the order of the inputs. Differences move the center in units of the size, and the size by factors that are exponentials.*/
#[derive(Debug, Clone, PartialEq)]
pub struct FrcnDetection<V> {
    /// Four differences and a score for each region and class; regions \[n, 1, regions, 5\] of a Proposal.
    pub inputs: Vec<V>,
    /// Number of classes, including the background, which is class 0.
    pub class_num: i64,
    /// The maximum number of boxes of each image, at least 1.
    pub keep_topk: i64,
    /// The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped.
    pub nms_threshold: f64,
    /// The score that a box must exceed.
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
    description: "The optional inputs are the maximum number of boxes kept per class, the overlap (intersection over union) with a kept box above which a box is dropped, and the score that a box must exceed; the last two are 0.5 unless both are given. A row of the result is batch, class, box, the best first within a class; it has batch * classes * min(max_output_size, n) rows, of which unused ones hold -1.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "Boxes [batch, n, 4], scores [batch, classes, n], and optionally up to three numbers of one element",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "center_point_box",
            description: "The form of a box: 0 for two opposite corners, 1 for center and size",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "max_output_size",
            description: "The maximum number of boxes kept per class, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Nms`: Boxes kept by non-maximum suppression.

The optional inputs are the maximum number of boxes kept per class, the overlap (intersection over union) with a kept box above which a box is dropped, and the score that a box must exceed; the last two are 0.5 unless both are given. A row of the result is batch, class, box, the best first within a class; it has batch * classes * min(max_output_size, n) rows, of which unused ones hold -1.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Nms<V> {
    /// Boxes \[batch, n, 4\], scores \[batch, classes, n\], and optionally up to three numbers of one element.
    pub inputs: Vec<V>,
    /// The form of a box: 0 for two opposite corners, 1 for center and size.
    pub center_point_box: i64,
    /// The maximum number of boxes kept per class, at least 1.
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
    description: "The result is [1, 2, h * w * num_priors * 4]: the corners of the boxes relative to the image, as x, y, x, y, then their variances.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The features and the image, of four dimensions; only their shapes matter",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "aspect_ratios",
            description: "Width divided by height of further boxes of each minimum size; 1 is skipped",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "clip",
            description: "Whether corners are clamped to the image",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "img_h",
            description: "The height of the image in pixels; if it or `img_w` is 0, both are those of the second input",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "img_w",
            description: "The width of the image in pixels; if it or `img_h` is 0, both are those of the second input",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "max_size",
            description: "Empty, or for each minimum size another, which adds a square with the side sqrt(min * max)",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "min_size",
            description: "The sides of the boxes in pixels, whose fractions are dropped",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_priors",
            description: "Number of boxes per position; it must be what sizes and ratios give",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "offset",
            description: "The place of a box's center in its step: 0.5 is the middle",
            kind: AttributeKind::Float,
            default: Some(Default::Float(0.5)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "step_h",
            description: "The vertical distance of boxes in pixels; if it or `step_w` is 0, the image is divided evenly",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "step_w",
            description: "The horizontal distance of boxes in pixels; if it or `step_h` is 0, the image is divided evenly",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "use_default_aspect_ratio",
            description: "Whether each minimum size gives a square",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "variance",
            description: "The four variances of each box",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.PriorBox`: Anchor boxes of SSD over a feature map.

The result is \[1, 2, h * w * num_priors * 4\]: the corners of the boxes relative to the image, as x, y, x, y, then their variances.*/
#[derive(Debug, Clone, PartialEq)]
pub struct PriorBox<V> {
    /// The features and the image, of four dimensions; only their shapes matter.
    pub inputs: Vec<V>,
    /// Width divided by height of further boxes of each minimum size; 1 is skipped.
    pub aspect_ratios: Vec<f64>,
    /// Whether corners are clamped to the image. The default is `true`.
    pub clip: bool,
    /// The height of the image in pixels; if it or `img_w` is 0, both are those of the second input.
    pub img_h: i64,
    /// The width of the image in pixels; if it or `img_h` is 0, both are those of the second input.
    pub img_w: i64,
    /// Empty, or for each minimum size another, which adds a square with the side sqrt(min * max).
    pub max_size: Vec<f64>,
    /// The sides of the boxes in pixels, whose fractions are dropped.
    pub min_size: Vec<f64>,
    /// Number of boxes per position; it must be what sizes and ratios give.
    pub num_priors: i64,
    /// The place of a box's center in its step: 0.5 is the middle. The default is `0.5f64`.
    pub offset: f64,
    /// The vertical distance of boxes in pixels; if it or `step_w` is 0, the image is divided evenly.
    pub step_h: f64,
    /// The horizontal distance of boxes in pixels; if it or `step_h` is 0, the image is divided evenly.
    pub step_w: f64,
    /// Whether each minimum size gives a square. The default is `true`.
    pub use_default_aspect_ratio: bool,
    /// The four variances of each box.
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
    description: "Each position has nine anchors: heights of 0.5, 1 and 2 widths, at 8, 16 and 32 times the base size. Differences move the center in units of the size, and the size by factors that are exponentials. The result is [n, 1, rpn_nms_post_top_n, 5]; a row is the index of an image and two corners in pixels, or zeros if unused. It has the first of the boxes that remain, in the order of the inputs.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "Scores [n, 18, h, w], of which the last 9 are those of objects, and differences [n, 36, h, w]",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "anchor_base_size",
            description: "The side of the base of all anchors in pixels, 1 to 2^20",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "feat_stride",
            description: "The distance of neighboring positions in pixels",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "net_input_h",
            description: "The height of the image in pixels, to which boxes are clipped",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "net_input_w",
            description: "The width of the image in pixels, to which boxes are clipped",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rpn_nms_post_top_n",
            description: "The maximum number of boxes of each image, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rpn_nms_threshold",
            description: "The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rpn_obj_threshold",
            description: "The minimum score of a box",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.Proposal`: Regions proposed by Faster R-CNN.

Each position has nine anchors: heights of 0.5, 1 and 2 widths, at 8, 16 and 32 times the base size. Differences move the center in units of the size, and the size by factors that are exponentials. The result is \[n, 1, rpn_nms_post_top_n, 5\]; a row is the index of an image and two corners in pixels, or zeros if unused. It has the first of the boxes that remain, in the order of the inputs.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal<V> {
    /// Scores \[n, 18, h, w\], of which the last 9 are those of objects, and differences \[n, 36, h, w\].
    pub inputs: Vec<V>,
    /// The side of the base of all anchors in pixels, 1 to 2^20.
    pub anchor_base_size: i64,
    /// The distance of neighboring positions in pixels.
    pub feat_stride: i64,
    /// The height of the image in pixels, to which boxes are clipped.
    pub net_input_h: i64,
    /// The width of the image in pixels, to which boxes are clipped.
    pub net_input_w: i64,
    /// The maximum number of boxes of each image, at least 1.
    pub rpn_nms_post_top_n: i64,
    /// The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped.
    pub rpn_nms_threshold: f64,
    /// The minimum score of a box.
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
    description: "Corners are rounded to pixels, both of which belong to the region. A cell that is empty or has no positive element is 0. The result is [m * regions, c, pooled_h, pooled_w].",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "Features [n, c, h, w] and regions [m, 1, regions, 5]: the index of an image, then x, y, x, y",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "pooled_h",
            description: "Number of cells of a region vertically, 1 to 4096",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pooled_w",
            description: "Number of cells of a region horizontally, 1 to 4096",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "spatial_scale",
            description: "The factor from the corners' units to pixels of the features",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.ROIPooling`: Maximum of each cell of a region.

Corners are rounded to pixels, both of which belong to the region. A cell that is empty or has no positive element is 0. The result is \[m * regions, c, pooled_h, pooled_w\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct ROIPooling<V> {
    /// Features \[n, c, h, w\] and regions \[m, 1, regions, 5\]: the index of an image, then x, y, x, y.
    pub inputs: Vec<V>,
    /// Number of cells of a region vertically, 1 to 4096.
    pub pooled_h: i64,
    /// Number of cells of a region horizontally, 1 to 4096.
    pub pooled_w: i64,
    /// The factor from the corners' units to pixels of the features.
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
    description: "The result is [n, 1, keep_topk, 15]; a row is two corners, the score and five points.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "Scores, boxes and points at each of three scales",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "confidence_threshold",
            description: "The score that a face must exceed",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_topk",
            description: "The maximum number of faces of each image",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nms_threshold",
            description: "The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.RetinaFaceDetection`: Faces found by RetinaFace.

The result is \[n, 1, keep_topk, 15\]; a row is two corners, the score and five points.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RetinaFaceDetection<V> {
    /// Scores, boxes and points at each of three scales.
    pub inputs: Vec<V>,
    /// The score that a face must exceed.
    pub confidence_threshold: f64,
    /// The maximum number of faces of each image.
    pub keep_topk: i64,
    /// The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped.
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
    description: "The result is [regions, c, output_height, output_width]. Samples more than a pixel outside the image are 0.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The features: [n, c, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "rois",
            description: "The regions, [regions, 5]: the index of an image, then two corners, as x, y, x, y",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "align_corners",
            description: "Whether corners move by half a pixel up and left; otherwise a side has at least a pixel",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mode",
            description: "Whether a cell is the mean (Avg) or the maximum (Max) of its samples",
            kind: AttributeKind::OneOf(&["Avg", "Max"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_height",
            description: "Number of cells of a region vertically, 1 to 4096",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_width",
            description: "Number of cells of a region horizontally, 1 to 4096",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "sampling_ratio",
            description: "Number of samples per side of a cell, at most 128; 0 for one per pixel",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "spatial_scale",
            description: "The factor from the corners' units to pixels of `input`",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.RoiAlign`: Mean or maximum of interpolated samples in each cell of a region.

The result is \[regions, c, output_height, output_width\]. Samples more than a pixel outside the image are 0.*/
#[derive(Debug, Clone, PartialEq)]
pub struct RoiAlign<V> {
    /// The features: \[n, c, h, w\].
    pub input: V,
    /// The regions, \[regions, 5\]: the index of an image, then two corners, as x, y, x, y.
    pub rois: V,
    /// Whether corners move by half a pixel up and left; otherwise a side has at least a pixel.
    pub align_corners: bool,
    /// Whether a cell is the mean (Avg) or the maximum (Max) of its samples.
    pub mode: RoiAlignMode,
    /// Number of cells of a region vertically, 1 to 4096.
    pub output_height: i64,
    /// Number of cells of a region horizontally, 1 to 4096.
    pub output_width: i64,
    /// Number of samples per side of a cell, at most 128; 0 for one per pixel.
    pub sampling_ratio: i64,
    /// The factor from the corners' units to pixels of `input`.
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
    description: "The result is [regions, c, output_height, output_width].",
    operands: &[
        ValueDef {
            name: "rois",
            description: "The regions, [regions, 5]: the index of an image, then two corners, as x, y, x, y",
            arity: Arity::Required,
        },
        ValueDef {
            name: "target_lvls",
            description: "The level of each region, from 0: [regions]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "inputs",
            description: "The levels: [n, c, h, w] each, of the same n, c and dtype",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "align_corners",
            description: "Whether corners move by half a pixel up and left; otherwise a side has at least a pixel",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_static",
            description: "Whether shapes are static in the tool chain",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "mode",
            description: "Whether a cell is the mean (Avg) or the maximum (Max) of its samples",
            kind: AttributeKind::OneOf(&["Avg", "Max"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_levels",
            description: "Number of levels; that of `inputs`",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_height",
            description: "Number of cells of a region vertically, 1 to 4096",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_width",
            description: "Number of cells of a region horizontally, 1 to 4096",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "sampling_ratio",
            description: "Number of samples per side of a cell, at most 128; 0 for one per pixel",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "spatial_scales",
            description: "The factor from the corners' units to pixels of each level",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
    ],
    results: &[
        ValueDef {
            name: "output",
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.RoiExtractor`: RoiAlign of each region on its own level of a feature pyramid.

The result is \[regions, c, output_height, output_width\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct RoiExtractor<V> {
    /// The regions, \[regions, 5\]: the index of an image, then two corners, as x, y, x, y.
    pub rois: V,
    /// The level of each region, from 0: \[regions\].
    pub target_lvls: V,
    /// The levels: \[n, c, h, w\] each, of the same n, c and dtype.
    pub inputs: Vec<V>,
    /// Whether corners move by half a pixel up and left; otherwise a side has at least a pixel.
    pub align_corners: bool,
    /// Whether shapes are static in the tool chain. It changes no result.
    pub is_static: bool,
    /// Whether a cell is the mean (Avg) or the maximum (Max) of its samples.
    pub mode: RoiAlignMode,
    /// Number of levels; that of `inputs`.
    pub num_levels: i64,
    /// Number of cells of a region vertically, 1 to 4096.
    pub output_height: i64,
    /// Number of cells of a region horizontally, 1 to 4096.
    pub output_width: i64,
    /// Number of samples per side of a cell, at most 128; 0 for one per pixel.
    pub sampling_ratio: i64,
    /// The factor from the corners' units to pixels of each level.
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
    description: "A score is the sigmoid of the objectness times the softmax of the likeliest class. The result is [n, 1, keep_topk, 6]; a row is center, size, class and score, or zeros if unused. It has the first of the boxes that remain, beginning with the widest features. The rows of several images have an image's index before that; only a single image is computed. Centers and sizes are in pixels for yolov5, else relative to the image.",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The features at each scale: [n, 3 * (5 + class_num), h, w]",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "agnostic_nms",
            description: "Whether boxes suppress those of other classes, too",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "anchors",
            description: "Width and height in pixels of three anchors for each of the inputs, of which the widest is first",
            kind: AttributeKind::Floats,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "class_num",
            description: "Number of classes",
            kind: AttributeKind::Int,
            default: Some(Default::Int(80)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_topk",
            description: "The maximum number of boxes of each image, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "net_input_h",
            description: "The height of the image in pixels",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "net_input_w",
            description: "The width of the image in pixels",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nms_threshold",
            description: "The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_boxes",
            description: "Number of boxes per position",
            kind: AttributeKind::Int,
            default: Some(Default::Int(3)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "obj_threshold",
            description: "The minimum score of a box",
            kind: AttributeKind::Float,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "version",
            description: "How features encode boxes; versions after yolov5 are not computed",
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
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
/**`top.YoloDetection`: Boxes found by YOLO.

A score is the sigmoid of the objectness times the softmax of the likeliest class. The result is \[n, 1, keep_topk, 6\]; a row is center, size, class and score, or zeros if unused. It has the first of the boxes that remain, beginning with the widest features. The rows of several images have an image's index before that; only a single image is computed. Centers and sizes are in pixels for yolov5, else relative to the image.*/
#[derive(Debug, Clone, PartialEq)]
pub struct YoloDetection<V> {
    /// The features at each scale: \[n, 3 * (5 + class_num), h, w\].
    pub inputs: Vec<V>,
    /// Whether boxes suppress those of other classes, too. The default is `false`. It changes no result.
    pub agnostic_nms: bool,
    /// Width and height in pixels of three anchors for each of the inputs, of which the widest is first.
    pub anchors: Vec<f64>,
    /// Number of classes. The default is `80`.
    pub class_num: i64,
    /// The maximum number of boxes of each image, at least 1.
    pub keep_topk: i64,
    /// The height of the image in pixels.
    pub net_input_h: i64,
    /// The width of the image in pixels.
    pub net_input_w: i64,
    /// The overlap (intersection over union) above which the lower-scored of two boxes of a class is dropped.
    pub nms_threshold: f64,
    /// Number of boxes per position. The default is `3`. It changes no result.
    pub num_boxes: i64,
    /// The minimum score of a box.
    pub obj_threshold: f64,
    /// How features encode boxes; versions after yolov5 are not computed.
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
