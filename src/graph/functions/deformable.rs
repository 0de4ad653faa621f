//! `deformable_attention`, `multi_scale_deformable_attention`.
use super::{dtypes::FLOATS, function, lowering::Lowering, steps::Steps};
use crate::{
    Operand, Tensor,
    array::Array,
    base::{Result, argument, misfit, shape_text},
    ops::{self, ReduceMode},
};

function! {
    DeformableAttention -> Tensor {
        "n x keys x heads x d: the pixels of all levels in order; float32 or float16." value: Operand,
        "n x queries x heads x levels x points x 2: x and y, where 0 and 1 are the outer edges of the level; of the same dtype." sampling_locations: Operand,
        "n x queries x heads x levels x points, of the same dtype." attention_weights: Operand,
        "Height and width of each level." value_spatial_shapes: Vec<[i64; 2]>,
        ;
        "Sampling: 0 bilinear, 1 nearest." grid_sampler_mode: i64 = 0i64,
    }
    deformable_attention: "For each query and head, the sum over levels and points of `attention_weights` times the value sampled at `sampling_locations`: n x queries x (heads * d).",
        example |g, x, i| {
            let value = g.input("value", Dtype::Float32, [1, 20, 2, 5])?;
            let at = g.input("at", Dtype::Float32, [1, 7, 2, 2, 3, 2])?;
            let weights = g.input("weights", Dtype::Float32, [1, 7, 2, 2, 3])?;
            let y = value.deformable_attention(at, weights, vec![[4, 4], [2, 2]]).call()?;
            assert_eq!(y.shape()?, [1, 7, 10]);
        },
        => |args, to| args.lower(to);
}

function! {
    MultiScaleDeformableAttention -> Tensor {
        "1 x queries x embed_dims; float32 or float16." query: Operand,
        "Mask of the pixels of all levels, in order: 1 for pixels to ignore, otherwise 0." key_padding_mask: Operand,
        "1 x queries x levels x 2 (x and y from 0 to 1), or x 4 (then width and height)." reference_points: Operand,
        "embed_dims x (num_heads * num_levels * num_points * 2)." sampling_offsets_weight: Operand,
        "num_heads * num_levels * num_points * 2 elements." sampling_offsets_bias_ori: Operand,
        "embed_dims x (num_heads * num_levels * num_points)." attention_weights_weight: Operand,
        "num_heads * num_levels * num_points elements." attention_weights_bias_ori: Operand,
        "Elements of value x (embed_dims * value_proj_ratio)." value_proj_weight: Operand,
        "embed_dims * value_proj_ratio elements." value_proj_bias_ori: Operand,
        "(embed_dims * value_proj_ratio) x elements of identity." output_proj_weight: Operand,
        "One element per element of an identity row." output_proj_bias_ori: Operand,
        "Height and width of each level." spatial_shapes: Vec<[i64; 2]>,
        "Elements of a query." embed_dims: i64,
        ;
        "1 x pixels x elements; defaults to the query." value: Operand,
        "Added to the result; defaults to the query." identity: Operand,
        "Added to the query first." query_pos: Operand,
        "Heads." num_heads: i64 = 8i64,
        "Levels." num_levels: i64 = 4i64,
        "Points that each head samples per level." num_points: i64 = 4i64,
        "Size of all heads together, as a fraction of embed_dims." value_proj_ratio: f64 = 1.0,
        "Sampling: 0 bilinear, 1 nearest." grid_sampler_mode: i64 = 0i64,
    }
    multi_scale_deformable_attention: "Attention that samples a few points of each level of a feature pyramid (Deformable DETR): offsets from `reference_points` and weights (a softmax) are computed from the query, values from `value` by value_proj. The weighted sum of the samples is multiplied by output_proj and added to `identity`. Offsets are in pixels of their level; with boxes, in halves of the box divided by `num_points`.",
        example |g, x, i| {
            let of = |shape: &[usize]| Array::filled(Dtype::Float32, shape, 0.1);
            let query = g.input("query", Dtype::Float32, [1, 20, 6])?;
            let points = g.input("points", Dtype::Float32, [1, 20, 2, 2])?;
            let mask = of(&[1, 20])?;
            let offsets = (of(&[6, 24])?, of(&[24])?);
            let weights = (of(&[6, 12])?, of(&[12])?);
            let (value, output) = ((of(&[6, 6])?, of(&[6])?), (of(&[6, 6])?, of(&[6])?));
            let y = query
                .multi_scale_deformable_attention(mask, points, offsets.0, offsets.1, weights.0, weights.1, value.0, value.1, output.0, output.1, vec![[4, 4], [2, 2]], 6)
                .num_heads(2)
                .num_levels(2)
                .num_points(3)
                .call()?;
            assert_eq!(y.shape()?, [1, 20, 6]);
        },
        => |args, to| args.lower(to);
}

