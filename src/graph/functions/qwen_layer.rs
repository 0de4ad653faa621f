//! The layer of `qwen2_block` and `qwen2_block_cache`: checks and lowering.
use super::{
    dtypes::{FLOATS, INTEGERS},
    lowering::{Lowering, one_of},
    packed::{A16matmul, a16matmul},
    qwen::{Qwen2Options, Qwen2Weights},
    steps::Steps,
};
use crate::{
    Operand, Tensor,
    base::{Dtype, Error, Result, argument, misfit, shape_text},
    ops,
};

/// A layer with or without a cache.
pub(super) struct Layer<'a> {
    pub hidden_states: &'a Operand,
    pub position_ids: &'a Operand,
    pub attention_mask: &'a Operand,
    pub cache: Option<[&'a Operand; 2]>,
    /// Cosines and sines.
    pub tables: [(&'static str, &'a [Operand]); 2],
    pub weights: &'a Qwen2Weights,
    pub options: &'a Qwen2Options,
}

/// The sizes of a layer.
#[derive(Clone, Copy)]
struct LayerSizes {
    n: usize,
    positions: usize,
    /// Number of positions, including those of the cache.
    keys: usize,
    hidden: usize,
    heads: usize,
    /// Number of heads of keys and values.
    shared: usize,
    /// Elements per head.
    d: usize,
}

/// A packed matrix of `k` rows and `n` columns.
struct Projection<'a> {
    name: &'static str,
    weights: &'a Operand,
    scales: &'a Operand,
    zps: &'a Operand,
    bias: Option<&'a Operand>,
    k: usize,
    n: usize,
}

/// The matrices of a layer.
struct Projections<'a> {
    q: Projection<'a>,
    k: Projection<'a>,
    v: Projection<'a>,
    o: Projection<'a>,
    gate: Projection<'a>,
    up: Projection<'a>,
    down: Projection<'a>,
}

/// Returns the error about an argument's shape.
fn wrong_shape(name: &str, found: &[usize], expected: &str) -> Error {
    misfit(name, format!("is {}; expected {expected}", shape_text(found)))
}

/// Checks that an argument is positive and divides another.
fn divisor(name: &str, value: i64, of: usize, what: &str) -> Result<usize> {
    match usize::try_from(value) {
        Ok(n) if n > 0 && of.is_multiple_of(n) => Ok(n),
        _ => Err(argument(name, value, format!("expected a divisor of {of}, {what}"))),
    }
}

impl<'a> Layer<'a> {
    /// Returns the sizes; checks that hidden states, heads and cache agree on them.
    fn sizes(&self, to: &Lowering) -> Result<LayerSizes> {
        let options = self.options;
        let dtype = to.dtype("hidden_states", self.hidden_states, FLOATS)?;
        let shape = &to.info(self.hidden_states)?.shape;
        let &[n, positions, hidden] = shape.as_slice() else {
            return Err(wrong_shape("hidden_states", shape, "n x positions x hidden_size"));
        };
        if usize::try_from(options.hidden_size()) != Ok(hidden) {
            let expected = format!("hidden_states have {hidden} elements");
            return Err(argument("hidden_size", options.hidden_size(), expected));
        }
        let heads = divisor("num_attention_heads", options.num_attention_heads(), hidden, "hidden_size")?;
        let d = hidden / heads;
        if !d.is_multiple_of(2) {
            let expected = format!("it makes heads of {d} elements; expected an even number, which has halves");
            return Err(argument("num_attention_heads", heads, expected));
        }
        let shared = divisor("num_key_value_heads", options.num_key_value_heads(), heads, "num_attention_heads")?;
        let mut keys = positions;
        if let Some([k, v]) = self.cache {
            let cached = &to.info(k)?.shape;
            match cached.as_slice() {
                &[of, earlier, h, e] if [of, h, e] == [n, shared, d] => keys = keys.saturating_add(earlier),
                _ => return Err(wrong_shape("k_cache", cached, &format!("{n} x earlier positions x {shared} x {d}"))),
            }
            if to.info(v)?.shape != *cached {
                let expected = format!("{}, the shape of k_cache", shape_text(cached));
                return Err(wrong_shape("v_cache", &to.info(v)?.shape, &expected));
            }
            to.dtype("k_cache", k, FLOATS)?;
            to.dtype("v_cache", v, FLOATS)?;
        }
        for (name, norm) in [
            ("input_layernorm_weight", &self.weights.input_layernorm_weight),
            ("post_attention_layernorm_weight", &self.weights.post_attention_layernorm_weight),
        ] {
            to.dtype(name, norm, FLOATS)?;
            let found = &to.info(norm)?.shape;
            if found.as_slice() != [hidden] {
                return Err(wrong_shape(name, found, &format!("{hidden}, one for each element of a hidden state")));
            }
        }
        let norm = to.info(&self.weights.input_layernorm_weight)?.dtype;
        if norm != dtype {
            return Err(misfit("input_layernorm_weight", format!("is {norm}; hidden_states are {dtype}")));
        }
        Ok(LayerSizes { n, positions, keys, hidden, heads, shared, d })
    }

