//! Multi-head attention, for all backends: sizes, strides of heads and rows, and masks.
use super::{Layout, Operand, Signature, ValueType};
use crate::{
    base::{Result, invalid},
    ops::{Attention, FAttention, FAttentionLse, FlexAttention, Op, ScaleDotProductAttention},
};

/// The sizes of multi-head attention.
#[derive(Debug, Clone, Copy)]
pub struct AttentionSizes {
    pub heads: usize,
    /// Number of heads of keys and values; each serves the same number of query heads.
    pub kv_heads: usize,
    pub queries: usize,
    pub keys: usize,
    /// Elements per query and key.
    pub elements: usize,
    /// Elements per value.
    pub values: usize,
}

/// The strides of heads, rows and batches, in elements.
#[derive(Debug, Clone, Copy)]
pub struct HeadStrides {
    pub head: usize,
    pub row: usize,
    pub batch: usize,
}

impl HeadStrides {
    /// The strides of a tensor with dimensions .. x heads x rows x elements, in its layout.
    pub fn of(ty: &ValueType) -> HeadStrides {
        let shape = ty.plain_shape();
        let [.., heads, rows, elements] = *[&[1, 1], shape.as_slice()].concat() else {
            return HeadStrides { head: 0, row: 0, batch: 0 };
        };
        let (head, row) = match ty.layout {
            Layout::Bshd => (elements, heads * elements),
            _ => (rows * elements, elements),
        };
        HeadStrides { head, row, batch: heads * rows * elements }
    }
    /// The strides of a tensor with dimensions batch x rows x heads x elements.
    pub fn from_bshd([_, rows, heads, elements]: [usize; 4]) -> HeadStrides {
        HeadStrides { head: elements, row: heads * elements, batch: rows * heads * elements }
    }
}

impl AttentionSizes {
    /// The sizes for queries and values with dimensions batch x rows x heads x elements.
    fn from_bshd([_, queries, heads, elements]: [usize; 4], [_, keys, kv_heads, values]: [usize; 4]) -> AttentionSizes {
        AttentionSizes { heads, kv_heads, queries, keys, elements, values }
    }
    /// The sizes for tensors with dimensions .. x heads x rows x elements.
    pub fn from_bhsd(op: &ScaleDotProductAttention<Operand>) -> AttentionSizes {
        let [query, key, value] = [&op.query, &op.key, &op.value].map(|o| o.ty.plain_shape());
        let back = |shape: &[usize], i: usize| shape.len().checked_sub(i).map_or(1, |i| shape[i]);
        AttentionSizes {
            heads: back(&query, 3),
            kv_heads: back(&key, 3),
            queries: back(&query, 2),
            keys: back(&key, 2),
            elements: back(&query, 1),
            values: back(&value, 1),
        }
    }
    /// The scale; 0 and infinity mean the default, as in PyTorch.
    pub fn scale(self, given: f64) -> f32 {
        let is_given = given != 0.0 && given.is_finite();
        (if is_given { given } else { (self.elements as f64).sqrt().recip() }) as f32
    }
}

/// Whether fused attention supports these types: floats, BHSD or BSHD.
pub fn supports(signature: &Signature) -> bool {
    let Op::ScaleDotProductAttention(op) = &signature.op else { return false };
    let is_taken = |ty: &ValueType| matches!(ty.layout, Layout::Plain | Layout::Bshd) && ty.dtype.is_float();
    signature.fused_ops.is_empty()
        && [&op.query, &op.key, &op.value].iter().all(|o| is_taken(&o.ty))
        && op.mask.as_ref().is_none_or(|m| m.ty.layout == Layout::Plain)
        && signature.outputs().all(is_taken)
}

/// The mask of attention.
#[derive(Debug, Clone, Copy)]
pub enum Mask<'o> {
    None,
    /// Added to the scores: one entry per query and key, for all batches or for each.
    Additive(&'o Operand),
    /// Causal: added to the scores of later keys; the last query and the last key are aligned.
    Causal(f32),
}

/// Attention in BSHD layout, whose heads may share keys and values.
#[derive(Debug)]
pub struct GroupedQueryAttention<'o> {
    pub queries: &'o Operand,
    pub keys: &'o Operand,
    pub values: &'o Operand,
    pub masked: Mask<'o>,
    pub scale: f64,
    /// Whether the second result is the log-sum-exp per query and head.
    pub has_logs: bool,
}

/// A causal mask need not be read; `$after` is added to the scores that it hides.
macro_rules! flash {
    ($op:ident, $after:expr, $has_logs:expr) => {
        GroupedQueryAttention {
            queries: &$op.queries,
            keys: &$op.keys,
            values: &$op.values,
            masked: match &$op.mask {
                None => Mask::None,
                Some(mask) if $op.mask_size == 0 => Mask::Additive(mask),
                Some(_) => Mask::Causal($after),
            },
            scale: $op.scale,
            has_logs: $has_logs,
        }
    };
}
impl<'o> From<&'o FAttention<Operand>> for GroupedQueryAttention<'o> {
    /// If no key is visible, all have the same weight.
    fn from(op: &'o FAttention<Operand>) -> Self {
        flash!(op, -1e9, false)
    }
}
impl<'o> From<&'o FAttentionLse<Operand>> for GroupedQueryAttention<'o> {
    fn from(op: &'o FAttentionLse<Operand>) -> Self {
        flash!(op, f32::NEG_INFINITY, true)
    }
}
impl<'o> From<&'o FlexAttention<Operand>> for GroupedQueryAttention<'o> {
    /// Blocks that may be skipped are those hidden by the mask; they do not change the result.
    fn from(op: &'o FlexAttention<Operand>) -> Self {
        flash!(op, f32::NEG_INFINITY, op.has_lse)
    }
}

impl GroupedQueryAttention<'_> {
    /// # Errors
    /// Returns an error if there are not four axes.
    pub fn sizes(&self) -> Result<AttentionSizes> {
        Ok(AttentionSizes::from_bshd(four(&self.queries.ty)?, four(&self.values.ty)?))
    }
    /// The strides of queries, keys and values.
    ///
    /// # Errors
    /// Returns an error if there are not four axes.
    pub fn places(&self) -> Result<[HeadStrides; 3]> {
        let [q, k, v] = [self.queries, self.keys, self.values].map(|o| four(&o.ty).map(HeadStrides::from_bshd));
        Ok([q?, k?, v?])
    }
}

fn four(ty: &ValueType) -> Result<[usize; 4]> {
    ty.shape.as_slice().try_into().map_err(|_| invalid("attention of other than four axes"))
}

/// Sizes and strides of projected queries, and of projected keys and values.
pub fn projected(op: &Attention<Operand>) -> (AttentionSizes, [HeadStrides; 2]) {
    let (columns, heads) = (op.queries_weight.ty.shape[1], op.head as usize);
    let [query, key] = [&op.input, &op.keys].map(|o| [o.ty.shape[0], o.ty.shape[1], heads, columns / heads]);
    (AttentionSizes::from_bshd(query, key), [query, key].map(HeadStrides::from_bshd))
}
