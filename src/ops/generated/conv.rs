// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const CONV: OpDef = OpDef {
    name: "Conv",
    summary: "N-d convolution (cross-correlation) of an NC... tensor",
    description: "A dimension of the result is floor((i + pad_before + pad_after - dilation * (k - 1) - 1) / stride) + 1. With an `auto_pad` of SAME_UPPER or SAME_LOWER it is ceil(i / stride), and the padding follows from that, divided as evenly as possible.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, ic, spatial...]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "filter",
            description: "The weights: [oc, ic / group, kernel...]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            description: "Added to each output channel: oc elements, as [oc] or [1, oc, 1...]",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "kernel_shape",
            description: "The spatial dimensions of `filter`",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "strides",
            description: "The step along each spatial axis, at least 1",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pads",
            description: "The zero padding before each spatial axis, then after each",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "group",
            description: "Number of groups of channels that are convolved separately; it divides ic and oc",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "dilations",
            description: "The distance of the filter's elements along each spatial axis, at least 1; 1 if absent",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "inserts",
            description: "Number of zeros between input elements along each spatial axis: only 0 is supported",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "do_relu",
            description: "Whether negative results become 0",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "relu_limit",
            description: "With `do_relu`, the maximum of the results; 0 or a negative value means none",
            kind: AttributeKind::Float,
            default: Some(Default::Float(-1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "dynweight_reorderd",
            description: "Whether a computed filter is in the chip's order",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "weight_bits",
            description: "Bits of a weight that the chip quantizes, as 4 in w4int8",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "weight_is_coeff",
            description: "Whether the filter is a coefficient (1) or computed (0)",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "do_winograd",
            description: "Whether the chip uses Winograd's algorithm",
            kind: AttributeKind::Bool,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "auto_pad",
            description: "SAME_UPPER and SAME_LOWER replace `pads`, with an odd zero after or before; others change nothing",
            kind: AttributeKind::OneOf(&["SAME_UPPER", "SAME_LOWER", "NOTSET", "VALID"]),
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "in_int4_scale",
            description: "Scale of the input of a layer in int4",
            kind: AttributeKind::Float,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "in_int4_zp",
            description: "Zero point of the input of a layer in int4",
            kind: AttributeKind::Float,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "out_int8_scale",
            description: "Scale of the int8 output of a layer in int4",
            kind: AttributeKind::Float,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "out_int8_zp",
            description: "Zero point of the int8 output of a layer in int4",
            kind: AttributeKind::Float,
            default: None,
            optional: true,
            ignored: true,
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
/**`top.Conv`: N-d convolution (cross-correlation) of an NC... tensor.

A dimension of the result is floor((i + pad_before + pad_after - dilation * (k - 1) - 1) / stride) + 1. With an `auto_pad` of SAME_UPPER or SAME_LOWER it is ceil(i / stride), and the padding follows from that, divided as evenly as possible.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Conv<V> {
    /// The tensor: \[n, ic, spatial...\].
    pub input: V,
    /// The weights: \[oc, ic / group, kernel...\].
    pub filter: V,
    /// Added to each output channel: oc elements, as \[oc\] or \[1, oc, 1...\].
    pub bias: Option<V>,
    /// The spatial dimensions of `filter`.
    pub kernel_shape: Vec<i64>,
    /// The step along each spatial axis, at least 1.
    pub strides: Vec<i64>,
    /// The zero padding before each spatial axis, then after each.
    pub pads: Vec<i64>,
    /// Number of groups of channels that are convolved separately; it divides ic and oc. The default is `1`.
    pub group: i64,
    /// The distance of the filter's elements along each spatial axis, at least 1; 1 if absent.
    pub dilations: Option<Vec<i64>>,
    /// Number of zeros between input elements along each spatial axis: only 0 is supported.
    pub inserts: Option<Vec<i64>>,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// Whether a computed filter is in the chip's order. The default is `false`. It changes no result.
    pub dynweight_reorderd: bool,
    /// Bits of a weight that the chip quantizes, as 4 in w4int8. It changes no result.
    pub weight_bits: Option<i64>,
    /// Whether the filter is a coefficient (1) or computed (0). The default is `1`. It changes no result.
    pub weight_is_coeff: i64,
    /// Whether the chip uses Winograd's algorithm. It changes no result.
    pub do_winograd: Option<bool>,
    /// SAME_UPPER and SAME_LOWER replace `pads`, with an odd zero after or before; others change nothing.
    pub auto_pad: Option<AutoPad>,
    /// Scale of the input of a layer in int4. It changes no result.
    pub in_int4_scale: Option<f64>,
    /// Zero point of the input of a layer in int4. It changes no result.
    pub in_int4_zp: Option<f64>,
    /// Scale of the int8 output of a layer in int4. It changes no result.
    pub out_int8_scale: Option<f64>,
    /// Zero point of the int8 output of a layer in int4. It changes no result.
    pub out_int8_zp: Option<f64>,
}
impl<V> Conv<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        filter: V,
        kernel_shape: Vec<i64>,
        strides: Vec<i64>,
        pads: Vec<i64>,
    ) -> Self {
        Self {
            input,
            filter,
            bias: None,
            kernel_shape,
            strides,
            pads,
            group: 1,
            dilations: None,
            inserts: None,
            do_relu: false,
            relu_limit: -1.0f64,
            dynweight_reorderd: false,
            weight_bits: None,
            weight_is_coeff: 1,
            do_winograd: None,
            auto_pad: None,
            in_int4_scale: None,
            in_int4_zp: None,
            out_int8_scale: None,
            out_int8_zp: None,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            filter: operands.required("filter")?,
            bias: operands.optional("bias")?,
            kernel_shape: attributes.take("kernel_shape")?,
            strides: attributes.take("strides")?,
            pads: attributes.take("pads")?,
            group: attributes.take("group")?,
            dilations: attributes.take_optional("dilations")?,
            inserts: attributes.take_optional("inserts")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            dynweight_reorderd: attributes.take("dynweight_reorderd")?,
            weight_bits: attributes.take_optional("weight_bits")?,
            weight_is_coeff: attributes.take("weight_is_coeff")?,
            do_winograd: attributes.take_optional("do_winograd")?,
            auto_pad: attributes.take_optional("auto_pad")?,
            in_int4_scale: attributes.take_optional("in_int4_scale")?,
            in_int4_zp: attributes.take_optional("in_int4_zp")?,
            out_int8_scale: attributes.take_optional("out_int8_scale")?,
            out_int8_zp: attributes.take_optional("out_int8_zp")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("filter", OperandValue::One(&
            self.filter)), ("bias", self.bias.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("kernel_shape", &self.kernel_shape);
        a.put("strides", &self.strides);
        a.put("pads", &self.pads);
        a.put("group", &self.group);
        a.put_optional("dilations", &self.dilations);
        a.put_optional("inserts", &self.inserts);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put("dynweight_reorderd", &self.dynweight_reorderd);
        a.put_optional("weight_bits", &self.weight_bits);
        a.put("weight_is_coeff", &self.weight_is_coeff);
        a.put_optional("do_winograd", &self.do_winograd);
        a.put_optional("auto_pad", &self.auto_pad);
        a.put_optional("in_int4_scale", &self.in_int4_scale);
        a.put_optional("in_int4_zp", &self.in_int4_zp);
        a.put_optional("out_int8_scale", &self.out_int8_scale);
        a.put_optional("out_int8_zp", &self.out_int8_zp);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Conv<U>, E> {
        Ok(Conv {
            input: f(&self.input)?,
            filter: f(&self.filter)?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            kernel_shape: self.kernel_shape.clone(),
            strides: self.strides.clone(),
            pads: self.pads.clone(),
            group: self.group,
            dilations: self.dilations.clone(),
            inserts: self.inserts.clone(),
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            dynweight_reorderd: self.dynweight_reorderd,
            weight_bits: self.weight_bits,
            weight_is_coeff: self.weight_is_coeff,
            do_winograd: self.do_winograd,
            auto_pad: self.auto_pad,
            in_int4_scale: self.in_int4_scale,
            in_int4_zp: self.in_int4_zp,
            out_int8_scale: self.out_int8_scale,
            out_int8_zp: self.out_int8_zp,
        })
    }
}
pub(super) const DECONV: OpDef = OpDef {
    name: "Deconv",
    summary: "N-d transposed convolution of an NC... tensor",
    description: "The data of a filter that is a coefficient or `dynweight_reorderd` are those of [group, oc / group, ic / group, kernel...]. A dimension of the result is (i - 1) * stride - pad_before - pad_after + dilation * (k - 1) + output_padding + 1.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, ic, spatial...]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "filter",
            description: "The weights: [oc / group, ic, kernel...], or [ic, oc, kernel...] if computed, not `dynweight_reorderd`",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            description: "Added to each output channel: oc elements, as [oc] or [1, oc, 1...]",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dilations",
            description: "The distance of the filter's elements along each spatial axis, at least 1; 1 if absent",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "do_relu",
            description: "Whether negative results become 0",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "dynweight_reorderd",
            description: "Whether a computed filter has its output channels first",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "group",
            description: "Number of groups of channels that are convolved separately; it divides ic; 1 for a computed filter",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "kernel_shape",
            description: "The spatial dimensions of `filter`",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_padding",
            description: "Number of elements added to the result at the end of each spatial axis; 0 if absent",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "pads",
            description: "Number of elements cropped from the result at the start of each spatial axis, then at the end of each",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "relu_limit",
            description: "With `do_relu`, the maximum of the results; 0 or a negative value means none",
            kind: AttributeKind::Float,
            default: Some(Default::Float(-1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "strides",
            description: "The distance of the input's elements in the result along each spatial axis, at least 1",
            kind: AttributeKind::Ints,
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
/**`top.Deconv`: N-d transposed convolution of an NC... tensor.

The data of a filter that is a coefficient or `dynweight_reorderd` are those of \[group, oc / group, ic / group, kernel...\]. A dimension of the result is (i - 1) * stride - pad_before - pad_after + dilation * (k - 1) + output_padding + 1.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Deconv<V> {
    /// The tensor: \[n, ic, spatial...\].
    pub input: V,
    /// The weights: \[oc / group, ic, kernel...\], or \[ic, oc, kernel...\] if computed, not `dynweight_reorderd`.
    pub filter: V,
    /// Added to each output channel: oc elements, as \[oc\] or \[1, oc, 1...\].
    pub bias: Option<V>,
    /// The distance of the filter's elements along each spatial axis, at least 1; 1 if absent.
    pub dilations: Option<Vec<i64>>,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// Whether a computed filter has its output channels first. The default is `false`.
    pub dynweight_reorderd: bool,
    /// Number of groups of channels that are convolved separately; it divides ic; 1 for a computed filter. The default is `1`.
    pub group: i64,
    /// The spatial dimensions of `filter`.
    pub kernel_shape: Vec<i64>,
    /// Number of elements added to the result at the end of each spatial axis; 0 if absent.
    pub output_padding: Option<Vec<i64>>,
    /// Number of elements cropped from the result at the start of each spatial axis, then at the end of each.
    pub pads: Vec<i64>,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// The distance of the input's elements in the result along each spatial axis, at least 1.
    pub strides: Vec<i64>,
}
impl<V> Deconv<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        filter: V,
        kernel_shape: Vec<i64>,
        pads: Vec<i64>,
        strides: Vec<i64>,
    ) -> Self {
        Self {
            input,
            filter,
            bias: None,
            dilations: None,
            do_relu: false,
            dynweight_reorderd: false,
            group: 1,
            kernel_shape,
            output_padding: None,
            pads,
            relu_limit: -1.0f64,
            strides,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            filter: operands.required("filter")?,
            bias: operands.optional("bias")?,
            dilations: attributes.take_optional("dilations")?,
            do_relu: attributes.take("do_relu")?,
            dynweight_reorderd: attributes.take("dynweight_reorderd")?,
            group: attributes.take("group")?,
            kernel_shape: attributes.take("kernel_shape")?,
            output_padding: attributes.take_optional("output_padding")?,
            pads: attributes.take("pads")?,
            relu_limit: attributes.take("relu_limit")?,
            strides: attributes.take("strides")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("filter", OperandValue::One(&
            self.filter)), ("bias", self.bias.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put_optional("dilations", &self.dilations);
        a.put("do_relu", &self.do_relu);
        a.put("dynweight_reorderd", &self.dynweight_reorderd);
        a.put("group", &self.group);
        a.put("kernel_shape", &self.kernel_shape);
        a.put_optional("output_padding", &self.output_padding);
        a.put("pads", &self.pads);
        a.put("relu_limit", &self.relu_limit);
        a.put("strides", &self.strides);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Deconv<U>, E> {
        Ok(Deconv {
            input: f(&self.input)?,
            filter: f(&self.filter)?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            dilations: self.dilations.clone(),
            do_relu: self.do_relu,
            dynweight_reorderd: self.dynweight_reorderd,
            group: self.group,
            kernel_shape: self.kernel_shape.clone(),
            output_padding: self.output_padding.clone(),
            pads: self.pads.clone(),
            relu_limit: self.relu_limit,
            strides: self.strides.clone(),
        })
    }
}
pub(super) const DEFORMCONV2D: OpDef = OpDef {
    name: "DeformConv2D",
    summary: "2-d convolution that samples at learned offsets",
    description: "Samples are interpolated bilinearly; elements outside are 0. The dimensions of the result are those of Conv.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, ic, h, w]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "filter",
            description: "The weights: [oc, ic / group, kh, kw]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "offset",
            description: "The vertical and the horizontal shift of each sample: [n, 2 * deform_group * kh * kw, oh, ow]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "mask",
            description: "With `use_mask`, the factor of each sample: [n, deform_group * kh * kw, oh, ow]",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias",
            description: "Added to each output channel: oc elements, as [oc] or [1, oc, 1...]",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "deform_group",
            description: "Number of groups of input channels with offsets and a mask of their own; it divides ic",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "dilations",
            description: "The distance of the filter's elements along each spatial axis, at least 1; 1 if absent",
            kind: AttributeKind::Ints,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "do_relu",
            description: "Whether negative results become 0",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "group",
            description: "Number of groups of channels that are convolved separately; it divides ic and oc",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "kernel_shape",
            description: "The spatial dimensions of `filter`",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "pads",
            description: "The zero padding before each spatial axis, then after each",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "relu_limit",
            description: "With `do_relu`, the maximum of the results; 0 or a negative value means none",
            kind: AttributeKind::Float,
            default: Some(Default::Float(-1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "strides",
            description: "The step along each spatial axis, at least 1",
            kind: AttributeKind::Ints,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "use_mask",
            description: "Whether samples are multiplied by `mask`",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
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
/**`top.DeformConv2D`: 2-d convolution that samples at learned offsets.

Samples are interpolated bilinearly; elements outside are 0. The dimensions of the result are those of Conv.*/
#[derive(Debug, Clone, PartialEq)]
pub struct DeformConv2D<V> {
    /// The tensor: \[n, ic, h, w\].
    pub input: V,
    /// The weights: \[oc, ic / group, kh, kw\].
    pub filter: V,
    /// The vertical and the horizontal shift of each sample: \[n, 2 * deform_group * kh * kw, oh, ow\].
    pub offset: V,
    /// With `use_mask`, the factor of each sample: \[n, deform_group * kh * kw, oh, ow\].
    pub mask: Option<V>,
    /// Added to each output channel: oc elements, as \[oc\] or \[1, oc, 1...\].
    pub bias: Option<V>,
    /// Number of groups of input channels with offsets and a mask of their own; it divides ic. The default is `1`.
    pub deform_group: i64,
    /// The distance of the filter's elements along each spatial axis, at least 1; 1 if absent.
    pub dilations: Option<Vec<i64>>,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// Number of groups of channels that are convolved separately; it divides ic and oc. The default is `1`.
    pub group: i64,
    /// The spatial dimensions of `filter`.
    pub kernel_shape: Vec<i64>,
    /// The zero padding before each spatial axis, then after each.
    pub pads: Vec<i64>,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// The step along each spatial axis, at least 1.
    pub strides: Vec<i64>,
    /// Whether samples are multiplied by `mask`. The default is `false`.
    pub use_mask: bool,
}
impl<V> DeformConv2D<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        filter: V,
        offset: V,
        kernel_shape: Vec<i64>,
        pads: Vec<i64>,
        strides: Vec<i64>,
    ) -> Self {
        Self {
            input,
            filter,
            offset,
            mask: None,
            bias: None,
            deform_group: 1,
            dilations: None,
            do_relu: false,
            group: 1,
            kernel_shape,
            pads,
            relu_limit: -1.0f64,
            strides,
            use_mask: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            filter: operands.required("filter")?,
            offset: operands.required("offset")?,
            mask: operands.optional("mask")?,
            bias: operands.optional("bias")?,
            deform_group: attributes.take("deform_group")?,
            dilations: attributes.take_optional("dilations")?,
            do_relu: attributes.take("do_relu")?,
            group: attributes.take("group")?,
            kernel_shape: attributes.take("kernel_shape")?,
            pads: attributes.take("pads")?,
            relu_limit: attributes.take("relu_limit")?,
            strides: attributes.take("strides")?,
            use_mask: attributes.take("use_mask")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("filter", OperandValue::One(&
            self.filter)), ("offset", OperandValue::One(& self.offset)), ("mask", self
            .mask.as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("bias",
            self.bias.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("deform_group", &self.deform_group);
        a.put_optional("dilations", &self.dilations);
        a.put("do_relu", &self.do_relu);
        a.put("group", &self.group);
        a.put("kernel_shape", &self.kernel_shape);
        a.put("pads", &self.pads);
        a.put("relu_limit", &self.relu_limit);
        a.put("strides", &self.strides);
        a.put("use_mask", &self.use_mask);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<DeformConv2D<U>, E> {
        Ok(DeformConv2D {
            input: f(&self.input)?,
            filter: f(&self.filter)?,
            offset: f(&self.offset)?,
            mask: self.mask.as_ref().map(&mut *f).transpose()?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            deform_group: self.deform_group,
            dilations: self.dilations.clone(),
            do_relu: self.do_relu,
            group: self.group,
            kernel_shape: self.kernel_shape.clone(),
            pads: self.pads.clone(),
            relu_limit: self.relu_limit,
            strides: self.strides.clone(),
            use_mask: self.use_mask,
        })
    }
}
