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
    description: "`[.., K] x [K, N] -> [.., N]`. The matrix is `(weight - zp) * scale`; `weight`, `scale` and `zp` are stored transposed with `right_transpose`.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The left matrices: floats, [.., M, K]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            description: "The integers: [K * weight_bits / 8, N], uint8, the first of a byte in its low bits",
            arity: Arity::Required,
        },
        ValueDef {
            name: "scale",
            description: "Scales of the integers: [K / q_group_size, N], floats",
            arity: Arity::Required,
        },
        ValueDef {
            name: "zp",
            description: "Zero points of the integers: [K / q_group_size, N], uint8",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            description: "Added to each column: N elements, floats",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "dq_type",
            description: "The format of the weights: `NONE`, `INT8` or `INT4`. `weight_bits` is what counts",
            kind: AttributeKind::OneOf(
                &["NONE", "F16", "BF16", "INT8", "INT4", "F8E4M3", "F4", "MXF4"],
            ),
            default: Some(Default::Str("NONE")),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "q_group_size",
            description: "Number of rows of the matrix that share scale and zero point; a divisor of K",
            kind: AttributeKind::Int,
            default: Some(Default::Int(128)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "right_transpose",
            description: "Whether `weight` is [N, K * weight_bits / 8], and `scale` and `zp` are [N, K / q_group_size]",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "weight_bits",
            description: "Bits of an integer: 4 or 8",
            kind: AttributeKind::Int,
            default: Some(Default::Int(8)),
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
/**`top.A16MatMul`: Product with a matrix of packed integers, plus bias.

`[.., K] x [K, N] -> [.., N]`. The matrix is `(weight - zp) * scale`; `weight`, `scale` and `zp` are stored transposed with `right_transpose`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct A16MatMul<V> {
    /// The left matrices: floats, \[.., M, K\].
    pub input: V,
    /// The integers: \[K * weight_bits / 8, N\], uint8, the first of a byte in its low bits.
    pub weight: V,
    /// Scales of the integers: \[K / q_group_size, N\], floats.
    pub scale: V,
    /// Zero points of the integers: \[K / q_group_size, N\], uint8.
    pub zp: V,
    /// Added to each column: N elements, floats.
    pub bias: Option<V>,
    /// The format of the weights: `NONE`, `INT8` or `INT4`. `weight_bits` is what counts. The default is `DequantType::NONE`.
    pub dq_type: DequantType,
    /// Number of rows of the matrix that share scale and zero point; a divisor of K. The default is `128`.
    pub q_group_size: i64,
    /// Whether `weight` is \[N, K * weight_bits / 8\], and `scale` and `zp` are \[N, K / q_group_size\]. The default is `false`.
    pub right_transpose: bool,
    /// Bits of an integer: 4 or 8. The default is `8`.
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
    description: "",
    operands: &[
        ValueDef {
            name: "inputs",
            description: "The operands: one for each group of names in `mode`, with an axis for each name",
            arity: Arity::Variadic,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "mode",
            description: "The names of each operand's axes, then the result's; axes missing from the result are summed over",
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
            description: "",
            arity: Arity::Required,
        },
    ],
    blocks: &[],
    quant_transparent: false,
    structure: false,
};
///`top.Einsum`: Sum of products over named axes (Einstein notation).
#[derive(Debug, Clone, PartialEq)]
pub struct Einsum<V> {
    /// The operands: one for each group of names in `mode`, with an axis for each name.
    pub inputs: Vec<V>,
    /// The names of each operand's axes, then the result's; axes missing from the result are summed over.
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
    description: "`[.., K] x [K, N] -> [.., N]`. Each block of `block_size` x `block_size` weights has one entry of `weight_scale`.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The left matrices: floats, [.., M, K]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight",
            description: "The right matrix: [K, N], fp8e4m3",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_scale",
            description: "A factor for each block: [ceil(K / block_size), ceil(N / block_size)], float32",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            description: "Added to each column: N elements, floats",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "block_size",
            description: "Rows and columns of a block; at least 1",
            kind: AttributeKind::Int,
            default: Some(Default::Int(128)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "weight_transpose",
            description: "Whether `weight` is [N, K], and `weight_scale` has its axes exchanged too",
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
/**`top.Fp8MatMul`: Product with a matrix of fp8e4m3 values, plus bias.

`[.., K] x [K, N] -> [.., N]`. Each block of `block_size` x `block_size` weights has one entry of `weight_scale`.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Fp8MatMul<V> {
    /// The left matrices: floats, \[.., M, K\].
    pub input: V,
    /// The right matrix: \[K, N\], fp8e4m3.
    pub weight: V,
    /// A factor for each block: \[ceil(K / block_size), ceil(N / block_size)\], float32.
    pub weight_scale: V,
    /// Added to each column: N elements, floats.
    pub bias: Option<V>,
    /// Rows and columns of a block; at least 1. The default is `128`.
    pub block_size: i64,
    /// Whether `weight` is \[N, K\], and `weight_scale` has its axes exchanged too. The default is `false`.
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
    description: "`[.., M, K] x [.., K, N] -> [.., M, N]`. Leading axes are broadcast. If `right` has two axes, trailing axes of `input` whose sizes multiply to K are joined, unless `left_transpose` is true.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The left matrices: [.., M, K], or a vector of K elements",
            arity: Arity::Required,
        },
        ValueDef {
            name: "right",
            description: "The right matrices: [.., K, N], or a vector of K elements",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias",
            description: "Added to the product: N elements, one per column, or a shape that broadcasts to the result's",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "right_transpose",
            description: "Whether `right` is [.., N, K]",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "left_transpose",
            description: "Whether `input` is [.., K, M]",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "output_transpose",
            description: "Whether the result is [.., N, M]",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "hdim_is_batch",
            description: "Whether axis 2 is that of the heads, and the chip multiplies the matrices of each head",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "keep_dims",
            description: "Whether the result keeps its axes; otherwise all but the last are folded into one",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
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
            name: "weight_bits",
            description: "Bits of a quantized weight",
            kind: AttributeKind::Int,
            default: None,
            optional: true,
            ignored: true,
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
            description: "Scale of the output of a layer in int4",
            kind: AttributeKind::Float,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "out_int8_zp",
            description: "Zero point of the output of a layer in int4",
            kind: AttributeKind::Float,
            default: None,
            optional: true,
            ignored: true,
        },
        AttributeDef {
            name: "dq_type",
            description: "The format of quantized weights that the compiler dequantizes",
            kind: AttributeKind::OneOf(
                &["NONE", "F16", "BF16", "INT8", "INT4", "F8E4M3", "F4", "MXF4"],
            ),
            default: Some(Default::Str("NONE")),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "q_group_size",
            description: "Number of quantized weights of a column that share a scale; 0 without groups",
            kind: AttributeKind::Int,
            default: Some(Default::Int(0)),
            optional: false,
            ignored: true,
        },
        AttributeDef {
            name: "is_lora",
            description: "Whether `right` belongs to a LoRA adapter",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
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
/**`top.MatMul`: Matrix product over the last two axes, plus bias.

`[.., M, K] x [.., K, N] -> [.., M, N]`. Leading axes are broadcast. If `right` has two axes, trailing axes of `input` whose sizes multiply to K are joined, unless `left_transpose` is true.*/
#[derive(Debug, Clone, PartialEq)]
pub struct MatMul<V> {
    /// The left matrices: \[.., M, K\], or a vector of K elements.
    pub input: V,
    /// The right matrices: \[.., K, N\], or a vector of K elements.
    pub right: V,
    /// Added to the product: N elements, one per column, or a shape that broadcasts to the result's.
    pub bias: Option<V>,
    /// Whether `right` is \[.., N, K\]. The default is `false`.
    pub right_transpose: bool,
    /// Whether `input` is \[.., K, M\]. The default is `false`.
    pub left_transpose: bool,
    /// Whether the result is \[.., N, M\]. The default is `false`.
    pub output_transpose: bool,
    /// Whether axis 2 is that of the heads, and the chip multiplies the matrices of each head. The default is `false`. It changes no result.
    pub hdim_is_batch: bool,
    /// Whether the result keeps its axes; otherwise all but the last are folded into one. The default is `true`.
    pub keep_dims: bool,
    /// Whether negative results become 0. The default is `false`.
    pub do_relu: bool,
    /// With `do_relu`, the maximum of the results; 0 or a negative value means none. The default is `-1.0f64`.
    pub relu_limit: f64,
    /// Bits of a quantized weight. It changes no result.
    pub weight_bits: Option<i64>,
    /// Scale of the input of a layer in int4. It changes no result.
    pub in_int4_scale: Option<f64>,
    /// Zero point of the input of a layer in int4. It changes no result.
    pub in_int4_zp: Option<f64>,
    /// Scale of the output of a layer in int4. It changes no result.
    pub out_int8_scale: Option<f64>,
    /// Zero point of the output of a layer in int4. It changes no result.
    pub out_int8_zp: Option<f64>,
    /// The format of quantized weights that the compiler dequantizes. The default is `DequantType::NONE`. It changes no result.
    pub dq_type: DequantType,
    /// Number of quantized weights of a column that share a scale; 0 without groups. The default is `0`. It changes no result.
    pub q_group_size: i64,
    /// Whether `right` belongs to a LoRA adapter. The default is `false`. It changes no result.
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
    description: "`gate`, `up` and `down` are products with a matrix, plus bias; `act` is SiLU. `gate` and `up` turn K elements into M, and `down` turns them back. With `is_expert` each weight and bias has an axis of `num_expert` before the others, and the result is [batch * length, num_expert_per_tok, K]. With `quantized` the matrices consist of integers in an order of the chip's; such a block is not computed.",
    operands: &[
        ValueDef {
            name: "input",
            description: "The tokens: [batch, length, K]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_gate",
            description: "The matrix of `gate`: [K, M]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_up",
            description: "The matrix of `up`: [K, M]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "weight_down",
            description: "The matrix of `down`: [M, K]",
            arity: Arity::Required,
        },
        ValueDef {
            name: "bias_gate",
            description: "The bias of `gate`: M elements",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias_up",
            description: "The bias of `up`: M elements",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "bias_down",
            description: "The bias of `down`: K elements",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "expert_id",
            description: "With `is_expert`, `num_expert_per_tok` integers for each token, from 0 to num_expert - 1",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "scale_gate",
            description: "With `quantized`, the scales of `weight_gate`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "scale_up",
            description: "With `quantized`, the scales of `weight_up`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "scale_down",
            description: "With `quantized`, the scales of `weight_down`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "zp_gate",
            description: "With `quantized`, the zero points of `weight_gate`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "zp_up",
            description: "With `quantized`, the zero points of `weight_up`",
            arity: Arity::OrNone,
        },
        ValueDef {
            name: "zp_down",
            description: "With `quantized`, the zero points of `weight_down`",
            arity: Arity::OrNone,
        },
    ],
    attributes: &[
        AttributeDef {
            name: "is_expert",
            description: "Whether there are several experts, of which `expert_id` selects some for each token",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_expert",
            description: "Number of experts, at least 1",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "num_expert_per_tok",
            description: "Number of experts that each token passes through, at least 1",
            kind: AttributeKind::Int,
            default: Some(Default::Int(1)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "q_group_size",
            description: "With `quantized`, number of rows of a matrix that share scale and zero point",
            kind: AttributeKind::Int,
            default: Some(Default::Int(128)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "quantized",
            description: "Whether the matrices consist of packed integers",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "right_transpose_down",
            description: "Whether `weight_down` is [K, M]",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(false)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "right_transpose_gate",
            description: "Whether `weight_gate` is [M, K]",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "right_transpose_up",
            description: "Whether `weight_up` is [M, K]",
            kind: AttributeKind::Bool,
            default: Some(Default::Bool(true)),
            optional: false,
            ignored: false,
        },
        AttributeDef {
            name: "weight_bits",
            description: "With `quantized`, bits of an integer",
            kind: AttributeKind::Int,
            default: Some(Default::Int(8)),
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
/**`top.Mlp`: Gated feed-forward block of a transformer: down(act(gate(x)) * up(x)).

`gate`, `up` and `down` are products with a matrix, plus bias; `act` is SiLU. `gate` and `up` turn K elements into M, and `down` turns them back. With `is_expert` each weight and bias has an axis of `num_expert` before the others, and the result is \[batch * length, num_expert_per_tok, K\]. With `quantized` the matrices consist of integers in an order of the chip's; such a block is not computed.*/
#[derive(Debug, Clone, PartialEq)]
pub struct Mlp<V> {
    /// The tokens: \[batch, length, K\].
    pub input: V,
    /// The matrix of `gate`: \[K, M\].
    pub weight_gate: V,
    /// The matrix of `up`: \[K, M\].
    pub weight_up: V,
    /// The matrix of `down`: \[M, K\].
    pub weight_down: V,
    /// The bias of `gate`: M elements.
    pub bias_gate: Option<V>,
    /// The bias of `up`: M elements.
    pub bias_up: Option<V>,
    /// The bias of `down`: K elements.
    pub bias_down: Option<V>,
    /// With `is_expert`, `num_expert_per_tok` integers for each token, from 0 to num_expert - 1.
    pub expert_id: Option<V>,
    /// With `quantized`, the scales of `weight_gate`.
    pub scale_gate: Option<V>,
    /// With `quantized`, the scales of `weight_up`.
    pub scale_up: Option<V>,
    /// With `quantized`, the scales of `weight_down`.
    pub scale_down: Option<V>,
    /// With `quantized`, the zero points of `weight_gate`.
    pub zp_gate: Option<V>,
    /// With `quantized`, the zero points of `weight_up`.
    pub zp_up: Option<V>,
    /// With `quantized`, the zero points of `weight_down`.
    pub zp_down: Option<V>,
    /// Whether there are several experts, of which `expert_id` selects some for each token. The default is `false`.
    pub is_expert: bool,
    /// Number of experts, at least 1. The default is `1`.
    pub num_expert: i64,
    /// Number of experts that each token passes through, at least 1. The default is `1`.
    pub num_expert_per_tok: i64,
    /// With `quantized`, number of rows of a matrix that share scale and zero point. The default is `128`.
    pub q_group_size: i64,
    /// Whether the matrices consist of packed integers. The default is `false`.
    pub quantized: bool,
    /// Whether `weight_down` is \[K, M\]. The default is `false`.
    pub right_transpose_down: bool,
    /// Whether `weight_gate` is \[M, K\]. The default is `true`.
    pub right_transpose_gate: bool,
    /// Whether `weight_up` is \[M, K\]. The default is `true`.
    pub right_transpose_up: bool,
    /// With `quantized`, bits of an integer. The default is `8`.
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