/// Number of lanes of bm1684x. Queries are distributed over the lanes and padded to a multiple of them.
const LANES: i64 = 64;

/// Returns the number of pixels of each level. Their sum must match the value.
fn pixels(name: &str, levels: &[[i64; 2]], of_value: usize) -> Result<Vec<i64>> {
    let count = |[h, w]: &[i64; 2]| if *h > 0 && *w > 0 { h.checked_mul(*w) } else { None };
    let counts: Option<Vec<i64>> = levels.iter().map(count).collect();
    let sum = counts.as_ref().and_then(|c| c.iter().try_fold(0i64, |n, c| n.checked_add(*c)));
    match counts {
        Some(counts) if sum == i64::try_from(of_value).ok() => Ok(counts),
        _ => {
            let expected =
                format!("expected positive heights and widths that make {of_value} pixels, those of the value");
            Err(argument(name, format!("{levels:?}"), expected))
        }
    }
}

impl DeformableAttention {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("value", &self.value, FLOATS)?;
        to.same_dtype(("value", &self.value), ("sampling_locations", &self.sampling_locations))?;
        to.same_dtype(("value", &self.value), ("attention_weights", &self.attention_weights))?;
        let [n, queries, heads, d, points] = self.sizes(to)?;
        let counts = pixels("value_spatial_shapes", &self.value_spatial_shapes, to.info(&self.value)?.shape[1])?;
        let (value, at) = (to.tensor(&self.value)?, to.tensor(&self.sampling_locations)?);
        let (weights, levels) = (to.tensor(&self.attention_weights)?, counts.len() as i64);
        let mut steps = Steps(to);
        let at = steps.times("mulconst", at, 2.0)?;
        let at = steps.add("addconst", ops::AddConst::new(at, -1.0))?;
        let (mut sampled, mut from) = (Vec::new(), 0);
        for (i, (&[h, w], count)) in self.value_spatial_shapes.iter().zip(&counts).enumerate() {
            let level = steps.part(&format!("value_split_{i}"), value, 4, 1, [from, from + count])?;
            let level = steps.reshape(&format!("reshape0_{i}"), level, &[n, *count, -1])?;
            let level = steps.permute(&format!("permute_{i}"), level, &[0, 2, 1])?;
            let level = steps.reshape(&format!("reshape1_{i}"), level, &[n * heads, d, h, w])?;
            let grid = steps.part(&format!("addconst_slice_{i}"), at, 6, 3, [i as i64, i as i64 + 1])?;
            let grid = steps.add(&format!("squeeze_{i}"), ops::Squeeze::new(grid, vec![3]))?;
            let grid = steps.permute(&format!("permute1_{i}"), grid, &[0, 2, 1, 3, 4])?;
            let grid = steps.reshape(&format!("reshape2_{i}"), grid, &[-1, queries, points, 2])?;
            let op = ops::GridSampler::new(level, grid, false, self.grid_sampler_mode(), 0);
            let of_level = steps.add(&format!("grid_sampler_{i}"), op)?;
            sampled.push(steps.add(&format!("unsqueeze_{i}"), ops::Unsqueeze::new(of_level, vec![-2]))?);
            from += count;
        }
        let sampled = steps.concat("concat", sampled, -2)?;
        let sampled = steps.reshape("reshape3", sampled, &[n * heads, d, queries, -1])?;
        let weights = steps.permute("permute2", weights, &[0, 2, 1, 3, 4])?;
        let weights = steps.reshape("reshape4", weights, &[n * heads, 1, queries, levels * points])?;
        let weighted = steps.add("mul", ops::Mul::new(vec![sampled, weights]))?;
        let sum = steps.add("reduce", ops::Reduce::new(weighted, vec![-1], false, ReduceMode::ReduceSum))?;
        let sum = steps.reshape("reshape5", sum, &[n, heads * d, queries])?;
        to.emit(ops::Permute::new(sum, vec![0, 2, 1]))
    }
    /// Returns n, queries, heads, elements per head and points; checks that the arguments agree on them.
    fn sizes(&self, to: &Lowering) -> Result<[i64; 5]> {
        let value = to.info(&self.value)?.shape.as_slice();
        let &[n, _, heads, d] = value else {
            return Err(misfit("value", format!("is {}; expected n x keys x heads x d", shape_text(value))));
        };
        let at = to.info(&self.sampling_locations)?.shape.as_slice();
        let levels = self.value_spatial_shapes.len();
        let (queries, points) = match at {
            &[an, queries, ah, al, points, 2] if (an, ah, al) == (n, heads, levels) => (queries, points),
            _ => {
                let expected = format!("expected {n} x queries x {heads} heads x {levels} levels x points x 2");
                return Err(misfit("sampling_locations", format!("is {}; {expected}", shape_text(at))));
            }
        };
        let weights = to.info(&self.attention_weights)?.shape.as_slice();
        if weights != &at[..5] {
            let expected = format!("expected {}, a weight for each sampling location", shape_text(&at[..5]));
            return Err(misfit("attention_weights", format!("is {}; {expected}", shape_text(weights))));
        }
        Ok([n, queries, heads, d, points].map(|d| d as i64))
    }
}

