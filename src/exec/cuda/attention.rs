//! Attention of heads, and rotary embeddings.
use super::{
    builder::{Builder, arguments},
    cast::{FIXED_POINT, literal},
    chain::Chain,
    float::Float,
    formula::{Formula, Input, PostOp},
    geometry,
    slot::Slot,
    source::{File, file},
    walk::divided,
};
use crate::{
    base::{Dtype, Result},
    exec::{
        Operand, ValueType,
        heads::{AttentionSizes, HeadStrides},
    },
    ops::{Rope, RopeMode, ScaleDotProductAttention},
};

const FILE: File = file!("attention.cu");

/// Keys per step, as in `attention.cu`.
pub(super) const KEYS: usize = 64;

/// The number of blocks of attention that keeps a device busy. With fewer, several blocks share the keys of a query.
const ATTENDING_BLOCKS: usize = 256;

/// `softmax(scale * Q K^T + mask) V` for multiple heads.
pub(super) struct AttentionLaunch {
    pub sizes: AttentionSizes,
    pub batches: usize,
    /// The storage type of queries, keys, values and results.
    pub float: Float,
    /// The strides of queries, keys, values and results.
    pub strides: [HeadStrides; 4],
    pub scale: f32,
    /// The additive mask, and its strides along batches, heads, queries and keys.
    pub mask: Option<(Slot, [usize; 4])>,
    /// Queries see keys up to this many positions after their own; the value is added to the scores of later keys.
    pub limit: Option<(i64, f32)>,
}

impl AttentionLaunch {
    /// Adds the launch. `logs` receives the logarithm of each row's sum of exponentials.
    pub fn launch(&self, b: &mut Builder, from: [Slot; 3], out: Slot, logs: Option<Slot>) -> Result<()> {
        let AttentionSizes { heads, kv_heads, queries, keys, values, .. } = self.sizes;
        let together = queries * (heads / kv_heads.max(1));
        let each = match together {
            0..=16 => 1,
            17..=32 => 2,
            _ => 4,
        };
        // Columns of values per block.
        let columns = values.next_power_of_two().clamp(32, 128);
        let (tiles, stacks) = (together.div_ceil(16 * each), self.batches * kv_heads);
        let blocks = (tiles * stacks).saturating_mul(values.div_ceil(columns));
        let splits = (ATTENDING_BLOCKS / blocks.max(1)).min(keys.div_ceil(KEYS)).max(1);
        let (rows, is_split) = (self.batches * heads * queries, splits > 1);
        let [parts, sums] = match is_split {
            true => {
                let n = splits.saturating_mul(rows);
                [b.temporary_reals(n.saturating_mul(values)), b.temporary_reals(n.saturating_mul(2))]
            }
            false => [out, logs.unwrap_or(out)],
        };
        let (lookahead, masked_bias) = self.limit.unwrap_or((keys as i64, f32::NEG_INFINITY));
        let numbers = self.numbers(b, lookahead, splits)?;
        let mask = self.mask.map_or(from[0], |m| m.0);
        let [query, key, value] = from;
        let (batches, has_logs) = (self.batches, logs.is_some());
        let arguments =
            arguments![query, key, value, mask, parts, sums, numbers, batches, has_logs, self.scale, masked_bias];
        let geometry =
            geometry::tiles([values as u64, (tiles * splits) as u64], stacks as u64, [columns as u64, 1], 256);
        let (float, parts_float) = (self.float, if is_split { Float::Single } else { self.float });
        let function = format!("attention<{}, {}, {each}, {columns}>", float.c_type(), parts_float.c_type());
        b.launch(FILE, function, geometry, arguments)?;
        if !is_split {
            return Ok(());
        }
        let arguments = arguments![parts, sums, out, logs.unwrap_or(out), rows, values, splits, has_logs];
        b.launch(
            FILE,
            format!("combine_splits<{}>", float.c_type()),
            geometry::elements((rows * values) as u64),
            arguments,
        )
    }

    /// Uploads the kernels' `Heads`.
    fn numbers(&self, b: &mut Builder, lookahead: i64, splits: usize) -> Result<Slot> {
        let AttentionSizes { heads, kv_heads, queries, keys, elements, values } = self.sizes;
        let [query, key, value, out] = self.strides.map(|p| [p.batch, p.head, p.row]);
        let (has_mask, mask) = self.mask.map_or((false, [0; 4]), |m| (true, m.1));
        let of_rows = out.map(|n| n / values.max(1));
        let is_aligned = [elements, values].iter().chain(query.iter().chain(&key).chain(&value)).all(|n| n % 4 == 0);
        let lists = [
            &[heads, kv_heads, queries, keys, elements, values][..],
            &[query, key, value].concat(),
            &[has_mask.into()],
            &mask,
            &of_rows,
        ];
        let numbers = lists.concat().into_iter().map(|n| n as i64).chain([lookahead, splits as i64, is_aligned.into()]);
        b.constant(&numbers.collect::<Vec<i64>>())
    }
}

/// Pads the dimensions with leading ones to at least `rank`.
pub(super) fn padded(shape: &[usize], rank: usize) -> Vec<usize> {
    [&vec![1; rank.saturating_sub(shape.len())], shape].concat()
}