    /// Checks scalar arguments, mask and tables.
    fn check(&self, to: &Lowering, s: LayerSizes) -> Result<()> {
        let options = self.options;
        one_of("out_dtype", options.out_dtype(), FLOATS)?;
        let eps = options.rms_norm_eps();
        if !(eps >= 0.0 && eps.is_finite()) {
            return Err(argument("rms_norm_eps", format!("{eps:?}"), "expected a finite number of at least 0"));
        }
        to.dtype("attention_mask", self.attention_mask, FLOATS)?;
        let (mask, scores) = (&to.info(self.attention_mask)?.shape, [s.n, s.heads, s.positions, s.keys]);
        let mut last = mask.iter().rev().zip(scores.iter().rev());
        if mask.len() > scores.len() || !last.all(|(m, d)| m == d || *m == 1) {
            let expected = format!("a shape that broadcasts to {}, heads, positions and keys", shape_text(&scores));
            return Err(wrong_shape("attention_mask", mask, &expected));
        }
        let sections = options.mrope_section();
        let angles = sections.iter().try_fold(0i64, |sum, &n| if n > 0 { sum.checked_add(n) } else { None });
        if angles.map(usize::try_from) != Some(Ok(s.d / 2)) {
            let expected = format!("expected positive numbers that make {}, half of the elements of a head", s.d / 2);
            return Err(argument("mrope_section", format!("{sections:?}"), expected));
        }
        to.dtype("position_ids", self.position_ids, &[INTEGERS, FLOATS].concat())?;
        let (ids, expected) = (&to.info(self.position_ids)?.shape, [sections.len(), s.n, s.positions]);
        if ids.as_slice() != expected {
            let expected = format!("{}: mrope_section, n and positions", shape_text(&expected));
            return Err(wrong_shape("position_ids", ids, &expected));
        }
        for (name, tables) in self.tables {
            if tables.len() != sections.len() {
                let expected = format!("expected {}, one for each of mrope_section", sections.len());
                return Err(argument(name, format!("a list of {}", tables.len()), expected));
            }
            for (i, (table, &section)) in tables.iter().zip(&sections).enumerate() {
                let name = format!("{name}[{i}]");
                to.dtype(&name, table, FLOATS)?;
                match to.info(table)?.shape.as_slice() {
                    &[_, 1, n] if usize::try_from(section) == Ok(n) => {}
                    other => return Err(wrong_shape(&name, other, &format!("rows x 1 x {section}"))),
                }
            }
        }
        Ok(())
    }