/// The sizes of a multi-scale attention.
#[derive(Clone, Copy)]
struct DeformableSizes {
    queries: i64,
    padding: i64,
    heads: i64,
    levels: i64,
    points: i64,
    /// Number of values per reference: 2 for a point, 4 for a box.
    reference: i64,
    /// Number of value elements of all heads.
    values: i64,
    pixels: i64,
}

impl MultiScaleDeformableAttention {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let sizes = self.sizes(to)?;
        let counts = pixels("spatial_shapes", &self.spatial_shapes, sizes.pixels as usize)?;
        self.check_weights(to, sizes)?;
        let query = to.tensor(&self.query)?;
        let value = self.value.as_ref().map_or(Ok(query), |v| to.tensor(v))?;
        let identity = self.identity.as_ref().map_or(Ok(query), |v| to.tensor(v))?;
        let biases = [
            ("sampling_offsets_bias_reshape", &self.sampling_offsets_bias_ori),
            ("attention_weights_bias_reshape", &self.attention_weights_bias_ori),
            ("value_proj_bias_reshape", &self.value_proj_bias_ori),
            ("output_proj_bias_reshape", &self.output_proj_bias_ori),
        ];
        let mut rows = Vec::new();
        for (name, bias) in biases {
            let bias = to.tensor(bias)?;
            rows.push(Steps(to).reshape(name, bias, &[1, 1, -1])?);
        }
        let query = match to.optional(&self.query_pos)? {
            Some(at) => Steps(to).add("query", ops::Add::new(vec![query, at]))?,
            None => query,
        };
        let query = padded(to, "query", query, &[1, sizes.padding, self.embed_dims])?;
        let references = to.tensor(&self.reference_points)?;
        let of = [1, sizes.padding, sizes.levels, sizes.reference];
        let references = padded(to, "reference_points", references, &of)?;
        let mut steps = Steps(to);
        let shape = [sizes.queries + sizes.padding, sizes.levels * sizes.reference];
        let references = steps.reshape("reference_points_reshape", references, &shape)?;
        let references = steps.permute("reference_points_permute", references, &[1, 0])?;
        let offsets = self.offsets(&mut steps, sizes, query, rows[0])?;
        let grids = self.grids(&mut steps, sizes, offsets, references)?;
        let weights = self.weights(&mut steps, sizes, query, rows[1])?;
        let sampled = self.sampled(&mut steps, sizes, &counts, value, rows[2], grids)?;
        self.joined(&mut steps, sizes, weights, sampled, rows[3], identity)
    }

    fn sizes(&self, to: &Lowering) -> Result<DeformableSizes> {
        to.dtype("query", &self.query, FLOATS)?;
        let positive = [
            ("num_heads", self.num_heads()),
            ("num_levels", self.num_levels()),
            ("num_points", self.num_points()),
            ("embed_dims", self.embed_dims),
        ];
        if let Some((name, n)) = positive.into_iter().find(|(_, n)| !(1..=1 << 20).contains(n)) {
            return Err(argument(name, n, "expected 1 to 2^20"));
        }
        let (heads, levels, points) = (self.num_heads(), self.num_levels(), self.num_points());
        // Each head of each level has its own operators.
        if heads * levels > 4096 {
            return Err(argument(
                "num_heads",
                heads,
                format!("expected at most {}, 4096 over all levels", 4096 / levels),
            ));
        }
        if self.spatial_shapes.len() as i64 != levels {
            let found = format!("a list of {}", self.spatial_shapes.len());
            return Err(argument("spatial_shapes", found, format!("expected {levels}, one per level (num_levels)")));
        }
        let rows = |name: &str, operand: &Operand, what: &str| match to.info(operand)?.shape.as_slice() {
            &[1, rows, elements] => Ok([rows as i64, elements as i64]),
            other => Err(misfit(name, format!("is {}; expected 1 x {what} x elements", shape_text(other)))),
        };
        let [queries, embed] = rows("query", &self.query, "queries")?;
        if embed != self.embed_dims {
            return Err(argument("embed_dims", self.embed_dims, format!("a query has {embed} elements")));
        }
        let pixels = match &self.value {
            Some(value) => rows("value", value, "pixels")?[0],
            None => queries,
        };
        if let Some(identity) = &self.identity {
            rows("identity", identity, "queries")?;
        }
        let reference = match to.info(&self.reference_points)?.shape.as_slice() {
            &[1, q, l, n @ (2 | 4)] if [q as i64, l as i64] == [queries, levels] => n as i64,
            other => {
                let expected = format!("expected 1 x {queries} x {levels} x 2 or 4");
                return Err(misfit("reference_points", format!("is {}; {expected}", shape_text(other))));
            }
        };
        let values = (self.embed_dims as f64 * self.value_proj_ratio()).floor();
        if !(values >= heads as f64 && values <= (1 << 30) as f64 && values as i64 % heads == 0) {
            let expected =
                format!("with embed_dims {embed} it makes {values:?} elements; {heads} heads must divide them");
            return Err(argument("value_proj_ratio", format!("{:?}", self.value_proj_ratio()), expected));
        }
        let padding = (LANES - queries % LANES) % LANES;
        Ok(DeformableSizes { queries, padding, heads, levels, points, reference, values: values as i64, pixels })
    }

    /// Checks the shapes of the coefficients.
    fn check_weights(&self, to: &Lowering, s: DeformableSizes) -> Result<()> {
        let samples = s.heads * s.levels * s.points;
        let matrix = |name: &str, weight: &Operand, rows: i64, columns: i64| {
            let shape = &to.info(weight)?.shape;
            if shape.iter().map(|&d| d as i64).eq([rows, columns]) {
                return Ok(());
            }
            Err(misfit(name, format!("is {}; expected {rows}x{columns}", shape_text(shape))))
        };
        let elements = |name: &str, bias: &Operand, expected: i64| {
            let found = to.info(bias)?.elements() as i64;
            if found == expected {
                return Ok(());
            }
            Err(misfit(name, format!("has {found} elements; expected {expected}")))
        };
        matrix("sampling_offsets_weight", &self.sampling_offsets_weight, self.embed_dims, samples * 2)?;
        elements("sampling_offsets_bias_ori", &self.sampling_offsets_bias_ori, samples * 2)?;
        matrix("attention_weights_weight", &self.attention_weights_weight, self.embed_dims, samples)?;
        elements("attention_weights_bias_ori", &self.attention_weights_bias_ori, samples)?;
        let value = to.info(self.value.as_ref().unwrap_or(&self.query))?.shape[2] as i64;
        matrix("value_proj_weight", &self.value_proj_weight, value, s.values)?;
        elements("value_proj_bias_ori", &self.value_proj_bias_ori, s.values)?;
        let identity = to.info(self.identity.as_ref().unwrap_or(&self.query))?.shape[2] as i64;
        matrix("output_proj_weight", &self.output_proj_weight, s.values, identity)?;
        elements("output_proj_bias_ori", &self.output_proj_bias_ori, identity)?;
        elements("key_padding_mask", &self.key_padding_mask, s.pixels)
    }

    /// Returns the offsets for each level, head and coordinate: points x lanes x queries per lane.
    fn offsets(&self, steps: &mut Steps, s: DeformableSizes, query: Tensor, bias: Tensor) -> Result<Vec<Tensor>> {
        let weight = steps.0.tensor(&self.sampling_offsets_weight)?;
        let by_head = [self.embed_dims, s.heads, s.levels, s.points, 2];
        let weight = steps.reshape("sampling_offsets_weight_reshape_0", weight, &by_head)?;
        let weight = steps.permute("sampling_offsets_weight_permute", weight, &[0, 2, 1, 4, 3])?;
        let weight = steps.reshape("sampling_offsets_weight_reshape_1", weight, &[self.embed_dims, -1])?;
        let bias = steps.reshape("sampling_offsets_bias_reshape_0", bias, &by_head[1..])?;
        let bias = steps.permute("sampling_offsets_bias_permute", bias, &[1, 0, 3, 2])?;
        let bias = steps.reshape("sampling_offsets_bias_reshape_1", bias, &[1, 1, -1])?;
        let all = steps.product("sampling_offsets_matmul", query, weight, bias)?;
        let all = steps.permute("sampling_offsets_permute", all, &[0, 2, 1])?;
        let all = steps.reshape("sampling_offsets_reshape", all, &[s.levels * s.heads * 2, s.points, -1])?;
        let mut offsets = Vec::new();
        for i in 0..s.levels * s.heads * 2 {
            let one = steps.part(&format!("sampling_offsets_slice_{i}"), all, 3, 0, [i, i + 1])?;
            offsets.push(steps.reshape(&format!("sampling_offsets_reshape_{i}"), one, &[s.points, LANES, -1])?);
        }
        Ok(offsets)
    }

    /// Returns the sampling positions, from -1 to 1: levels x heads x 2 x points x queries.
    fn grids(&self, steps: &mut Steps, s: DeformableSizes, offsets: Vec<Tensor>, references: Tensor) -> Result<Tensor> {
        let mut at = Vec::new();
        for i in 0..s.levels * s.reference {
            let one = steps.part(&format!("reference_points_slice_{i}"), references, 2, 0, [i, i + 1])?;
            at.push(steps.reshape(&format!("reference_points_reshape_{i}"), one, &[1, LANES, -1])?);
        }
        let mut places = Vec::new();
        for (n, offset) in offsets.into_iter().enumerate() {
            let (level, k) = (n / (2 * s.heads as usize), n % 2);
            let reference = level * s.reference as usize + k;
            let offset = if s.reference == 2 {
                let [height, width] = self.spatial_shapes[level];
                let size = [width, height][k];
                steps.times(&format!("sampling_locations_mulconst_0_{n}"), offset, 1.0 / size as f64)?
            } else {
                let part = 1.0 / s.points as f64;
                let part = steps.times(&format!("sampling_locations_mulconst_0_{n}"), offset, part)?;
                let of_box = ops::Mul::new(vec![part, at[reference + 2]]);
                let of_box = steps.add(&format!("sampling_locations_mul_{n}"), of_box)?;
                steps.times(&format!("sampling_locations_mulconst_1_{n}"), of_box, 0.5)?
            };
            let place = ops::Add::new(vec![at[reference], offset]);
            let place = steps.add(&format!("sampling_locations_add_{n}"), place)?;
            let place = steps.times(&format!("sampling_locations_mulconst_2_{n}"), place, 2.0)?;
            let place = ops::AddConst::new(place, -1.0);
            places.push(steps.add(&format!("sampling_locations_addconst_{n}"), place)?);
        }
        let places = steps.concat("sampling_locations_concat", places, 0)?;
        steps.reshape("sampling_locations_reshape", places, &[s.levels, s.heads, 2, s.points, -1])
    }

    /// Returns the weights of each level: heads x 1 x points x queries.
    fn weights(&self, steps: &mut Steps, s: DeformableSizes, query: Tensor, bias: Tensor) -> Result<Vec<Tensor>> {
        let weight = steps.0.tensor(&self.attention_weights_weight)?;
        let all = steps.product("attention_weights_matmul", query, weight, bias)?;
        let all = steps.permute("attention_weights_permute", all, &[0, 2, 1])?;
        let all = steps.reshape("attention_weights_reshape", all, &[s.heads, s.levels * s.points, -1])?;
        let all = steps.add("attention_weights_softmax", ops::Softmax::new(all, -2))?;
        let level = |i: i64| {
            let range = [i * s.points, (i + 1) * s.points];
            let one = steps.part(&format!("attention_weights_slice_{i}"), all, 3, 1, range)?;
            steps.reshape(&format!("attention_weights_reshape_{i}"), one, &[s.heads, 1, s.points, -1])
        };
        (0..s.levels).map(level).collect()
    }

    /// Returns the samples of each level: heads x elements per head x points x queries.
    fn sampled(
        &self,
        steps: &mut Steps,
        s: DeformableSizes,
        counts: &[i64],
        value: Tensor,
        bias: Tensor,
        grids: Tensor,
    ) -> Result<Vec<Tensor>> {
        let (mask, weight) = (steps.0.tensor(&self.key_padding_mask)?, steps.0.tensor(&self.value_proj_weight)?);
        let seen = ops::SubConst { is_reverse: true, ..ops::SubConst::new(mask, 1.0) };
        let seen = steps.add("key_padding_mask_subconst", seen)?;
        let seen = steps.reshape("key_padding_mask_reshape", seen, &[1, 1, s.pixels])?;
        let (mut sampled, mut from) = (Vec::new(), 0);
        for (i, (&[h, w], count)) in self.spatial_shapes.iter().zip(counts).enumerate() {
            let range = [from, from + count];
            let level = steps.part(&format!("value_slice_{i}"), value, 3, 1, range)?;
            let level = steps.product(&format!("value_proj_matmul_{i}"), level, weight, bias)?;
            let level = steps.permute(&format!("value_proj_permute_{i}"), level, &[0, 2, 1])?;
            let seen = steps.part(&format!("key_padding_mask_slice_{i}"), seen, 3, 2, range)?;
            let level = steps.add(&format!("key_padding_mask_mul_{i}"), ops::Mul::new(vec![seen, level]))?;
            let level = steps.reshape(&format!("value_l_reshape_{i}"), level, &[s.heads, s.values / s.heads, h, w])?;
            let grid = steps.part(&format!("sampling_grids_slice_{i}"), grids, 5, 0, [i as i64, i as i64 + 1])?;
            let grid = steps.add(&format!("sampling_grids_squeeze_{i}"), ops::Squeeze::new(grid, vec![0]))?;
            let grid = steps.permute(&format!("sampling_grids_permute_{i}"), grid, &[0, 2, 3, 1])?;
            let op = ops::GridSampler::new(level, grid, false, self.grid_sampler_mode(), 0);
            sampled.push(steps.add(&format!("sampling_grid_l_grid_sampler_{i}"), op)?);
            from += count;
        }
        Ok(sampled)
    }

    /// Projects the weighted sum over levels and points, and adds the identity.
    fn joined(
        &self,
        steps: &mut Steps,
        s: DeformableSizes,
        weights: Vec<Tensor>,
        sampled: Vec<Tensor>,
        bias: Tensor,
        identity: Tensor,
    ) -> Result<Vec<Tensor>> {
        let mut sum = None;
        for (i, (weight, value)) in weights.into_iter().zip(sampled).enumerate() {
            let level = steps.add(&format!("sampling_value_l_mul_{i}"), ops::Mul::new(vec![weight, value]))?;
            sum = Some(match sum {
                None => level,
                Some(sum) => steps.add(&format!("sampling_value_l_reduce_{i}"), ops::Add::new(vec![sum, level]))?,
            });
        }
        let Some(sum) = sum else {
            return Err(argument("num_levels", s.levels, "expected at least 1"));
        };
        let sum = ops::Reduce::new(sum, vec![-2], false, ReduceMode::ReduceSum);
        let sum = steps.add("sampling_value_l_reduce_all", sum)?;
        let sum = steps.reshape("sampling_value_l_reshape", sum, &[1, s.values, -1])?;
        let sum = steps.permute("sampling_value_l_permute", sum, &[0, 2, 1])?;
        let sum = steps.part("output_padding_slice", sum, 3, 1, [0, s.queries])?;
        let weight = steps.0.tensor(&self.output_proj_weight)?;
        let out = steps.product("matmul", sum, weight, bias)?;
        steps.0.emit(ops::Add::new(vec![out, identity]))
    }
}

