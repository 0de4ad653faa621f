//! Multi-head attention, `softmax(scale * Q K^T + mask) V`. A task computes one head and some queries at a time, so that
//! the scores stay in the cache.
use super::{
    BLOCK, InstructionSet,
    attention_head::{Head, HeadMemory},
    band::grow,
    exp::{largest_lane, powers},
    product::Rows,
    rows::load_padded,
};
use crate::{
    array::zeros,
    base::Result,
    heads::{AttentionSizes, HeadStrides},
};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp, ops::NumOps};

/// Bytes of scores per task.
const SCORES: usize = 256 << 10;
/// The estimated time to pack the keys and values of a head, in queries.
const PACKING: usize = 8;
/// Number of queries of causal attention that read the same keys, those that the last of them sees; a multiple of the columns of a panel.
/// Groups begin at multiples of it, so that the division into tasks does not change what is computed.
const SEEN_TOGETHER: usize = 64;

/// Queries, keys or values.
#[derive(Clone, Copy)]
pub(in crate::cpu) struct Heads<'a> {
    pub data: &'a [f32],
    pub places: HeadStrides,
}

impl<'a> Heads<'a> {
    fn rows(&self, batch: usize, head: usize) -> Rows<'a> {
        let HeadStrides { head: by_head, row, batch: size } = self.places;
        Rows { data: &self.data[batch * size + head * by_head..], stride: row }
    }
}

/// Reads the masks of consecutive queries of a head, beginning at a row. Rows are numbered across all heads and batches.
type Mask<'a> = dyn Fn(usize, &mut [f32]) + Sync + 'a;

/// The operands of attention.
pub(in crate::cpu) struct Attention<'a> {
    pub isa: InstructionSet,
    pub sizes: AttentionSizes,
    pub query: Heads<'a>,
    pub key: Heads<'a>,
    pub value: Heads<'a>,
    pub scale: f32,
    pub mask: Option<&'a Mask<'a>>,
    /// Causal: a query attends only to keys up to its own position.
    pub is_causal: bool,
}

/// Some queries of a head, and the memory of their results.
struct QueryRange<'o> {
    batch: usize,
    head: usize,
    query: usize,
    outs: Vec<&'o mut [f32]>,
    /// The log-sum-exp of each query, if requested.
    logs: Vec<&'o mut f32>,
}

