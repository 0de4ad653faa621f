// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const DEPTH2SPACE: OpDef = OpDef {
    name: "Depth2Space",
    summary: "Moves blocks of channels into height and width, or back",
    description: "[n, c * block_h * block_w, h, w] -> [n, c, h * block_h, w * block_w], reversed with `is_inversed`.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The images, with at least three axes",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "block_h",
            description: "The height of a block, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "block_w",
            description: "The width of a block, at least 1",
            kind: AttributeKind::Int,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "in_is_NCHW",
            description: "Whether `input` ends with channels, height, width; otherwise with height, width, channels",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_CRD",
            description: "Whether channels of blocks are in the order c, block_h, block_w; otherwise block_h, block_w, c",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_inversed",
            description: "Whether blocks of pixels become channels",
            kind: AttributeKind::Bool,
            default: None,
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "out_is_NCHW",
            description: "Whether the result ends with channels, height, width; otherwise with height, width, channels",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "swap_cr",
            description: "Whether block_h and block_w change places in the order of the channels",
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
/**`top.Depth2Space`: Moves blocks of channels into height and width, or back.

\[n, c * block_h * block_w, h, w\] -\> \[n, c, h * block_h, w * block_w\], reversed with `is_inversed`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Depth2Space<V> {
    /// The images, with at least three axes.
    pub input: V,
    /// The height of a block, at least 1.
    pub block_h: i64,
    /// The width of a block, at least 1.
    pub block_w: i64,
    /// Whether `input` ends with channels, height, width; otherwise with height, width, channels. The default is `true`.
    pub in_is_NCHW: bool,
    /// Whether channels of blocks are in the order c, block_h, block_w; otherwise block_h, block_w, c.
    pub is_CRD: bool,
    /// Whether blocks of pixels become channels.
    pub is_inversed: bool,
    /// Whether the result ends with channels, height, width; otherwise with height, width, channels. The default is `true`.
    pub out_is_NCHW: bool,
    /// Whether block_h and block_w change places in the order of the channels. The default is `false`.
    pub swap_cr: bool,
}
impl<V> Depth2Space<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(
        input: V,
        block_h: i64,
        block_w: i64,
        is_CRD: bool,
        is_inversed: bool,
    ) -> Self {
        Self {
            input,
            block_h,
            block_w,
            in_is_NCHW: true,
            is_CRD,
            is_inversed,
            out_is_NCHW: true,
            swap_cr: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            block_h: attributes.take("block_h")?,
            block_w: attributes.take("block_w")?,
            in_is_NCHW: attributes.take("in_is_NCHW")?,
            is_CRD: attributes.take("is_CRD")?,
            is_inversed: attributes.take("is_inversed")?,
            out_is_NCHW: attributes.take("out_is_NCHW")?,
            swap_cr: attributes.take("swap_cr")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("block_h", &self.block_h);
        a.put("block_w", &self.block_w);
        a.put("in_is_NCHW", &self.in_is_NCHW);
        a.put("is_CRD", &self.is_CRD);
        a.put("is_inversed", &self.is_inversed);
        a.put("out_is_NCHW", &self.out_is_NCHW);
        a.put("swap_cr", &self.swap_cr);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Depth2Space<U>, E> {
        Ok(Depth2Space {
            input: f(&self.input)?,
            block_h: self.block_h,
            block_w: self.block_w,
            in_is_NCHW: self.in_is_NCHW,
            is_CRD: self.is_CRD,
            is_inversed: self.is_inversed,
            out_is_NCHW: self.out_is_NCHW,
            swap_cr: self.swap_cr,
        })
    }
}
pub(super) const REVERSE: OpDef = OpDef {
    name: "Reverse",
    summary: "Reverses the entries along an axis",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "axis",
            description: "The axis; a negative one counts from the end",
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
///`top.Reverse`: Reverses the entries along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Reverse<V> {
    /// The tensor.
    pub input: V,
    /// The axis; a negative one counts from the end.
    pub axis: i64,
}
impl<V> Reverse<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, axis: i64) -> Self {
        Self { input, axis }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            axis: attributes.take("axis")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("axis", &self.axis);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Reverse<U>, E> {
        Ok(Reverse {
            input: f(&self.input)?,
            axis: self.axis,
        })
    }
}
pub(super) const SHUFFLECHANNEL: OpDef = OpDef {
    name: "ShuffleChannel",
    summary: "Interleaves the channels of the groups",
    description: "The first channel of each group comes first, then the second of each, and so on.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, ...]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "group",
            description: "Number of groups, which divides c",
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
/**`top.ShuffleChannel`: Interleaves the channels of the groups.

The first channel of each group comes first, then the second of each, and so on.*/
#[derive(Debug, Clone, PartialEq)]
pub struct ShuffleChannel<V> {
    /// The tensor: \[n, c, ...\].
    pub input: V,
    /// Number of groups, which divides c.
    pub group: i64,
}
impl<V> ShuffleChannel<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, group: i64) -> Self {
        Self { input, group }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            group: attributes.take("group")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("group", &self.group);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<ShuffleChannel<U>, E> {
        Ok(ShuffleChannel {
            input: f(&self.input)?,
            group: self.group,
        })
    }
}
pub(super) const SWAPCHANNEL: OpDef = OpDef {
    name: "SwapChannel",
    summary: "Reorders channels",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor: [n, c, ...]",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "channel_order",
            description: "The channel of `input` for each of the c channels of the result, from 0",
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
///`top.SwapChannel`: Reorders channels.
#[derive(Debug, Clone, PartialEq)]
pub struct SwapChannel<V> {
    /// The tensor: \[n, c, ...\].
    pub input: V,
    /// The channel of `input` for each of the c channels of the result, from 0.
    pub channel_order: Vec<i64>,
}
impl<V> SwapChannel<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, channel_order: Vec<i64>) -> Self {
        Self { input, channel_order }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            channel_order: attributes.take("channel_order")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("channel_order", &self.channel_order);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<SwapChannel<U>, E> {
        Ok(SwapChannel {
            input: f(&self.input)?,
            channel_order: self.channel_order.clone(),
        })
    }
}
pub(super) const SWAPDIMINNER: OpDef = OpDef {
    name: "SwapDimInner",
    summary: "Rotates each axis: entries from offset on come first",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "offset",
            description: "The entry of each axis that comes first, from 0; 0 leaves the axis unchanged",
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
///`top.SwapDimInner`: Rotates each axis: entries from offset on come first.
#[derive(Debug, Clone, PartialEq)]
pub struct SwapDimInner<V> {
    /// The tensor.
    pub input: V,
    /// The entry of each axis that comes first, from 0; 0 leaves the axis unchanged.
    pub offset: Vec<i64>,
}
impl<V> SwapDimInner<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, offset: Vec<i64>) -> Self {
        Self { input, offset }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            offset: attributes.take("offset")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("offset", &self.offset);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<SwapDimInner<U>, E> {
        Ok(SwapDimInner {
            input: f(&self.input)?,
            offset: self.offset.clone(),
        })
    }
}
