// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
pub(super) const C2CALLREDUCE: OpDef = OpDef {
    name: "C2CAllReduce",
    summary: "Reduction of a tensor over all chips, the result on each",
    description: "",
    operands: &[
        ValueDef {
            name: "send",
            description: "The tensor that this chip contributes",
            arity: Arity::Required,
        },
        ValueDef {
            name: "recv",
            description: "A buffer for the result, of the shape of `send`",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "chip_map",
            description: "The number of the chip at each rank",
            kind: AttributeKind::Ints,
            default: Some(Default::Ints(&[0, 1])),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nranks",
            description: "Number of chips that take part",
            kind: AttributeKind::Int,
            default: Some(Default::Int(2)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rank",
            description: "The rank of this chip, from 0",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "reduce_method",
            description: "The reduction: 0 for the mean, 1 for the sum, 2 for the maximum, 3 for the minimum, 4 for the product",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "sccl_algo",
            description: "The algorithm of the chips' communication library (SCCL)",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
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
///`top.C2CAllReduce`: Reduction of a tensor over all chips, the result on each.
#[derive(Debug, Clone, PartialEq)]
pub struct C2CAllReduce<V> {
    /// The tensor that this chip contributes.
    pub send: V,
    /// A buffer for the result, of the shape of `send`.
    pub recv: V,
    /// The number of the chip at each rank. The default is `vec![0, 1]`.
    pub chip_map: Vec<i64>,
    /// Number of chips that take part. The default is `2`.
    pub nranks: i64,
    /// The rank of this chip, from 0. The default is `0`.
    pub rank: i64,
    /// The reduction: 0 for the mean, 1 for the sum, 2 for the maximum, 3 for the minimum, 4 for the product. The default is `1`.
    pub reduce_method: i64,
    /// The algorithm of the chips' communication library (SCCL). The default is `0`.
    pub sccl_algo: i64,
}
impl<V> C2CAllReduce<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(send: V, recv: V) -> Self {
        Self {
            send,
            recv,
            chip_map: vec![0, 1],
            nranks: 2,
            rank: 0,
            reduce_method: 1,
            sccl_algo: 0,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            send: operands.required("send")?,
            recv: operands.required("recv")?,
            chip_map: attributes.take("chip_map")?,
            nranks: attributes.take("nranks")?,
            rank: attributes.take("rank")?,
            reduce_method: attributes.take("reduce_method")?,
            sccl_algo: attributes.take("sccl_algo")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("send", OperandValue::One(& self.send)), ("recv", OperandValue::One(& self
            .recv)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("chip_map", &self.chip_map);
        a.put("nranks", &self.nranks);
        a.put("rank", &self.rank);
        a.put("reduce_method", &self.reduce_method);
        a.put("sccl_algo", &self.sccl_algo);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<C2CAllReduce<U>, E> {
        Ok(C2CAllReduce {
            send: f(&self.send)?,
            recv: f(&self.recv)?,
            chip_map: self.chip_map.clone(),
            nranks: self.nranks,
            rank: self.rank,
            reduce_method: self.reduce_method,
            sccl_algo: self.sccl_algo,
        })
    }
}
pub(super) const C2CBROADCAST: OpDef = OpDef {
    name: "C2CBroadcast",
    summary: "Tensor of the chip root, on every chip",
    description: "",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tensor, whose values matter on the chip `root` only",
            arity: Arity::Required,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "chip_map",
            description: "The number of the chip at each rank",
            kind: AttributeKind::Ints,
            default: Some(Default::Ints(&[0, 1])),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "nranks",
            description: "Number of chips that take part",
            kind: AttributeKind::Int,
            default: Some(Default::Int(2)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "rank",
            description: "The rank of this chip, from 0",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "root",
            description: "The rank of the chip that sends its tensor",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "sccl_algo",
            description: "The algorithm of the chips' communication library (SCCL)",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
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
///`top.C2CBroadcast`: Tensor of the chip root, on every chip.
#[derive(Debug, Clone, PartialEq)]
pub struct C2CBroadcast<V> {
    /// The tensor, whose values matter on the chip `root` only.
    pub input: V,
    /// The number of the chip at each rank. The default is `vec![0, 1]`.
    pub chip_map: Vec<i64>,
    /// Number of chips that take part. The default is `2`.
    pub nranks: i64,
    /// The rank of this chip, from 0. The default is `0`.
    pub rank: i64,
    /// The rank of the chip that sends its tensor. The default is `0`.
    pub root: i64,
    /// The algorithm of the chips' communication library (SCCL). The default is `0`.
    pub sccl_algo: i64,
}
impl<V> C2CBroadcast<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V) -> Self {
        Self {
            input,
            chip_map: vec![0, 1],
            nranks: 2,
            rank: 0,
            root: 0,
            sccl_algo: 0,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            chip_map: attributes.take("chip_map")?,
            nranks: attributes.take("nranks")?,
            rank: attributes.take("rank")?,
            root: attributes.take("root")?,
            sccl_algo: attributes.take("sccl_algo")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("input", OperandValue::One(& self.input)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("chip_map", &self.chip_map);
        a.put("nranks", &self.nranks);
        a.put("rank", &self.rank);
        a.put("root", &self.root);
        a.put("sccl_algo", &self.sccl_algo);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<C2CBroadcast<U>, E> {
        Ok(C2CBroadcast {
            input: f(&self.input)?,
            chip_map: self.chip_map.clone(),
            nranks: self.nranks,
            rank: self.rank,
            root: self.root,
            sccl_algo: self.sccl_algo,
        })
    }
}