impl Attention<'_> {
    /// Computes the results of each query of each head of each batch. With `heads_inside`, `out` is in BSHD order. `logs`
    /// is empty, or receives the log-sum-exp of each query.
    pub fn run(&self, heads_inside: bool, out: &mut [f32], logs: &mut [f32]) -> Result<()> {
        let parts = self.parts(heads_inside, out, logs);
        parts.into_par_iter().try_for_each_init(Memory::default, |memory, part| self.part(memory, part))
    }

    /// Peak memory of a run over that many queries of all heads in bytes, with the current number of threads.
    pub fn workspace(sizes: AttentionSizes, rows: usize) -> u64 {
        let packed = sizes.keys.next_multiple_of(2 * BLOCK).saturating_mul(sizes.elements + sizes.values + 2 * BLOCK);
        let scores = sizes.queries.min(rows_at_once(sizes.keys)).saturating_mul(sizes.keys + 2 * BLOCK);
        // Scores are stored once more in packed order, and their masks take as much. So do the results, at most.
        let results = sizes.queries.min(rows_at_once(sizes.keys)).saturating_mul(sizes.values.next_multiple_of(BLOCK));
        let of_thread =
            (packed.saturating_add(scores.saturating_mul(3)).saturating_add(results) as u64).saturating_mul(4);
        let lists = rows * size_of::<&mut [f32]>() + rows / sizes.queries.max(1) * size_of::<QueryRange>();
        of_thread.saturating_mul(rayon::current_num_threads() as u64).saturating_add(lists as u64)
    }

    fn parts<'o>(&self, heads_inside: bool, out: &'o mut [f32], logs: &'o mut [f32]) -> Vec<QueryRange<'o>> {
        let AttentionSizes { heads, queries, values, .. } = self.sizes;
        let stacks = out.len() / (queries * values).max(1);
        let share = share(stacks, queries, rayon::current_num_threads());
        let splits = queries.div_ceil(share);
        let part = |i: usize| {
            let (stack, query) = (i / splits, i % splits * share);
            QueryRange {
                batch: stack / heads,
                head: stack % heads,
                query,
                outs: Vec::with_capacity(share),
                logs: Vec::new(),
            }
        };
        let mut parts: Vec<QueryRange> = (0..stacks * splits).map(part).collect();
        let mut logs = logs.iter_mut();
        for (i, row) in out.chunks_mut(values).enumerate() {
            let (stack, query) = if heads_inside {
                (i / (heads * queries) * heads + i % heads, i / heads % queries)
            } else {
                (i / queries, i % queries)
            };
            let part = &mut parts[stack * splits + query / share];
            part.outs.push(row);
            part.logs.extend(logs.next());
        }
        if self.is_causal {
            // The last queries see most keys: the longest parts begin first.
            parts.reverse();
        }
        parts
    }

    fn part(&self, memory: &mut Memory, mut part: QueryRange) -> Result<()> {
        let AttentionSizes { heads, kv_heads, queries, keys, .. } = self.sizes;
        // Whole blocks of columns are written in place.
        let row = keys.next_multiple_of(BLOCK);
        let query = self.query.rows(part.batch, part.head);
        let [key, value] = [self.key, self.value].map(|h| h.rows(part.batch, part.head / (heads / kv_heads)));
        let mut head = Head::new(self.isa, self.sizes, [query, key, value], std::mem::take(&mut memory.head))?;
        let (mut first, at_once) = (part.query, rows_at_once(keys));
        let Memory { scores, added, .. } = memory;
        let rows = part.outs.len().min(at_once);
        grow(scores, rows * row)?;
        grow(added, if self.mask.is_some() { rows * keys } else { 0 })?;
        let (mut logs, mut rest) = (&mut part.logs[..], &mut part.outs[..]);
        while !rest.is_empty() {
            let (count, seen) = self.seen_together(first, rest.len().min(at_once));
            let (outs, later) = rest.split_at_mut(count);
            rest = later;
            let scores = &mut scores[..count * row];
            head.scores(first, seen, count, scores)?;
            let masks = self.mask.map(|read| {
                let masks = &mut added[..count * keys];
                read((part.batch * heads + part.head) * queries + first, masks);
                &*masks
            });
            let mut factors = zeros::<f32>(count)?;
            let (of_these, of_later) = logs.split_at_mut(count.min(logs.len()));
            logs = of_later;
            self.isa.run(Powers {
                scores: &mut *scores,
                first: self.is_causal.then_some(first),
                keys,
                scale: self.scale,
                masks,
                factors: &mut factors,
                logs: of_these,
            });
            head.weigh(seen, scores, &factors, outs)?;
            first += count;
        }
        memory.head = head.into_memory();
        Ok(())
    }

    /// Returns how many of the queries from `first` on are computed together, `most` at most, and the number of keys that they read.
    fn seen_together(&self, first: usize, most: usize) -> (usize, usize) {
        if !self.is_causal {
            return (most, self.sizes.keys);
        }
        let end = (first + 1).next_multiple_of(SEEN_TOGETHER);
        (most.min(end - first), self.sizes.keys.min(end))
    }
}

/// Returns how many queries of a head a task computes: of all divisions, the one that is estimated to take the least time. Each task packs
/// the keys and values of its head.
fn share(stacks: usize, queries: usize, threads: usize) -> usize {
    let most = queries.div_ceil(BLOCK).max(1);
    let fewest = if threads == 1 { 1 } else { (2 * threads).div_ceil(stacks.max(1)).clamp(1, most) };
    let shares = (fewest..=most.min(4 * fewest)).map(|splits| queries.div_ceil(splits).max(1));
    let time = |&share: &usize| (stacks * queries.div_ceil(share)).div_ceil(threads) * (share + PACKING);
    shares.min_by_key(time).unwrap_or(1)
}

