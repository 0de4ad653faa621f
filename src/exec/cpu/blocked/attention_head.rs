//! A head of attention: the products of its queries with its keys, and of their weights with its values.
use super::{
    BLOCK, InstructionSet, Pixel,
    band::{grow, with_scratch},
    few_queries_attention::{Dots, Weighed},
    product::{Lines, PackedB, Rows},
    small::{SmallB, is_small},
};
use crate::{
    base::Result,
    cpu::gemm::{Mat, part, turned_part},
    heads::AttentionSizes,
};

/// Number of queries for which packing keys and values does not pay off.
const FEW_QUERIES: usize = 8;
/// Number of queries from which panels of packed keys and values, with tiles of queries, are faster than small matrices.
const MANY_QUERIES: usize = 257;

/// The queries, keys and values of a head.
pub(super) struct Head<'a> {
    isa: InstructionSet,
    sizes: AttentionSizes,
    query: Rows<'a>,
    matrices: Matrices<'a>,
    memory: HeadMemory,
}

/// The keys, which are multiplied as the columns of a matrix, and the values, as its rows.
enum Matrices<'a> {
    InPlace {
        key: Rows<'a>,
        value: Rows<'a>,
    },
    Small {
        keys: SmallB<'static>,
        values: SmallB<'a>,
    },
    /// Each with the initial values of the accumulators.
    Packed([(PackedB, Vec<Pixel>); 2]),
}

/// Memory for packed keys and values, which a thread reuses.
#[derive(Default)]
pub(super) struct HeadMemory {
    small: [Vec<f32>; 2],
    packed: [Lines; 2],
    /// Initial values of accumulators.
    zeros: Vec<f32>,
    /// Sums of values, before they are divided by the sums of their weights.
    sums: Vec<f32>,
}

impl<'a> Head<'a> {
    /// Packs the keys and the values if that pays off.
    pub fn new(
        isa: InstructionSet,
        sizes: AttentionSizes,
        [query, key, value]: [Rows<'a>; 3],
        mut memory: HeadMemory,
    ) -> Result<Head<'a>> {
        let AttentionSizes { keys, elements, values, .. } = sizes;
        let of_keys = |element: usize, first: usize| turned_part(key.data, key.stride, first..keys, element..elements);
        let of_values = |row: usize, first: usize| part(value.data, value.stride, row..keys, first..values);
        let (columns, width) = (keys.next_multiple_of(BLOCK), values.next_multiple_of(BLOCK));
        let matrices = if sizes.queries < FEW_QUERIES {
            Matrices::InPlace { key, value }
        } else if sizes.queries < MANY_QUERIES && is_small([elements, keys]) && is_small([keys, values]) {
            grow(&mut memory.zeros, columns.max(width))?;
            let [key_memory, value_memory] = std::mem::take(&mut memory.small);
            // Whole blocks of columns are computed.
            let of_keys = SmallB::within(key_memory, isa, [elements, columns], of_keys)?;
            let contiguous = Mat { data: value.data, rows: keys, cols: values, transposed: false };
            let in_place = SmallB::in_place(isa, contiguous).filter(|_| [values, value.stride] == [width; 2]);
            let of_values = match in_place {
                Some(in_place) => in_place,
                None => SmallB::within(value_memory, isa, [keys, width], of_values)?,
            };
            Matrices::Small { keys: of_keys, values: of_values }
        } else {
            let [key_memory, value_memory] = std::mem::take(&mut memory.packed);
            let of_keys = PackedB::within(key_memory, isa, elements, keys, of_keys)?;
            let of_values = PackedB::within(value_memory, isa, keys, values, of_values)?;
            let [begin, begin_sums] = [of_keys.begin(None)?, of_values.begin(None)?];
            Matrices::Packed([(of_keys, begin), (of_values, begin_sums)])
        };
        Ok(Head { isa, sizes, query, matrices, memory })
    }

    /// Computes the products of `count` queries from `first` on with each of the keys that they read, one row per query. What follows in a
    /// row is overwritten up to a multiple of 16.
    pub fn scores(&self, first: usize, seen: usize, count: usize, scores: &mut [f32]) -> Result<()> {
        let query = Rows { data: &self.query.data[first * self.query.stride..], ..self.query };
        let (elements, stride) = (self.sizes.elements, scores.len() / count.max(1));
        match &self.matrices {
            Matrices::InPlace { key, .. } => {
                for (i, scores) in scores.chunks_mut(stride).enumerate() {
                    let query = &query.data[i * query.stride..][..elements];
                    self.isa.run(Dots { query, keys: *key, scores: &mut scores[..seen] });
                }
                Ok(())
            }
            Matrices::Small { keys, .. } => {
                keys.multiply(
                    [elements, seen.next_multiple_of(BLOCK)],
                    &self.memory.zeros,
                    query,
                    (scores, stride, count),
                );
                Ok(())
            }
            Matrices::Packed([(keys, begin), _]) => {
                let written = scores.chunks_mut(stride).map(|row| &mut row[..seen.next_multiple_of(BLOCK)]);
                let mut written: Vec<&mut [f32]> = written.collect();
                with_scratch(|scratch| keys.part(query, 0, begin, &mut written, scratch))
            }
        }
    }

    /// Multiplies each row of weights, one for each key that it reads, with the values, and then with a factor.
    pub fn weigh(&mut self, seen: usize, weights: &[f32], factors: &[f32], outs: &mut [&mut [f32]]) -> Result<()> {
        let (count, values) = (outs.len(), self.sizes.values);
        let stride = weights.len() / count.max(1);
        match &self.matrices {
            Matrices::InPlace { value, .. } => {
                for (weights, out) in weights.chunks(stride).zip(&mut *outs) {
                    self.isa.run(Weighed { weights: &weights[..seen], values: *value, out });
                }
            }
            Matrices::Small { values: of_values, .. } => {
                let HeadMemory { sums, zeros, .. } = &mut self.memory;
                let width = values.next_multiple_of(BLOCK);
                grow(sums, count * width)?;
                let rows = Rows { data: weights, stride };
                of_values.multiply([seen, width], zeros, rows, (sums, width, count));
                for ((sums, out), factor) in sums.chunks(width).zip(outs).zip(factors) {
                    out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum * factor);
                }
                return Ok(());
            }
            Matrices::Packed([_, (of_values, begin)]) => {
                let rows = Rows { data: weights, stride };
                with_scratch(|scratch| of_values.part_of_first(seen, rows, 0, begin, outs, scratch))?;
            }
        }
        for (out, factor) in outs.iter_mut().zip(factors) {
            out.iter_mut().for_each(|v| *v *= factor);
        }
        Ok(())
    }

    /// Returns the memory for reuse.
    pub fn into_memory(self) -> HeadMemory {
        let mut memory = self.memory;
        match self.matrices {
            Matrices::InPlace { .. } => {}
            Matrices::Small { keys, values } => memory.small = [keys, values].map(SmallB::lines),
            Matrices::Packed(matrices) => memory.packed = matrices.map(|(matrix, _)| matrix.lines()),
        }
        memory
    }
}
