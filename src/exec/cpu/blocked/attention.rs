//! Multi-head attention, `softmax(scale * Q K^T + mask) V`. A task computes one head and some queries at a time, so that
//! the scores stay in the cache.
use super::{
    BLOCK, InstructionSet, Pixel,
    band::with_scratch,
    exp::{largest, powers},
    few_queries_attention::{Dots, Weighed},
    product::{Lines, PackedB, Rows},
};
use crate::{
    array::{reserve, zeros},
    base::Result,
    cpu::gemm::{part as part_of, turned_part},
    heads::{AttentionSizes, HeadStrides},
};
use rayon::prelude::*;
use rten_simd::{Isa, SimdOp};

/// Bytes of scores per task.
const SCORES: usize = 256 << 10;
/// Number of queries for which packing keys and values does not pay off.
const FEW_QUERIES: usize = 8;
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
        // Scores are stored once more in packed order, and their masks take as much.
        let of_thread = (packed.saturating_add(scores.saturating_mul(3)) as u64).saturating_mul(4);
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
        let AttentionSizes { heads, queries, keys, .. } = self.sizes;
        // Whole blocks of columns are written in place.
        let row = keys.next_multiple_of(BLOCK);
        let head = self.head(memory, &part)?;
        let (mut first, at_once) = (part.query, rows_at_once(keys));
        let Memory { scores, added, .. } = memory;
        let rows = part.outs.len().min(at_once);
        let masks = if self.mask.is_some() { rows * keys } else { 0 };
        for (memory, size) in [(&mut *scores, rows * row), (&mut *added, masks)] {
            let more = size.saturating_sub(memory.len());
            reserve(memory, more)?;
            memory.resize(size, 0.0);
        }
        let (mut logs, mut rest) = (part.logs.iter_mut(), &mut part.outs[..]);
        while !rest.is_empty() {
            let (count, seen) = self.seen_together(first, rest.len().min(at_once));
            let (outs, later) = rest.split_at_mut(count);
            rest = later;
            let scores = &mut scores[..outs.len() * row];
            let written = scores.chunks_mut(row).map(|row| &mut row[..seen.next_multiple_of(BLOCK)]);
            head.scores(first, seen, &mut written.collect::<Vec<_>>())?;
            let masks = self.mask.map(|read| {
                let masks = &mut added[..outs.len() * keys];
                read((part.batch * heads + part.head) * queries + first, masks);
                &*masks
            });
            let mut sums = zeros::<f32>(outs.len())?;
            for (i, (row, sum)) in scores.chunks_mut(row).zip(&mut sums).enumerate() {
                let (most, powers) = self.powers(first + i, row, masks.map(|masks| &masks[i * keys..][..keys]));
                logs.next().into_iter().for_each(|log| **log = most + powers.ln());
                *sum = powers;
            }
            head.weigh(seen, scores, outs)?;
            for (out, sum) in outs.iter_mut().zip(sums) {
                let factor = sum.recip();
                out.iter_mut().for_each(|v| *v *= factor);
            }
            first += outs.len();
        }
        head.give_back(memory);
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

    /// Replaces the scores of a query by exponentials. Returns the maximum that was subtracted and the sum of the
    /// exponentials.
    fn powers(&self, query: usize, row: &mut [f32], mask: Option<&[f32]>) -> (f32, f32) {
        let keys = self.sizes.keys;
        let seen = if self.is_causal { keys.min(query + 1) } else { keys };
        self.isa.run(Powers { row, seen, scale: self.scale, mask })
    }

    /// Returns the head of a part, with packed keys and values if that pays off.
    fn head(&self, memory: &mut Memory, part: &QueryRange) -> Result<Head<'_>> {
        let AttentionSizes { heads, kv_heads, keys, elements, values, .. } = self.sizes;
        let query = self.query.rows(part.batch, part.head);
        let [key, value] = [self.key, self.value].map(|h| h.rows(part.batch, part.head / (heads / kv_heads)));
        let packed = if self.sizes.queries < FEW_QUERIES {
            None
        } else {
            let [of_keys, of_values] = std::mem::take(&mut memory.lines);
            let of_keys = PackedB::within(of_keys, self.isa, elements, keys, |element, first| {
                turned_part(key.data, key.stride, first..keys, element..elements)
            })?;
            let of_values = PackedB::within(of_values, self.isa, keys, values, |row, first| {
                part_of(value.data, value.stride, row..keys, first..values)
            })?;
            Some([(of_keys.begin(None)?, of_keys), (of_values.begin(None)?, of_values)])
        };
        Ok(Head { isa: self.isa, sizes: self.sizes, query, key, value, packed })
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
    lines: [Lines; 2],
    scores: Vec<f32>,
    added: Vec<f32>,
}