/// Returns zeros of that shape after the queries, or `None` if it is empty.
fn padded(to: &mut Lowering, name: &str, x: Tensor, shape: &[i64]) -> Result<Tensor> {
    if shape[1] == 0 {
        return Ok(x);
    }
    let dtype = to.info(&x.into())?.dtype;
    let zeros = to.constant(&format!("{name}_padding"), Array::filled(dtype, shape.to_vec(), 0.0)?)?;
    Steps(to).concat(&format!("padding_{name}_with_concat"), vec![x, zeros], 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
    };

    #[test]
    fn shapes_and_mistakes() {
        let mut g = Graph::new("g").unwrap();
        let value = g.input("value", Dtype::Float32, [2, 20, 3, 5]).unwrap();
        let at = g.input("at", Dtype::Float32, [2, 7, 3, 2, 4, 2]).unwrap();
        let weights = g.input("weights", Dtype::Float32, [2, 7, 3, 2, 4]).unwrap();
        for _ in 0..2 {
            let y =
                g.deformable_attention(value, at, weights, vec![[4, 4], [1, 4]]).grid_sampler_mode(1).call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, [2, 7, 15]);
        }
        for (shapes, message) in [
            (
                vec![[4, 4], [2, 4]],
                "value_spatial_shapes is [[4, 4], [2, 4]]; expected positive heights and widths that make 20 pixels, those of the value",
            ),
            (vec![[4, 5]], "sampling_locations is 2x7x3x2x4x2; expected 2 x queries x 3 heads x 1 levels x points x 2"),
            (
                vec![[-4, -4], [2, 2]],
                "value_spatial_shapes is [[-4, -4], [2, 2]]; expected positive heights and widths that make 20 pixels, those of the value",
            ),
        ] {
            let error = g.deformable_attention(value, at, weights, shapes).call().unwrap_err();
            assert_eq!(first(error), format!("deformable_attention (ops[2]): {message}"));
        }
    }

    /// Calls the function with the given levels on 1 x 70 queries of 8 elements.
    fn call(g: &mut Graph, reference: usize, levels: &[[i64; 2]], ratio: f64) -> Result<Tensor> {
        let of = |shape: &[usize]| Array::filled(Dtype::Float32, shape, 0.1).unwrap();
        let (samples, values, n) = (2 * levels.len() * 3, (8.0 * ratio) as usize, g.tensors().count());
        let query = g.input(&format!("query{n}"), Dtype::Float32, [1, 70, 8])?;
        let points = of(&[1, 70, levels.len(), reference]);
        let call = g.multi_scale_deformable_attention(
            query,
            of(&[1, 70]),
            points,
            of(&[8, samples * 2]),
            of(&[samples * 2]),
            of(&[8, samples]),
            of(&[samples]),
            of(&[8, values]),
            of(&[values]),
            of(&[values, 8]),
            of(&[8]),
            levels.to_vec(),
            8,
        );
        call.num_heads(2).num_levels(levels.len() as i64).num_points(3).value_proj_ratio(ratio).call()
    }

    #[test]
    fn blocks_of_any_number_of_levels_do_not_share_names() {
        let mut g = Graph::new("g").unwrap();
        for (reference, levels, ratio) in
            [(2, vec![[7, 10]], 1.0), (4, vec![[8, 8], [3, 2]], 0.5), (2, vec![[7, 10]], 1.0)]
        {
            let y = call(&mut g, reference, &levels, ratio).unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, [1, 70, 8]);
        }
        assert_eq!(
            first(call(&mut g, 3, &[[7, 10]], 1.0).unwrap_err()),
            "multi_scale_deformable_attention (ops[3]): reference_points is 1x70x1x3; expected 1 x 70 x 1 x 2 or 4"
        );
        assert_eq!(
            first(call(&mut g, 2, &[[7, 10]], 0.4).unwrap_err()),
            "multi_scale_deformable_attention (ops[3]): value_proj_ratio is 0.4; with embed_dims 8 it makes 3.0 elements; 2 heads must divide them"
        );
        assert_eq!(
            first(call(&mut g, 2, &[[7, 9]], 1.0).unwrap_err()),
            "multi_scale_deformable_attention (ops[3]): spatial_shapes is [[7, 9]]; expected positive heights and widths that make 70 pixels, those of the value"
        );
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "deformable",
            &[
                r#"{"op": "deformable_attention", "args": {"value": "x", "sampling_locations": "x", "attention_weights": "v", "value_spatial_shapes": [[1, 3]]}, "out": "y"}"#,
                r#"{"op": "deformable_attention", "args": {"value": "i", "sampling_locations": "x", "attention_weights": "x", "value_spatial_shapes": [[1, 3]]}, "out": "y"}"#,
                r#"{"op": "deformable_attention", "args": {"value": "x", "sampling_locations": "x", "attention_weights": "x", "value_spatial_shapes": [3]}, "out": "y"}"#,
            ],
        );
    }
}
