//! Attention of many heads, whatever backend computes it: how many there are, where their rows lie, and what a mask does.
use super::{Layout, Operand, Signature, ValueType};
use crate::{
    base::{Result, invalid},
    ops::{Attention, FAttention, FAttentionLse, FlexAttention, Op, ScaleDotProductAttention},
};

#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub heads: usize,
    /// Heads of keys and values: each belongs to as many of the queries' heads.
    pub shared: usize,
    pub queries: usize,
    pub keys: usize,
    /// Of a query and of a key.
    pub elements: usize,
    /// Elements of a value.
    pub values: usize,
}

/// Where the rows of each batch's heads lie.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// From one head of a batch, and from one row of a head, to the next.
    pub head: usize,
    pub row: usize,
    /// Of a batch.
    pub size: usize,
}

impl Places {
    /// .. x heads x rows x elements, in the layout of the tensor.
    pub fn of(ty: &ValueType) -> Places {
        let shape = ty.plain_shape();
        let [.., heads, rows, elements] = *[&[1, 1], shape.as_slice()].concat() else {
            return Places { head: 0, row: 0, size: 0 };
        };
        let (head, row) = match ty.layout {
            Layout::HeadsInside => (elements, heads * elements),
            _ => (rows * elements, elements),
        };
        Places { head, row, size: heads * rows * elements }
    }
    /// Batch x rows x heads x elements.
    pub fn inside([_, rows, heads, elements]: [usize; 4]) -> Places {
        Places { head: elements, row: heads * elements, size: rows * heads * elements }
    }
}

impl Sizes {
    /// Of queries and values, both batch x rows x heads x elements.
    fn inside([_, queries, heads, elements]: [usize; 4], [_, keys, shared, values]: [usize; 4]) -> Sizes {
        Sizes { heads, shared, queries, keys, elements, values }
    }
    /// Of tensors that are .. x heads x rows x elements.
    pub fn outside(op: &ScaleDotProductAttention<Operand>) -> Sizes {
        let [query, key, value] = [&op.query, &op.key, &op.value].map(|o| o.ty.plain_shape());
        let back = |shape: &[usize], i: usize| shape.len().checked_sub(i).map_or(1, |i| shape[i]);
        Sizes {
            heads: back(&query, 3),
            shared: back(&key, 3),
            queries: back(&query, 2),
            keys: back(&key, 2),
            elements: back(&query, 1),
            values: back(&value, 1),
        }
    }
    /// As torch has it where it is not given; 0 and infinity stand for that.
    pub fn scale(self, given: f64) -> f32 {
        let is_given = given != 0.0 && given.is_finite();
        (if is_given { given } else { (self.elements as f64).sqrt().recip() }) as f32
    }
}

/// Whether attention of these types is computed as one: of floats, of which heads may lie inside.
pub fn takes(signature: &Signature) -> bool {
    let Op::ScaleDotProductAttention(op) = &signature.op else { return false };
    let is_taken = |ty: &ValueType| matches!(ty.layout, Layout::Plain | Layout::HeadsInside) && ty.dtype.is_float();
    signature.then.is_empty()
        && [&op.query, &op.key, &op.value].iter().all(|o| is_taken(&o.ty))
        && op.mask.as_ref().is_none_or(|m| m.ty.layout == Layout::Plain)
        && signature.outputs().all(is_taken)
}

/// What a mask does.
#[derive(Debug, Clone, Copy)]
pub enum Masked<'o> {
    Nothing,
    /// It is added: an entry for each query and key, of all batches or of each.
    Added(&'o Operand),
    /// This is added where the key comes after the query; the last of both are at the same place.
    After(f32),
}

/// Attention whose heads lie beside each other, and may share keys and values.
#[derive(Debug)]
pub struct Flash<'o> {
    pub queries: &'o Operand,
    pub keys: &'o Operand,
    pub values: &'o Operand,
    pub masked: Masked<'o>,
    pub scale: f64,
    /// The second result has for each query and head the logarithm of the sum of its powers.
    pub has_logs: bool,
}

/// A mask that hides keys needs not be read. `after` is added to what it hides.
macro_rules! flash {
    ($op:ident, $after:expr, $has_logs:expr) => {
        Flash {
            queries: &$op.queries,
            keys: &$op.keys,
            values: &$op.values,
            masked: match &$op.mask {
                None => Masked::Nothing,
                Some(mask) if $op.mask_size == 0 => Masked::Added(mask),
                Some(_) => Masked::After($after),
            },
            scale: $op.scale,
            has_logs: $has_logs,
        }
    };
}
impl<'o> From<&'o FAttention<Operand>> for Flash<'o> {
    /// Where no key is seen, all are seen alike.
    fn from(op: &'o FAttention<Operand>) -> Self {
        flash!(op, -1e9, false)
    }
}
impl<'o> From<&'o FAttentionLse<Operand>> for Flash<'o> {
    fn from(op: &'o FAttentionLse<Operand>) -> Self {
        flash!(op, f32::NEG_INFINITY, true)
    }
}
impl<'o> From<&'o FlexAttention<Operand>> for Flash<'o> {
    /// Blocks that may be skipped are those that the mask hides: they change no number.
    fn from(op: &'o FlexAttention<Operand>) -> Self {
        flash!(op, f32::NEG_INFINITY, op.has_lse)
    }
}

impl Flash<'_> {
    /// # Errors
    /// There are not four axes.
    pub fn sizes(&self) -> Result<Sizes> {
        Ok(Sizes::inside(four(&self.queries.ty)?, four(&self.values.ty)?))
    }
    /// Of queries, keys and values.
    ///
    /// # Errors
    /// There are not four axes.
    pub fn places(&self) -> Result<[Places; 3]> {
        let [q, k, v] = [self.queries, self.keys, self.values].map(|o| four(&o.ty).map(Places::inside));
        Ok([q?, k?, v?])
    }
}

fn four(ty: &ValueType) -> Result<[usize; 4]> {
    ty.shape.as_slice().try_into().map_err(|_| invalid("attention of other than four axes"))
}

/// Projected queries, and projected keys and values: sizes, and where they lie.
pub fn projected(op: &Attention<Operand>) -> (Sizes, [Places; 2]) {
    let (columns, heads) = (op.queries_weight.ty.shape[1], op.head as usize);
    let [query, key] = [&op.input, &op.keys].map(|o| [o.ty.shape[0], o.ty.shape[1], heads, columns / heads]);
    (Sizes::inside(query, key), [query, key].map(Places::inside))
}