    /// Returns the matrices, with their sizes checked.
    fn projections(&self, to: &Lowering, s: LayerSizes) -> Result<Projections<'a>> {
        let (w, of) = (self.weights, s.shared * s.d);
        let inner = to.matrix(("gate_proj_weights", &w.gate_proj_weights))?.1;
        let with = |name, k, n, [weights, scales, zps]: [&'a Operand; 3], bias| -> Result<Projection<'a>> {
            let p = Projection { name, weights, scales, zps, bias, k, n };
            p.check(to, self.options).map(|()| p)
        };
        Ok(Projections {
            q: with(
                "q_proj",
                s.hidden,
                s.hidden,
                [&w.q_proj_weights, &w.q_proj_scales, &w.q_proj_zps],
                Some(&w.q_proj_bias),
            )?,
            k: with(
                "k_proj",
                s.hidden,
                of,
                [&w.k_proj_weights, &w.k_proj_scales, &w.k_proj_zps],
                Some(&w.k_proj_bias),
            )?,
            v: with(
                "v_proj",
                s.hidden,
                of,
                [&w.v_proj_weights, &w.v_proj_scales, &w.v_proj_zps],
                Some(&w.v_proj_bias),
            )?,
            o: with(
                "o_proj",
                s.hidden,
                s.hidden,
                [&w.o_proj_weights, &w.o_proj_scales, &w.o_proj_zps],
                self.options.o_proj_bias.as_ref(),
            )?,
            gate: with(
                "gate_proj",
                s.hidden,
                inner,
                [&w.gate_proj_weights, &w.gate_proj_scales, &w.gate_proj_zps],
                None,
            )?,
            up: with("up_proj", s.hidden, inner, [&w.up_proj_weights, &w.up_proj_scales, &w.up_proj_zps], None)?,
            down: with(
                "down_proj",
                inner,
                s.hidden,
                [&w.down_proj_weights, &w.down_proj_scales, &w.down_proj_zps],
                None,
            )?,
        })
    }