/// A head's queries, keys and values.
struct Head<'a> {
    isa: InstructionSet,
    sizes: AttentionSizes,
    query: Rows<'a>,
    key: Rows<'a>,
    value: Rows<'a>,
    /// Packed keys and values, and the initial values of the accumulators.
    packed: Option<[(Vec<Pixel>, PackedB); 2]>,
}

impl Head<'_> {
    /// Computes the products of the queries from `first` on with each of the keys that they read, one row per query. What follows in a row
    /// is overwritten.
    fn scores(&self, first: usize, seen: usize, scores: &mut [&mut [f32]]) -> Result<()> {
        let query = Rows { data: &self.query.data[first * self.query.stride..], ..self.query };
        if let Some([(begin, keys), _]) = &self.packed {
            return with_scratch(|scratch| keys.part(query, 0, begin, scores, scratch));
        }
        for (i, scores) in scores.iter_mut().enumerate() {
            let query = &query.data[i * query.stride..][..self.sizes.elements];
            self.isa.run(Dots { query, keys: self.key, scores: &mut scores[..seen] });
        }
        Ok(())
    }
    /// Multiplies each row of scores with the values of the keys that it reads.
    fn weigh(&self, seen: usize, scores: &[f32], outs: &mut [&mut [f32]]) -> Result<()> {
        let stride = scores.len() / outs.len().max(1);
        if let Some([_, (begin, values)]) = &self.packed {
            let rows = Rows { data: scores, stride };
            return with_scratch(|scratch| values.part_of_first(seen, rows, 0, begin, outs, scratch));
        }
        for (weights, out) in scores.chunks(stride).zip(outs) {
            self.isa.run(Weighed { weights: &weights[..seen], values: self.value, out });
        }
        Ok(())
    }
    fn give_back(self, memory: &mut Memory) {
        if let Some(packed) = self.packed {
            memory.lines = packed.map(|(_, columns)| columns.lines());
        }
    }
}

/// Number of queries whose scores are computed together.
fn rows_at_once(keys: usize) -> usize {
    (SCORES / size_of::<f32>() / keys.next_multiple_of(BLOCK).max(1)).max(BLOCK)
}

/// Replaces scores by exponentials, the largest of which is 1. Returns the maximum that was subtracted and the sum of the
/// exponentials. The length of the row is a multiple of 16; entries after the visible ones become 0.
struct Powers<'a> {
    row: &'a mut [f32],
    seen: usize,
    scale: f32,
    mask: Option<&'a [f32]>,
}

impl SimdOp for Powers<'_> {
    type Output = (f32, f32);

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) -> (f32, f32) {
        let Powers { row, seen, scale, mask } = self;
        let (row, unseen) = row.split_at_mut(seen.next_multiple_of(BLOCK));
        unseen.fill(0.0);
        match mask {
            None => {
                for v in &mut *row {
                    *v *= scale;
                }
            }
            Some(mask) => {
                for (v, added) in row.iter_mut().zip(mask) {
                    *v = *v * scale + added;
                }
            }
        }
        // Only whole vectors are processed; the exponentials of the entries after the last become 0.
        row[seen..].fill(f32::NEG_INFINITY);
        let most = largest(isa.f32(), row);
        (most, powers(isa, row, most, false))
    }
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
