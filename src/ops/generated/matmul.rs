// Generated from td/*.td by `make ops`. Do not edit.
use super::*;
/// A string attribute: one of a,b->ab, ab,ab->a, ab,acb->ac, ab,cdb->acd, abc,db->adc, abcd,cde->abe, abcd,acd->abc, abcd,bed->abce, abcd,ced->abce, abcd,abed->abce, abcd,abde->abce, abcd,abce->acde, abc,adc->abd, abc,adc->adb, abc,abd->acd, abcd,cde->abce, abc,acde->abde, abc,abde->acde, abc,bd->abcd, abc,abdc,abc->abcd, abcd,acde,abc->abce, abc,abc->ab, abcd,aecd->aeb, abc,cde->abde, abcd,aeb->aecd, abcde,afbc->abdef, abcde,abfge->abcdfg, abcd,aecd->abec, abcd,acde->abde, abcd,abef->acdef, abcd,abce->abde, ab,abc->ac, abcd,aecd->acbe, abcd,adbe->acbe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum EinsumMode {
    ABAb,
    AbAbA,
    AbAcbAc,
    AbCdbAcd,
    AbcDbAdc,
    AbcdCdeAbe,
    AbcdAcdAbc,
    AbcdBedAbce,
    AbcdCedAbce,
    AbcdAbedAbce,
    AbcdAbdeAbce,
    AbcdAbceAcde,
    AbcAdcAbd,
    AbcAdcAdb,
    AbcAbdAcd,
    AbcdCdeAbce,
    AbcAcdeAbde,
    AbcAbdeAcde,
    AbcBdAbcd,
    AbcAbdcAbcAbcd,
    AbcdAcdeAbcAbce,
    AbcAbcAb,
    AbcdAecdAeb,
    AbcCdeAbde,
    AbcdAebAecd,
    AbcdeAfbcAbdef,
    AbcdeAbfgeAbcdfg,
    AbcdAecdAbec,
    AbcdAcdeAbde,
    AbcdAbefAcdef,
    AbcdAbceAbde,
    AbAbcAc,
    AbcdAecdAcbe,
    AbcdAdbeAcbe,
}
impl EinsumMode {
    /// Returns the string.
    pub fn name(self) -> &'static str {
        match self {
            EinsumMode::ABAb => "a,b->ab",
            EinsumMode::AbAbA => "ab,ab->a",
            EinsumMode::AbAcbAc => "ab,acb->ac",
            EinsumMode::AbCdbAcd => "ab,cdb->acd",
            EinsumMode::AbcDbAdc => "abc,db->adc",
            EinsumMode::AbcdCdeAbe => "abcd,cde->abe",
            EinsumMode::AbcdAcdAbc => "abcd,acd->abc",
            EinsumMode::AbcdBedAbce => "abcd,bed->abce",
            EinsumMode::AbcdCedAbce => "abcd,ced->abce",
            EinsumMode::AbcdAbedAbce => "abcd,abed->abce",
            EinsumMode::AbcdAbdeAbce => "abcd,abde->abce",
            EinsumMode::AbcdAbceAcde => "abcd,abce->acde",
            EinsumMode::AbcAdcAbd => "abc,adc->abd",
            EinsumMode::AbcAdcAdb => "abc,adc->adb",
            EinsumMode::AbcAbdAcd => "abc,abd->acd",
            EinsumMode::AbcdCdeAbce => "abcd,cde->abce",
            EinsumMode::AbcAcdeAbde => "abc,acde->abde",
            EinsumMode::AbcAbdeAcde => "abc,abde->acde",
            EinsumMode::AbcBdAbcd => "abc,bd->abcd",
            EinsumMode::AbcAbdcAbcAbcd => "abc,abdc,abc->abcd",
            EinsumMode::AbcdAcdeAbcAbce => "abcd,acde,abc->abce",
            EinsumMode::AbcAbcAb => "abc,abc->ab",
            EinsumMode::AbcdAecdAeb => "abcd,aecd->aeb",
            EinsumMode::AbcCdeAbde => "abc,cde->abde",
            EinsumMode::AbcdAebAecd => "abcd,aeb->aecd",
            EinsumMode::AbcdeAfbcAbdef => "abcde,afbc->abdef",
            EinsumMode::AbcdeAbfgeAbcdfg => "abcde,abfge->abcdfg",
            EinsumMode::AbcdAecdAbec => "abcd,aecd->abec",
            EinsumMode::AbcdAcdeAbde => "abcd,acde->abde",
            EinsumMode::AbcdAbefAcdef => "abcd,abef->acdef",
            EinsumMode::AbcdAbceAbde => "abcd,abce->abde",
            EinsumMode::AbAbcAc => "ab,abc->ac",
            EinsumMode::AbcdAecdAcbe => "abcd,aecd->acbe",
            EinsumMode::AbcdAdbeAcbe => "abcd,adbe->acbe",
        }
    }
    /// Returns the value that `name` denotes.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(
            match name {
                "a,b->ab" => EinsumMode::ABAb,
                "ab,ab->a" => EinsumMode::AbAbA,
                "ab,acb->ac" => EinsumMode::AbAcbAc,
                "ab,cdb->acd" => EinsumMode::AbCdbAcd,
                "abc,db->adc" => EinsumMode::AbcDbAdc,
                "abcd,cde->abe" => EinsumMode::AbcdCdeAbe,
                "abcd,acd->abc" => EinsumMode::AbcdAcdAbc,
                "abcd,bed->abce" => EinsumMode::AbcdBedAbce,
                "abcd,ced->abce" => EinsumMode::AbcdCedAbce,
                "abcd,abed->abce" => EinsumMode::AbcdAbedAbce,
                "abcd,abde->abce" => EinsumMode::AbcdAbdeAbce,
                "abcd,abce->acde" => EinsumMode::AbcdAbceAcde,
                "abc,adc->abd" => EinsumMode::AbcAdcAbd,
                "abc,adc->adb" => EinsumMode::AbcAdcAdb,
                "abc,abd->acd" => EinsumMode::AbcAbdAcd,
                "abcd,cde->abce" => EinsumMode::AbcdCdeAbce,
                "abc,acde->abde" => EinsumMode::AbcAcdeAbde,
                "abc,abde->acde" => EinsumMode::AbcAbdeAcde,
                "abc,bd->abcd" => EinsumMode::AbcBdAbcd,
                "abc,abdc,abc->abcd" => EinsumMode::AbcAbdcAbcAbcd,
                "abcd,acde,abc->abce" => EinsumMode::AbcdAcdeAbcAbce,
                "abc,abc->ab" => EinsumMode::AbcAbcAb,
                "abcd,aecd->aeb" => EinsumMode::AbcdAecdAeb,
                "abc,cde->abde" => EinsumMode::AbcCdeAbde,
                "abcd,aeb->aecd" => EinsumMode::AbcdAebAecd,
                "abcde,afbc->abdef" => EinsumMode::AbcdeAfbcAbdef,
                "abcde,abfge->abcdfg" => EinsumMode::AbcdeAbfgeAbcdfg,
                "abcd,aecd->abec" => EinsumMode::AbcdAecdAbec,
                "abcd,acde->abde" => EinsumMode::AbcdAcdeAbde,
                "abcd,abef->acdef" => EinsumMode::AbcdAbefAcdef,
                "abcd,abce->abde" => EinsumMode::AbcdAbceAbde,
                "ab,abc->ac" => EinsumMode::AbAbcAc,
                "abcd,aecd->acbe" => EinsumMode::AbcdAecdAcbe,
                "abcd,adbe->acbe" => EinsumMode::AbcdAdbeAcbe,
                _ => return None,
            },
        )
    }
}
one_of!(EinsumMode);
pub(super) const A16MATMUL: OpDef = OpDef {
    name: "A16MatMul",
    summary: "Product with a matrix of packed integers, plus bias",
    description: "The matrix is `(weight - zp) * scale`. With `right_transpose`, `weight` is [N, K * weight_bits / 8] bytes, and `scale` and `zp` are [N, K / q_group_size].",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale",
            arity: Arity::Required,
        },
        ValueDef {
            name: "zp",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dq_type",
            kind: AttributeKind::OneOf(
                &["NONE", "F16", "BF16", "INT8", "INT4", "F8E4M3", "F4", "MXF4"],
            ),
            default: Some(Default::Str("NONE")),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "q_group_size",
            kind: AttributeKind::Int,
            default: Some(Default::Int(128)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "right_transpose",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "weight_bits",
            kind: AttributeKind::Int,
            default: Some(Default::Int(8)),
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
/**`top.A16MatMul`: Product with a matrix of packed integers, plus bias.

The matrix is `(weight - zp) * scale`. With `right_transpose`, `weight` is \[N, K * weight_bits / 8\] bytes, and `scale` and `zp` are \[N, K / q_group_size\].*/
#[derive(Debug, Clone, PartialEq)]
pub struct A16MatMul<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub weight: V,
    /// Operand.
    pub scale: V,
    /// Operand.
    pub zp: V,
    /// Operand.
    pub bias: Option<V>,
    ///Attribute; `DequantType::NONE` by default.
    pub dq_type: DequantType,
    ///Attribute; `128` by default.
    pub q_group_size: i64,
    ///Attribute; `false` by default.
    pub right_transpose: bool,
    ///Attribute; `8` by default.
    pub weight_bits: i64,
}
impl<V> A16MatMul<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, weight: V, scale: V, zp: V) -> Self {
        Self {
            input,
            weight,
            scale,
            zp,
            bias: None,
            dq_type: DequantType::NONE,
            q_group_size: 128,
            right_transpose: false,
            weight_bits: 8,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            weight: operands.required("weight")?,
            scale: operands.required("scale")?,
            zp: operands.required("zp")?,
            bias: operands.optional("bias")?,
            dq_type: attributes.take("dq_type")?,
            q_group_size: attributes.take("q_group_size")?,
            right_transpose: attributes.take("right_transpose")?,
            weight_bits: attributes.take("weight_bits")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("weight", OperandValue::One(&
            self.weight)), ("scale", OperandValue::One(& self.scale)), ("zp",
            OperandValue::One(& self.zp)), ("bias", self.bias.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("dq_type", &self.dq_type);
        a.put("q_group_size", &self.q_group_size);
        a.put("right_transpose", &self.right_transpose);
        a.put("weight_bits", &self.weight_bits);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<A16MatMul<U>, E> {
        Ok(A16MatMul {
            input: f(&self.input)?,
            weight: f(&self.weight)?,
            scale: f(&self.scale)?,
            zp: f(&self.zp)?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            dq_type: self.dq_type,
            q_group_size: self.q_group_size,
            right_transpose: self.right_transpose,
            weight_bits: self.weight_bits,
        })
    }
}
pub(super) const EINSUM: OpDef = OpDef {
    name: "Einsum",
    summary: "Sum of products over named axes (Einstein notation)",
    description: "`mode` names the axes of each operand, then those of the result; axes missing from the result are summed over.",
    operands: &[
        ValueDef {
            name: "inputs",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "mode",
            kind: AttributeKind::OneOf(
                &[
                    "a,b->ab",
                    "ab,ab->a",
                    "ab,acb->ac",
                    "ab,cdb->acd",
                    "abc,db->adc",
                    "abcd,cde->abe",
                    "abcd,acd->abc",
                    "abcd,bed->abce",
                    "abcd,ced->abce",
                    "abcd,abed->abce",
                    "abcd,abde->abce",
                    "abcd,abce->acde",
                    "abc,adc->abd",
                    "abc,adc->adb",
                    "abc,abd->acd",
                    "abcd,cde->abce",
                    "abc,acde->abde",
                    "abc,abde->acde",
                    "abc,bd->abcd",
                    "abc,abdc,abc->abcd",
                    "abcd,acde,abc->abce",
                    "abc,abc->ab",
                    "abcd,aecd->aeb",
                    "abc,cde->abde",
                    "abcd,aeb->aecd",
                    "abcde,afbc->abdef",
                    "abcde,abfge->abcdfg",
                    "abcd,aecd->abec",
                    "abcd,acde->abde",
                    "abcd,abef->acdef",
                    "abcd,abce->abde",
                    "ab,abc->ac",
                    "abcd,aecd->acbe",
                    "abcd,adbe->acbe",
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
/**`top.Einsum`: Sum of products over named axes (Einstein notation).

`mode` names the axes of each operand, then those of the result; axes missing from the result are summed over.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Einsum<V> {
    /// Operand.
    pub inputs: Vec<V>,
    ///Attribute.
    pub mode: EinsumMode,
}
impl<V> Einsum<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(inputs: Vec<V>, mode: EinsumMode) -> Self {
        Self { inputs, mode }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            inputs: operands.rest("inputs")?,
            mode: attributes.take("mode")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![("inputs", OperandValue::Many(& self.inputs)),]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("mode", &self.mode);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Einsum<U>, E> {
        Ok(Einsum {
            inputs: self.inputs.iter().map(&mut *f).collect::<Result<_, E>>()?,
            mode: self.mode,
        })
    }
}
pub(super) const FP8MATMUL: OpDef = OpDef {
    name: "Fp8MatMul",
    summary: "Product with a matrix of fp8e4m3 values, plus bias",
    description: "With `weight_transpose`, `weight` is [N, K]. Each block of `block_size` x `block_size` weights has one entry of `weight_scale`.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_scale",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "block_size",
            kind: AttributeKind::Int,
            default: Some(Default::Int(128)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "weight_transpose",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
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
/**`top.Fp8MatMul`: Product with a matrix of fp8e4m3 values, plus bias.

With `weight_transpose`, `weight` is \[N, K\]. Each block of `block_size` x `block_size` weights has one entry of `weight_scale`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Fp8MatMul<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub weight: V,
    /// Operand.
    pub weight_scale: V,
    /// Operand.
    pub bias: Option<V>,
    ///Attribute; `128` by default.
    pub block_size: i64,
    ///Attribute; `false` by default.
    pub weight_transpose: bool,
}
impl<V> Fp8MatMul<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, weight: V, weight_scale: V) -> Self {
        Self {
            input,
            weight,
            weight_scale,
            bias: None,
            block_size: 128,
            weight_transpose: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            weight: operands.required("weight")?,
            weight_scale: operands.required("weight_scale")?,
            bias: operands.optional("bias")?,
            block_size: attributes.take("block_size")?,
            weight_transpose: attributes.take("weight_transpose")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("weight", OperandValue::One(&
            self.weight)), ("weight_scale", OperandValue::One(& self.weight_scale)),
            ("bias", self.bias.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("block_size", &self.block_size);
        a.put("weight_transpose", &self.weight_transpose);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Fp8MatMul<U>, E> {
        Ok(Fp8MatMul {
            input: f(&self.input)?,
            weight: f(&self.weight)?,
            weight_scale: f(&self.weight_scale)?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            block_size: self.block_size,
            weight_transpose: self.weight_transpose,
        })
    }
}
pub(super) const MATMUL: OpDef = OpDef {
    name: "MatMul",
    summary: "Matrix product over the last two axes, plus bias",
    description: "`[.., M, K] x [.., K, N] -> [.., M, N]`; the flags transpose the last two axes of an operand or the result. Without `keep_dims` all leading axes are folded into M.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "right",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "right_transpose",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "left_transpose",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_transpose",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "hdim_is_batch",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "keep_dims",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "do_relu",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "relu_limit",
            kind: AttributeKind::Float,
            default: Some(Default::Float(-1.0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "weight_bits",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: false,
        },
        AttributeDef {
            name: "in_int4_scale",
            kind: AttributeKind::Float,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "in_int4_zp",
            kind: AttributeKind::Float,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "out_int8_scale",
            kind: AttributeKind::Float,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "out_int8_zp",
            kind: AttributeKind::Float,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "dq_type",
            kind: AttributeKind::OneOf(
                &["NONE", "F16", "BF16", "INT8", "INT4", "F8E4M3", "F4", "MXF4"],
            ),
            default: Some(Default::Str("NONE")),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "q_group_size",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "is_lora",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
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
/**`top.MatMul`: Matrix product over the last two axes, plus bias.

`[.., M, K] x [.., K, N] -> [.., M, N]`; the flags transpose the last two axes of an operand or the result. Without `keep_dims` all leading axes are folded into M.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MatMul<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub right: V,
    /// Operand.
    pub bias: Option<V>,
    ///Attribute; `false` by default.
    pub right_transpose: bool,
    ///Attribute; `false` by default.
    pub left_transpose: bool,
    ///Attribute; `false` by default.
    pub output_transpose: bool,
    ///Attribute; `false` by default.
    pub hdim_is_batch: bool,
    ///Attribute; `true` by default.
    pub keep_dims: bool,
    ///Attribute; `false` by default.
    pub do_relu: bool,
    ///Attribute; `-1.0f64` by default.
    pub relu_limit: f64,
    ///Attribute; may be absent.
    pub weight_bits: Option<i64>,
    ///Attribute; may be absent. It changes no result.
    pub in_int4_scale: Option<f64>,
    ///Attribute; may be absent. It changes no result.
    pub in_int4_zp: Option<f64>,
    ///Attribute; may be absent. It changes no result.
    pub out_int8_scale: Option<f64>,
    ///Attribute; may be absent. It changes no result.
    pub out_int8_zp: Option<f64>,
    ///Attribute; `DequantType::NONE` by default.
    pub dq_type: DequantType,
    ///Attribute; `0` by default.
    pub q_group_size: i64,
    ///Attribute; `false` by default. It changes no result.
    pub is_lora: bool,
}
impl<V> MatMul<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, right: V) -> Self {
        Self {
            input,
            right,
            bias: None,
            right_transpose: false,
            left_transpose: false,
            output_transpose: false,
            hdim_is_batch: false,
            keep_dims: true,
            do_relu: false,
            relu_limit: -1.0f64,
            weight_bits: None,
            in_int4_scale: None,
            in_int4_zp: None,
            out_int8_scale: None,
            out_int8_zp: None,
            dq_type: DequantType::NONE,
            q_group_size: 0,
            is_lora: false,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            right: operands.required("right")?,
            bias: operands.optional("bias")?,
            right_transpose: attributes.take("right_transpose")?,
            left_transpose: attributes.take("left_transpose")?,
            output_transpose: attributes.take("output_transpose")?,
            hdim_is_batch: attributes.take("hdim_is_batch")?,
            keep_dims: attributes.take("keep_dims")?,
            do_relu: attributes.take("do_relu")?,
            relu_limit: attributes.take("relu_limit")?,
            weight_bits: attributes.take_optional("weight_bits")?,
            in_int4_scale: attributes.take_optional("in_int4_scale")?,
            in_int4_zp: attributes.take_optional("in_int4_zp")?,
            out_int8_scale: attributes.take_optional("out_int8_scale")?,
            out_int8_zp: attributes.take_optional("out_int8_zp")?,
            dq_type: attributes.take("dq_type")?,
            q_group_size: attributes.take("q_group_size")?,
            is_lora: attributes.take("is_lora")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("right", OperandValue::One(&
            self.right)), ("bias", self.bias.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("right_transpose", &self.right_transpose);
        a.put("left_transpose", &self.left_transpose);
        a.put("output_transpose", &self.output_transpose);
        a.put("hdim_is_batch", &self.hdim_is_batch);
        a.put("keep_dims", &self.keep_dims);
        a.put("do_relu", &self.do_relu);
        a.put("relu_limit", &self.relu_limit);
        a.put_optional("weight_bits", &self.weight_bits);
        a.put_optional("in_int4_scale", &self.in_int4_scale);
        a.put_optional("in_int4_zp", &self.in_int4_zp);
        a.put_optional("out_int8_scale", &self.out_int8_scale);
        a.put_optional("out_int8_zp", &self.out_int8_zp);
        a.put("dq_type", &self.dq_type);
        a.put("q_group_size", &self.q_group_size);
        a.put("is_lora", &self.is_lora);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<MatMul<U>, E> {
        Ok(MatMul {
            input: f(&self.input)?,
            right: f(&self.right)?,
            bias: self.bias.as_ref().map(&mut *f).transpose()?,
            right_transpose: self.right_transpose,
            left_transpose: self.left_transpose,
            output_transpose: self.output_transpose,
            hdim_is_batch: self.hdim_is_batch,
            keep_dims: self.keep_dims,
            do_relu: self.do_relu,
            relu_limit: self.relu_limit,
            weight_bits: self.weight_bits,
            in_int4_scale: self.in_int4_scale,
            in_int4_zp: self.in_int4_zp,
            out_int8_scale: self.out_int8_scale,
            out_int8_zp: self.out_int8_zp,
            dq_type: self.dq_type,
            q_group_size: self.q_group_size,
            is_lora: self.is_lora,
        })
    }
}
pub(super) const MLP: OpDef = OpDef {
    name: "Mlp",
    summary: "Gated feed-forward block of a transformer: down(act(gate(x)) * up(x))",
    description: "`gate`, `up` and `down` are products with a matrix, plus bias; `act` is SiLU. With `is_expert` there is one matrix per expert, and `expert_id` selects those of each token. With `quantized` the matrices are packed as for A16MatMul.",
    operands: &[
        ValueDef {
            name: "input",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_gate",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_up",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_down",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias_gate",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias_up",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias_down",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "expert_id",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "scale_gate",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "scale_up",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "scale_down",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "zp_gate",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "zp_up",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "zp_down",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "is_expert",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_expert",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_expert_per_tok",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "q_group_size",
            kind: AttributeKind::Int,
            default: Some(Default::Int(128)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "quantized",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "right_transpose_down",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "right_transpose_gate",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "right_transpose_up",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "weight_bits",
            kind: AttributeKind::Int,
            default: Some(Default::Int(8)),
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
/**`top.Mlp`: Gated feed-forward block of a transformer: down(act(gate(x)) * up(x)).

`gate`, `up` and `down` are products with a matrix, plus bias; `act` is SiLU. With `is_expert` there is one matrix per expert, and `expert_id` selects those of each token. With `quantized` the matrices are packed as for A16MatMul.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Mlp<V> {
    /// Operand.
    pub input: V,
    /// Operand.
    pub weight_gate: V,
    /// Operand.
    pub weight_up: V,
    /// Operand.
    pub weight_down: V,
    /// Operand.
    pub bias_gate: Option<V>,
    /// Operand.
    pub bias_up: Option<V>,
    /// Operand.
    pub bias_down: Option<V>,
    /// Operand.
    pub expert_id: Option<V>,
    /// Operand.
    pub scale_gate: Option<V>,
    /// Operand.
    pub scale_up: Option<V>,
    /// Operand.
    pub scale_down: Option<V>,
    /// Operand.
    pub zp_gate: Option<V>,
    /// Operand.
    pub zp_up: Option<V>,
    /// Operand.
    pub zp_down: Option<V>,
    ///Attribute; `false` by default.
    pub is_expert: bool,
    ///Attribute; `1` by default.
    pub num_expert: i64,
    ///Attribute; `1` by default.
    pub num_expert_per_tok: i64,
    ///Attribute; `128` by default.
    pub q_group_size: i64,
    ///Attribute; `false` by default.
    pub quantized: bool,
    ///Attribute; `false` by default.
    pub right_transpose_down: bool,
    ///Attribute; `true` by default.
    pub right_transpose_gate: bool,
    ///Attribute; `true` by default.
    pub right_transpose_up: bool,
    ///Attribute; `8` by default.
    pub weight_bits: i64,
}
impl<V> Mlp<V> {
    /// Creates the op from its required operands and attributes, in td's order; the others are absent or at their defaults.
    pub fn new(input: V, weight_gate: V, weight_up: V, weight_down: V) -> Self {
        Self {
            input,
            weight_gate,
            weight_up,
            weight_down,
            bias_gate: None,
            bias_up: None,
            bias_down: None,
            expert_id: None,
            scale_gate: None,
            scale_up: None,
            scale_down: None,
            zp_gate: None,
            zp_up: None,
            zp_down: None,
            is_expert: false,
            num_expert: 1,
            num_expert_per_tok: 1,
            q_group_size: 128,
            quantized: false,
            right_transpose_down: false,
            right_transpose_gate: true,
            right_transpose_up: true,
            weight_bits: 8,
        }
    }
    pub(crate) fn build(
        operands: &mut OperandList<V>,
        attributes: &mut Attributes,
    ) -> Result<Self> {
        let _ = (&operands, &attributes);
        Ok(Self {
            input: operands.required("input")?,
            weight_gate: operands.required("weight_gate")?,
            weight_up: operands.required("weight_up")?,
            weight_down: operands.required("weight_down")?,
            bias_gate: operands.optional("bias_gate")?,
            bias_up: operands.optional("bias_up")?,
            bias_down: operands.optional("bias_down")?,
            expert_id: operands.optional("expert_id")?,
            scale_gate: operands.optional("scale_gate")?,
            scale_up: operands.optional("scale_up")?,
            scale_down: operands.optional("scale_down")?,
            zp_gate: operands.optional("zp_gate")?,
            zp_up: operands.optional("zp_up")?,
            zp_down: operands.optional("zp_down")?,
            is_expert: attributes.take("is_expert")?,
            num_expert: attributes.take("num_expert")?,
            num_expert_per_tok: attributes.take("num_expert_per_tok")?,
            q_group_size: attributes.take("q_group_size")?,
            quantized: attributes.take("quantized")?,
            right_transpose_down: attributes.take("right_transpose_down")?,
            right_transpose_gate: attributes.take("right_transpose_gate")?,
            right_transpose_up: attributes.take("right_transpose_up")?,
            weight_bits: attributes.take("weight_bits")?,
        })
    }
    pub(crate) fn operand_values(&self) -> Vec<(&'static str, OperandValue<'_, V>)> {
        vec![
            ("input", OperandValue::One(& self.input)), ("weight_gate",
            OperandValue::One(& self.weight_gate)), ("weight_up", OperandValue::One(&
            self.weight_up)), ("weight_down", OperandValue::One(& self.weight_down)),
            ("bias_gate", self.bias_gate.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)), ("bias_up", self.bias_up.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("bias_down", self
            .bias_down.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
            ("expert_id", self.expert_id.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)), ("scale_gate", self.scale_gate.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("scale_up", self.scale_up
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)), ("scale_down",
            self.scale_down.as_ref().map_or(OperandValue::Absent, OperandValue::One)),
            ("zp_gate", self.zp_gate.as_ref().map_or(OperandValue::Absent,
            OperandValue::One)), ("zp_up", self.zp_up.as_ref()
            .map_or(OperandValue::Absent, OperandValue::One)), ("zp_down", self.zp_down
            .as_ref().map_or(OperandValue::Absent, OperandValue::One)),
        ]
    }
    pub(crate) fn attributes(&self) -> Attributes {
        let mut a = Attributes::default();
        a.put("is_expert", &self.is_expert);
        a.put("num_expert", &self.num_expert);
        a.put("num_expert_per_tok", &self.num_expert_per_tok);
        a.put("q_group_size", &self.q_group_size);
        a.put("quantized", &self.quantized);
        a.put("right_transpose_down", &self.right_transpose_down);
        a.put("right_transpose_gate", &self.right_transpose_gate);
        a.put("right_transpose_up", &self.right_transpose_up);
        a.put("weight_bits", &self.weight_bits);
        a
    }
    pub(crate) fn try_map<U, E>(
        &self,
        f: &mut dyn FnMut(&V) -> Result<U, E>,
    ) -> Result<Mlp<U>, E> {
        Ok(Mlp {
            input: f(&self.input)?,
            weight_gate: f(&self.weight_gate)?,
            weight_up: f(&self.weight_up)?,
            weight_down: f(&self.weight_down)?,
            bias_gate: self.bias_gate.as_ref().map(&mut *f).transpose()?,
            bias_up: self.bias_up.as_ref().map(&mut *f).transpose()?,
            bias_down: self.bias_down.as_ref().map(&mut *f).transpose()?,
            expert_id: self.expert_id.as_ref().map(&mut *f).transpose()?,
            scale_gate: self.scale_gate.as_ref().map(&mut *f).transpose()?,
            scale_up: self.scale_up.as_ref().map(&mut *f).transpose()?,
            scale_down: self.scale_down.as_ref().map(&mut *f).transpose()?,
            zp_gate: self.zp_gate.as_ref().map(&mut *f).transpose()?,
            zp_up: self.zp_up.as_ref().map(&mut *f).transpose()?,
            zp_down: self.zp_down.as_ref().map(&mut *f).transpose()?,
            is_expert: self.is_expert,
            num_expert: self.num_expert,
            num_expert_per_tok: self.num_expert_per_tok,
            q_group_size: self.q_group_size,
            quantized: self.quantized,
            right_transpose_down: self.right_transpose_down,
            right_transpose_gate: self.right_transpose_gate,
            right_transpose_up: self.right_transpose_up,
            weight_bits: self.weight_bits,
        })
    }
}