    pub fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let s = self.sizes(to)?;
        self.check(to, s)?;
        let matrices = self.projections(to, s)?;
        let names = to.output_names(3)?;
        let hidden = self.converted(to, "hidden_states", self.hidden_states)?;
        let cache = match self.cache {
            Some([k, v]) => Some([self.converted(to, "k_cache", k)?, self.converted(to, "v_cache", v)?]),
            None => None,
        };
        let m = self.normed(to, "input_layernorm_output", hidden, &self.weights.input_layernorm_weight)?;
        let [q, k, v] = self.heads(to, s, &matrices, m, &names[2])?;
        let [q, k] = self.turned(to, s, q, k, &names[1])?;
        let attended = self.attention(to, s, q, [k, v], cache)?;
        let attended = matrices.o.product(to, attended, self.options)?;
        let h = Steps(to).add("attention_out_add", ops::Add::new(vec![hidden, attended]))?;
        let m = self.normed(to, "post_layernorm_output", h, &self.weights.post_attention_layernorm_weight)?;
        let gate = matrices.gate.product(to, m, self.options)?;
        let gate = Steps(to).add("silu_out", ops::SiLU::new(gate))?;
        let up = matrices.up.product(to, m, self.options)?;
        let gated = Steps(to).add("gate_up_mul", ops::Mul::new(vec![gate, up]))?;
        let down = matrices.down.product(to, gated, self.options)?;
        let out = to.named(&names[0], ops::Add::new(vec![h, down]))?;
        Ok(vec![out, k, v])
    }

    /// Converts a float tensor to the dtype of the computation.
    fn converted(&self, to: &mut Lowering, name: &str, operand: &Operand) -> Result<Tensor> {
        let (tensor, dtype) = (to.tensor(operand)?, self.options.out_dtype());
        if to.info(operand)?.dtype == dtype {
            return Ok(tensor);
        }
        let cast = ops::Cast { to: dtype.cast_name().to_owned(), ..ops::Cast::new(tensor) };
        Steps(to).add(&format!("{name}_cast"), cast)
    }

    fn normed(&self, to: &mut Lowering, name: &str, x: Tensor, weight: &Operand) -> Result<Tensor> {
        let gamma = Some(to.tensor(weight)?);
        Steps(to).add(name, ops::RMSNorm { gamma, ..ops::RMSNorm::new(x, self.options.rms_norm_eps()) })
    }

    /// Returns queries, keys and values: n x positions x heads x d.
    fn heads(
        &self,
        to: &mut Lowering,
        s: LayerSizes,
        of: &Projections,
        x: Tensor,
        v_name: &str,
    ) -> Result<[Tensor; 3]> {
        let q = of.q.product(to, x, self.options)?;
        let k = of.k.product(to, x, self.options)?;
        let v = of.v.product(to, x, self.options)?;
        let [n, positions, heads, shared, d] = [s.n, s.positions, s.heads, s.shared, s.d].map(|d| d as i64);
        let q = Steps(to).reshape("q_proj_reshape", q, &[n, positions, heads, d])?;
        let of_shared = vec![n, positions, shared, d];
        let k = Steps(to).reshape("k_proj_reshape", k, &of_shared)?;
        let v = to.named(v_name, ops::Reshape { shape: Some(of_shared), ..ops::Reshape::new(v) })?;
        Ok([q, k, v])
    }

    /// Rotates queries and keys by the angles of their positions.
    fn turned(&self, to: &mut Lowering, s: LayerSizes, q: Tensor, k: Tensor, k_name: &str) -> Result<[Tensor; 2]> {
        let ids = to.tensor(self.position_ids)?;
        let tables = self.tables.map(|(_, all)| all.iter().map(|t| to.tensor(t)).collect::<Result<Vec<_>>>());
        let [cosines, sines] = tables;
        let mut steps = Steps(to);
        let (mut cos, mut sin) = (Vec::new(), Vec::new());
        for (i, (c, s)) in cosines?.into_iter().zip(sines?).enumerate() {
            let at = i as i64;
            let rows = part(&mut steps, &format!("rope_slice_{i}"), ids, 0, at, vec![at + 1, i64::MAX, i64::MAX])?;
            let rows = steps.add(&format!("rope_slice_squeeze_{i}"), ops::Squeeze::new(rows, vec![0]))?;
            cos.push(steps.add(&format!("cos_gather_{i}"), ops::Gather::new(c, rows))?);
            sin.push(steps.add(&format!("sin_gather_{i}"), ops::Gather::new(s, rows))?);
        }
        let cos = steps.concat("cos_concat", cos.repeat(2), 3)?;
        let sin = steps.concat("sin_concat", sin.repeat(2), 3)?;
        let q_across = rotated(&mut steps, "q", q, [s.n, s.positions, s.heads, s.d])?;
        let k_across = rotated(&mut steps, "k", k, [s.n, s.positions, s.shared, s.d])?;
        let q = turned(&mut steps, "q", [q, cos], [q_across, sin])?;
        let q = steps.add("q_embed", q)?;
        let k = turned(&mut steps, "k", [k, cos], [k_across, sin])?;
        Ok([q, to.named(k_name, k)?])
    }

    /// Returns the attention at each position: n x positions x hidden_size.
    fn attention(
        &self,
        to: &mut Lowering,
        s: LayerSizes,
        q: Tensor,
        [k, v]: [Tensor; 2],
        cache: Option<[Tensor; 2]>,
    ) -> Result<Tensor> {
        let mask = to.tensor(self.attention_mask)?;
        let mut steps = Steps(to);
        let [k, v] = match cache {
            Some([k_cache, v_cache]) => [
                steps.concat("k_cache_concat", vec![k_cache, k], 1)?,
                steps.concat("v_cache_concat", vec![v_cache, v], 1)?,
            ],
            None => [k, v],
        };
        let k = for_all_heads(&mut steps, s, "k", k)?;
        let v = for_all_heads(&mut steps, s, "v", v)?;
        let q = steps.permute("q_permute", q, &[0, 2, 1, 3])?;
        let k = steps.permute("k_expand_permute", k, &[0, 1, 3, 2])?;
        let scores = steps.add("attention_weight", ops::MatMul::new(q, k))?;
        let scores = steps.times("attention_weight_mulconst", scores, 1.0 / (s.d as f64).sqrt())?;
        let scores = steps.add("attention_weight_mask", ops::Add::new(vec![scores, mask]))?;
        let weights = steps.add("softmax", ops::Softmax::new(scores, 3))?;
        let sums = steps.add("softmax_v", ops::MatMul::new(weights, v))?;
        let sums = steps.permute("softmax_v_permute", sums, &[0, 2, 1, 3])?;
        steps.reshape("softmax_v_reshape", sums, &[s.n as i64, s.positions as i64, -1])
    }
}

/// The end of an axis, as TpuLang writes it in slices of heads.
const END: i64 = i32::MAX as i64 - 1024;

/// Slices an axis from `start` to the end. Since the axis is named, the tool chain keeps the others whole.
fn part(steps: &mut Steps, name: &str, x: Tensor, axis: usize, start: i64, ends: Vec<i64>) -> Result<Tensor> {
    let mut starts = vec![0; ends.len()];
    starts[axis] = start;
    let op = ops::Slice::new(x, starts, vec![1; ends.len()], ends);
    steps.add(name, ops::Slice { hasparamConvert_axes: vec![axis as i64], ..op })
}