/// Returns the memory and strides of a mask of shape `shape`, which broadcasts to the scores (.. x heads x queries x keys).
/// The kernel has one batch axis; a mask that has only some of the batch axes is expanded to all of them.
pub(super) fn entries(
    b: &mut Builder,
    mask: &Operand,
    shape: &[usize],
    scores: &[usize],
) -> Result<(Slot, [usize; 4])> {
    let scores = padded(scores, 4);
    let mut own = padded(shape, scores.len());
    let outer = scores.len() - 3;
    let mut slot = b.reals(mask)?;
    if own[..outer] != scores[..outer] && own[..outer].iter().any(|d| *d != 1) {
        own[..outer].copy_from_slice(&scores[..outer]);
        let ty = ValueType { shape: own.clone(), dtype: Dtype::Float32, quantization: None, ..mask.ty.clone() };
        let of_mask = ValueType { shape: shape.to_vec(), ..ty.clone() };
        let expanded = b.temporary(ty.bytes());
        b.chain(Chain::new(vec![Formula::copy(Input::slot(slot, of_mask))], expanded, ty))?;
        slot = expanded;
    }
    let [.., heads, queries, keys] = *own else { return Ok((slot, [0; 4])) };
    let step = |count: usize, step: usize| if count == 1 { 0 } else { step };
    let batches = own[..outer].iter().product();
    let by = [step(batches, heads * queries * keys), step(heads, queries * keys), step(queries, keys), step(keys, 1)];
    Ok((slot, by))
}

pub(super) fn scaled_dot_product(op: &ScaleDotProductAttention<Operand>, b: &mut Builder) -> Result<()> {
    let (sizes, result) = (AttentionSizes::from_bhsd(op), b.result_type(0)?);
    let shape = result.plain_shape();
    let scores = [&shape[..shape.len() - 1], &[sizes.keys]].concat();
    let mask = op.mask.as_ref().map(|m| entries(b, m, &m.ty.shape, &scores)).transpose()?;
    let float = Float::of([&op.query.ty, &op.key.ty, &op.value.ty, result]);
    let from = [b.floats(&op.query, float)?, b.floats(&op.key, float)?, b.floats(&op.value, float)?];
    let out = b.float_result(0, float)?;
    let launch = AttentionLaunch {
        sizes,
        float,
        batches: shape[..shape.len().saturating_sub(3)].iter().product(),
        strides: [&op.query.ty, &op.key.ty, &op.value.ty, result].map(HeadStrides::of),
        scale: sizes.scale(op.scale),
        mask,
        limit: op.is_causal.then_some((0, f32::NEG_INFINITY)),
    };
    launch.launch(b, from, out, None)?;
    b.store_floats(0, out, float, PostOp::default())
}

/// Rotates each pair (a, b) to (a cos - b sin, b cos + a sin). A row is viewed as two axes: its halves or its pairs.
pub(super) fn rope(op: &Rope<Operand>, b: &mut Builder) -> Result<()> {
    let (x, result) = (&op.input1, b.result_type(0)?.clone());
    let half = result.shape.last().map_or(1, |n| n / 2);
    // The axis of a pair, counted from the end.
    let (pairs, run, across) = match op.rope_mode {
        RopeMode::InterleavedPairs => ([half, 2], 1, 1),
        RopeMode::ContiguousHalves => ([2, half], half, 2),
    };
    let counts = [&result.shape[..result.shape.len().saturating_sub(1)], &pairs].concat();
    let seen = |ty: &ValueType| divided(&ty.shape, &result.shape, &counts);
    let own = seen(&x.ty);
    let mut other = own.clone();
    let axis = own.strides.len() - across;
    other.start += other.strides[axis];
    other.strides[axis] = -other.strides[axis];
    let inputs = vec![
        Input::of(x).viewed(own),
        Input::of(x).viewed(other),
        Input::of(&op.input2).viewed(seen(&op.input2.ty)),
        Input::of(&op.input3).viewed(seen(&op.input3.ty)),
    ];
    let formula = match x.ty.dtype.is_float() {
        true => Formula::real(inputs, "i / (i64)k0 % 2 ? x * x3 + y * z : x * x3 - y * z"),
        false => Formula::whole(inputs, rotate_ints(op)).with(FIXED_POINT),
    };
    let formulas = [vec![formula.in_doubles().numbers([run as f64])], b.fused_formulas_over(&counts)?].concat();
    b.chain(Chain::new(formulas, b.result(0), result).over(&counts))
}

/// For stored values: each product is shifted and clamped to twice the width; their sum is shifted and saturates.
fn rotate_ints(op: &Rope<Operand>) -> String {
    let narrow = matches!(op.input1.ty.dtype, Dtype::Int8 | Dtype::Uint8);
    let [low, high] = if narrow { [i16::MIN.into(), i16::MAX.into()] } else { [i32::MIN.into(), i32::MAX.into()] };
    let product = |x: &str, weight: &str, shift: i64, mode: i32| {
        let shift = literal(shift.saturating_neg());
        let product = format!("shift_right({x} * {weight}, {shift}, {mode})");
        format!("clamp({product}, {}, {})", literal(low), literal(high))
    };
    let pair = "(i / (i64)k0 % 2 ? (i128)y : -(i128)y)";
    let rotated = product(pair, "z", op.mul1_shift, op.mul1_round_mode as i32);
    let kept = product("(i128)x", "x3", op.mul2_shift, op.mul2_round_mode as i32);
    let (shift, mode) = (literal(op.add_shift.saturating_neg()), op.add_round_mode as i32);
    format!("saturate(shift_right((i128){rotated} + {kept}, {shift}, {mode}))")
}