/// Scratch memory that a thread reuses.
#[derive(Default)]
struct Memory {
    head: HeadMemory,
    scores: Vec<f32>,
    added: Vec<f32>,
}

/// Number of queries whose scores are computed together.
fn rows_at_once(keys: usize) -> usize {
    (SCORES / size_of::<f32>() / keys.next_multiple_of(BLOCK).max(1)).max(BLOCK)
}

/// Replaces the scores of some queries by exponentials, the largest of which is 1. Those of keys that a query does not see become 0, up to
/// the end of its row, which is a multiple of 16.
struct Powers<'a, 'l> {
    scores: &'a mut [f32],
    /// The first query if it is causal: it sees the keys up to its own position.
    first: Option<usize>,
    keys: usize,
    scale: f32,
    masks: Option<&'a [f32]>,
    /// Receives the reciprocal of each query's sum.
    factors: &'a mut [f32],
    /// Is empty, or receives each query's log-sum-exp.
    logs: &'a mut [&'l mut f32],
}

impl SimdOp for Powers<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let Powers { scores, first, keys, scale, masks, factors, logs } = self;
        let stride = scores.len() / factors.len().max(1);
        for (i, (row, factor)) in scores.chunks_exact_mut(stride).zip(factors).enumerate() {
            let seen = first.map_or(keys, |first| keys.min(first + i + 1));
            let (row, unseen) = row.split_at_mut(seen.next_multiple_of(BLOCK));
            unseen.fill(0.0);
            let most = scaled_scores(isa.f32(), row, seen, scale, masks.map(|masks| &masks[i * keys..][..seen]));
            let sum = powers(isa, row, most);
            *factor = sum.recip();
            if let Some(log) = logs.get_mut(i) {
                **log = most + sum.ln();
            }
        }
    }
}

/// Multiplies the first `seen` scores of a row by `scale` and adds the mask. The others become negative infinity. Returns the maximum; NaN
/// may be ignored.
#[inline(always)]
fn scaled_scores<O: NumOps<f32>>(ops: O, row: &mut [f32], seen: usize, scale: f32, mask: Option<&[f32]>) -> f32 {
    let (lanes, scale, lowest) = (ops.len(), ops.splat(scale), ops.splat(f32::NEG_INFINITY));
    let mut most = lowest;
    for (i, vector) in row.chunks_exact_mut(lanes).enumerate() {
        let (at, scores) = (i * lanes, ops.load(vector));
        let scores = match mask.filter(|mask| at < mask.len()) {
            Some(mask) => ops.mul_add(scores, scale, load_padded(ops, mask, at, 0.0)),
            None => ops.mul(scores, scale),
        };
        let scores = match seen.saturating_sub(at) {
            left if left >= lanes => scores,
            left => ops.select(scores, lowest, ops.first_n_mask(left)),
        };
        most = ops.max(most, scores);
        ops.store(scores, vector);
    }
    largest_lane(most)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn threads_get_the_same_number_of_queries() {
        // The queries of the thread with most of them.
        let most = |stacks: usize, queries: usize, threads: usize| {
            let share = share(stacks, queries, threads);
            (stacks * queries.div_ceil(share)).div_ceil(threads) * share
        };
        assert_eq!(most(12, 512, 2), 6 * 512, "one task for each head");
        assert_eq!(most(5, 1024, 2), 5 * 512, "an odd number of heads");
        assert_eq!(most(9, 512, 4), 9 * 128);
        assert_eq!(most(6, 512, 8), 6 * 64);
        assert_eq!(share(1, 32, 1), 32, "keys are packed once");
        assert_eq!([share(1, 1, 8), share(3, 16, 8), share(1000, 512, 8)], [1, 16, 512]);
    }
}