/// Returns `[-b, a]` for the halves a and b of each head.
fn rotated(steps: &mut Steps, name: &str, x: Tensor, shape: [usize; 4]) -> Result<Tensor> {
    let [n, positions, heads, d] = shape.map(|d| d as i64);
    let a = part(steps, &format!("{name}_slice_1"), x, 3, 0, vec![n, positions, heads, d / 2])?;
    let b = part(steps, &format!("{name}_slice_2"), x, 3, d / 2, vec![n, positions, heads, END])?;
    let b = steps.times(&format!("{name}_slice_2_mulconst"), b, -1.0)?;
    steps.concat(&format!("{name}_rotate_half_out"), vec![b, a], 3)
}

/// Adds the products with cosines and sines.
fn turned(steps: &mut Steps, name: &str, along: [Tensor; 2], across: [Tensor; 2]) -> Result<ops::Add<Tensor>> {
    let along = steps.add(&format!("{name}_cos_mul"), ops::Mul::new(along.into()))?;
    let across = steps.add(&format!("{name}_rotate_sin_mul"), ops::Mul::new(across.into()))?;
    Ok(ops::Add::new(vec![along, across]))
}

/// Repeats each head of keys or values for the query heads that share it: n x heads x keys x d.
fn for_all_heads(steps: &mut Steps, s: LayerSizes, name: &str, x: Tensor) -> Result<Tensor> {
    let [n, heads, shared, keys, d] = [s.n, s.heads, s.shared, s.keys, s.d].map(|d| d as i64);
    let x = steps.permute(&format!("{name}_permute"), x, &[0, 2, 1, 3])?;
    let x = steps.add(&format!("{name}_unsqueeze"), ops::Unsqueeze::new(x, vec![2]))?;
    let shape = vec![n, shared, heads / shared, keys, d];
    let x = steps.add(&format!("{name}_expand"), ops::Expand { shape, ..ops::Expand::new(x) })?;
    steps.reshape(&format!("{name}_expand_reshape"), x, &[n, heads, keys, d])
}

impl Projection<'_> {
    fn check(&self, to: &Lowering, options: &Qwen2Options) -> Result<()> {
        let (bits, k, n) = (options.weight_bits(), self.k, self.n);
        if ![4, 8].contains(&bits) {
            return Err(argument("weight_bits", bits, "expected 4 or 8"));
        }
        let (each, called) = (32 / bits as usize, |what: &str| format!("{}_{what}", self.name));
        if !k.is_multiple_of(each) || !n.is_multiple_of(each) {
            let expected = format!("both must be multiples of {each}, as many as share an integer");
            return Err(misfit(called("weights"), format!("are those of a {k}x{n} matrix; {expected}")));
        }
        let group = divisor("group_size", options.group_size(), k, &format!("the rows of {}", self.name))?;
        for (name, operand, dtypes, shape) in [
            (called("weights"), self.weights, &[Dtype::Int32][..], [k / each, n]),
            (called("scales"), self.scales, FLOATS, [k / group, n]),
            (called("zps"), self.zps, &[Dtype::Int32], [k / group, n / each]),
        ] {
            to.dtype(&name, operand, dtypes)?;
            let found = &to.info(operand)?.shape;
            if found.as_slice() != shape {
                let of = format!("for a {k}x{n} matrix of {bits} bits in groups of {group} rows");
                return Err(wrong_shape(&name, found, &format!("{}, {of}", shape_text(&shape))));
            }
        }
        if let Some(bias) = self.bias {
            to.dtype(&called("bias"), bias, FLOATS)?;
            let found = to.info(bias)?.elements();
            if found != n {
                return Err(misfit(called("bias"), format!("has {found} elements; expected {n}")));
            }
        }
        Ok(())
    }
    fn product(&self, to: &mut Lowering, x: Tensor, options: &Qwen2Options) -> Result<Tensor> {
        let args = A16matmul {
            bias: self.bias.cloned(),
            out_dtype: Some(options.out_dtype()),
            group_size: Some(options.group_size()),
            bits: Some(options.weight_bits()),
            ..A16matmul::new(x, self.weights.clone(), self.scales.clone(), self.zps.clone())
        };
        Ok(to.call(a16matmul::FUNCTION, args, Some(self.name))?[0])
    }
}
