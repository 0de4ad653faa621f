// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of align_corners, half_pixel, pytorch_half_pixel, asymmetric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum InterpCoordMode {
    AlignCorners,
    HalfPixel,
    PytorchHalfPixel,
    Asymmetric,
}
impl InterpCoordMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            InterpCoordMode::AlignCorners => "align_corners",
            InterpCoordMode::HalfPixel => "half_pixel",
            InterpCoordMode::PytorchHalfPixel => "pytorch_half_pixel",
            InterpCoordMode::Asymmetric => "asymmetric",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "align_corners" => InterpCoordMode::AlignCorners,
                "half_pixel" => InterpCoordMode::HalfPixel,
                "pytorch_half_pixel" => InterpCoordMode::PytorchHalfPixel,
                "asymmetric" => InterpCoordMode::Asymmetric,
                _ => return None,
            },
        )
    }
}
one_of!(InterpCoordMode);
/// A string attribute: one of nearest, linear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum InterpMode {
    Nearest,
    Linear,
}
impl InterpMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            InterpMode::Nearest => "nearest",
            InterpMode::Linear => "linear",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "nearest" => InterpMode::Nearest,
                "linear" => InterpMode::Linear,
                _ => return None,
            },
        )
    }
}
one_of!(InterpMode);
pub(super) const GRIDSAMPLER: OpDef = OpDef {
    name: "GridSampler",
    summary: "Samples the input at the positions of a grid",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The images, [n, c, h, w], or volumes, [n, c, d, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "grid",
            description: "The positions: [n, oh, ow, 2], x and y, or [n, od, oh, ow, 3], x, y and z; -1 to 1 is within the image",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "align_corners",
            description: "Whether -1 and 1 are the centers of the outermost pixels; otherwise their outer edges",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mode",
            description: "The interpolation: 0 linear along each axis (bilinear), 1 nearest",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "padding_mode",
            description: "What is at positions outside the image: 0 zeros, 1 the border, 2 the reflection",
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
///`top.GridSampler`: Samples the input at the positions of a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct GridSampler<V> {
    /// The images, \[n, c, h, w\], or volumes, \[n, c, d, h, w\].
    pub input: V,
    /// The positions: \[n, oh, ow, 2\], x and y, or \[n, od, oh, ow, 3\], x, y and z; -1 to 1 is within the image.
    pub grid: V,
    /// Whether -1 and 1 are the centers of the outermost pixels; otherwise their outer edges.
    pub align_corners: bool,
    /// The interpolation: 0 linear along each axis (bilinear), 1 nearest.
    pub mode: i64,
    /// What is at positions outside the image: 0 zeros, 1 the border, 2 the reflection.
    pub padding_mode: i64,
}
impl<V> GridSampler<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        grid: V,
        align_corners: bool,
        mode: i64,
        padding_mode: i64,
    ) -> Self {
        Self {
            input,
            grid,
            align_corners,
            mode,
            padding_mode,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            grid: operands.required("grid")?,
            align_corners: attributes.take("align_corners")?,
            mode: attributes.take("mode")?,
            padding_mode: attributes.take("padding_mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("grid", OperandValue::One(& self
            .grid)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("align_corners", &self.align_corners);
        a.put("mode", &self.mode);
        a.put("padding_mode", &self.padding_mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<GridSampler<U>, E> {
        Ok(GridSampler {
            input: f(&self.input)?,
            grid: f(&self.grid)?,
            align_corners: self.align_corners,
            mode: self.mode,
            padding_mode: self.padding_mode,
        })
    }
}
pub(super) const INTERP: OpDef = OpDef {
    name: "Interp",
    summary: "Resamples height and width, nearest or linear",
    description: "Of a tensor [n, c, w], the width is resampled.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, ..., h, w] or [n, c, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "target_shape",
            description: "The size of each spatial axis instead of factors: a coefficient. Only the last two can change",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "coord_mode",
            description: "How positions are mapped to `input`: `coordinate_transformation_mode` of ONNX's Resize",
            kind: AttributeKind::OneOf(
                &["align_corners", "half_pixel", "pytorch_half_pixel", "asymmetric"],
            ),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "mode",
            description: "The nearest element, or linear interpolation along each axis",
            kind: AttributeKind::OneOf(&["nearest", "linear"]),
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale_h",
            description: "The factor of the height, positive; the product is rounded down. Unused with `target_shape`",
            kind: AttributeKind::Float,
            default: Some(Default::Float(-1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "scale_w",
            description: "The factor of the width, positive; the product is rounded down. Unused with `target_shape`",
            kind: AttributeKind::Float,
            default: Some(Default::Float(-1.0)),
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
    quant_transparent: true,
    structure: false,
};
/**`top.Interp`: Resamples height and width, nearest or linear.

Of a tensor \[n, c, w\], the width is resampled.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Interp<V> {
    /// The tensor: \[n, c, ..., h, w\] or \[n, c, w\].
    pub input: V,
    /// The size of each spatial axis instead of factors: a coefficient. Only the last two can change.
    pub target_shape: Option<V>,
    /// How positions are mapped to `input`: `coordinate_transformation_mode` of ONNX's Resize.
    pub coord_mode: InterpCoordMode,
    /// The nearest element, or linear interpolation along each axis.
    pub mode: InterpMode,
    /// The factor of the height, positive; the product is rounded down. Unused with `target_shape`. The default is `-1.0f64`.
    pub scale_h: f64,
    /// The factor of the width, positive; the product is rounded down. Unused with `target_shape`. The default is `-1.0f64`.
    pub scale_w: f64,
}
impl<V> Interp<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, coord_mode: InterpCoordMode, mode: InterpMode) -> Self {
        Self {
            input,
            target_shape: None,
            coord_mode,
            mode,
            scale_h: -1.0f64,
            scale_w: -1.0f64,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            target_shape: operands.optional("target_shape")?,
            coord_mode: attributes.take("coord_mode")?,
            mode: attributes.take("mode")?,
            scale_h: attributes.take("scale_h")?,
            scale_w: attributes.take("scale_w")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("target_shape", self
            .target_shape.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("coord_mode", &self.coord_mode);
        a.put("mode", &self.mode);
        a.put("scale_h", &self.scale_h);
        a.put("scale_w", &self.scale_w);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Interp<U>, E> {
        Ok(Interp {
            input: f(&self.input)?,
            target_shape: self.target_shape.as_ref().map(&mut *f).transpose()?,
            coord_mode: self.coord_mode,
            mode: self.mode,
            scale_h: self.scale_h,
            scale_w: self.scale_w,
        })
    }
}
