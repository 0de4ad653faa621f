//! `rope`, and the related functions of vision transformers: `rot_pos_emb`, `merger_matmul`.
use super::{
    argument::StringEnum,
    dtypes::{FLOATS, INTEGERS},
    function,
    lowering::Lowering,
    steps::Steps,
};
use crate::{
    Operand, Tensor,
    base::{Dtype, Result, argument, misfit, shape_text},
    ops::{self, RopeMode},
    quant::RoundMode,
};

impl StringEnum for RopeMode {
    const NAME: &'static str = "mode";
    fn words() -> Vec<(Self, &'static str)> {
        [RopeMode::InterleavedPairs, RopeMode::ContiguousHalves].map(|m| (m, m.name())).into()
    }
}

function! {
    Rope -> Tensor {
        "3 to 5 dimensions, the last of even size: .. x positions x elements, or with is_permute_optimize n x positions x heads x elements; float32, float16 or an integer." input: Operand,
        "Sine of each element's angle: positions x elements." weight0: Operand,
        "Cosine of each element's angle: positions x elements." weight1: Operand,
        ;
        "Whether axis 1 of four holds the positions." is_permute_optimize: bool = false,
        "Rounding mode of the product with the sine; this and the following arguments apply to integers." mul1_round_mode: RoundMode = RoundMode::HalfUp,
        "Rounding mode of the product with the cosine." mul2_round_mode: RoundMode = RoundMode::HalfUp,
        "Rounding mode of the sum." add_round_mode: RoundMode = RoundMode::HalfUp,
        "Left shift of the product with the sine, negative to the right; required for integers." mul1_shift: i64,
        "Left shift of the product with the cosine; required for integers." mul2_shift: i64,
        "Left shift of the sum; required for integers." add_shift: i64,
        "Recorded for the chip. The product always saturates: to 16 bits for 8-bit inputs, otherwise to 32 bits." mul1_saturation: bool = true,
        "Like mul1_saturation." mul2_saturation: bool = true,
        "Recorded for the chip. The sum always saturates." add_saturation: bool = true,
        "Which elements form a pair: 2i and 2i + 1 (`interleaved_pairs`), or i and i + size / 2 (`contiguous_halves`)." rope_mode: RopeMode = RopeMode::InterleavedPairs,
    }
    rope: "Rotary position embedding. In each pair (a, b), `a` becomes `a * weight1 - b * weight0` and `b` becomes `b * weight1 + a * weight0`. Integers are computed on their stored values; each product and the sum are shifted, rounded and saturated.",
        example |g, x, i| {
            let angles = vec![0.5f32; 64];
            let y = x.rope(Array::from_vec([8, 8], angles.clone())?, Array::from_vec([8, 8], angles)?).call()?;
            assert_eq!(y.shape()?, [1, 3, 8, 8]);
        },
        => |args, to| args.lower(to);
}

function! {
    RotPosEmb -> [Tensor; 3] as ["embedding", "cos", "sin"] {
        "Position of each patch on each axis, patches x axes (height and width); an integer tensor." pos_ids: Operand,
        "Positions x elements; float32 or float16." rotary_pos_emb_full: Operand,
        "Positions x elements, of the same dtype: cosines." rotary_pos_emb_cos: Operand,
        "Positions x elements, of the same dtype: sines." rotary_pos_emb_sin: Operand,
        ;
    }
    rot_pos_emb: "Position embeddings of patches for Qwen2-VL: the rows of each table at `pos_ids`, concatenated per patch to patches x (axes * elements); cosines and sines are repeated twice.",
        example |g, x, i| {
            let table = |v| Array::filled(Dtype::Float32, [20, 4], v);
            let ids = g.input("ids", Dtype::Int32, [9, 2])?;
            let [embedding, cos, sin] = ids.rot_pos_emb(table(0.5)?, table(0.8)?, table(0.6)?).call()?;
            assert_eq!(embedding.shape()?, [9, 8]);
            assert_eq!(sin.shape()?, [9, 16]);
        },
        => |args, to| args.lower(to);
}

function! {
    MergerMatmul -> Tensor {
        "n x c x h x w, h and w even; float32 or float16." input: Operand,
        "4 c x out, of the same dtype: rows for the top left pixel, then the top right, bottom left and bottom right." matmul_weight: Operand,
        ;
        "Rows and columns of tiles of each picture that the n tiles form. Default: each tile is a picture." split_hws: Vec<[i64; 2]>,
    }
    merger_matmul: "Multiplies each block of 2 x 2 pixels as one vector: (n * h / 2 * w / 2) x out. The rows are the blocks of each picture in row-major order.",
        example |g, x, i| {
            let w = Array::filled(Dtype::Float32, [12, 5], 0.5)?;
            let y = x.merger_matmul(w).split_hws(vec![[1, 1]]).call()?;
            assert_eq!(y.shape()?, [16, 5]);
        },
        => |args, to| args.lower(to);
}

impl Rope {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let dtype = to.dtype("input", &self.input, &[FLOATS, INTEGERS].concat())?;
        let shape = to.info(&self.input)?.shape.clone();
        let (positions, rank) = (self.positions(shape.len())?, shape.len());
        let shift = |name: &str, given: Option<i64>| match given {
            None if !dtype.is_float() => Err(misfit(name, format!("is missing; {dtype} requires shifts"))),
            // Floats are not shifted.
            given => Ok(given.filter(|_| !dtype.is_float()).unwrap_or(0)),
        };
        let mul1_shift = shift("mul1_shift", self.mul1_shift)?;
        let mul2_shift = shift("mul2_shift", self.mul2_shift)?;
        let add_shift = shift("add_shift", self.add_shift)?;
        let mut target = vec![1; rank];
        (target[positions], target[rank - 1]) = (shape[positions], shape[rank - 1]);
        let sine = angles(to, "weight0", &self.weight0, &target)?;
        let cosine = angles(to, "weight1", &self.weight1, &target)?;
        if self.rope_mode.is_none() {
            to.warn_of_default(
                "rope_mode",
                "interleaved_pairs",
                "Llama and Qwen in Hugging Face's layout need contiguous_halves",
            );
        }
        to.emit(ops::Rope {
            is_permute_optimize: self.is_permute_optimize(),
            mul1_round_mode: self.mul1_round_mode(),
            mul2_round_mode: self.mul2_round_mode(),
            add_round_mode: self.add_round_mode(),
            mul1_shift,
            mul2_shift,
            add_shift,
            mul1_saturation: self.mul1_saturation(),
            mul2_saturation: self.mul2_saturation(),
            add_saturation: self.add_saturation(),
            rope_mode: self.rope_mode(),
            ..ops::Rope::new(to.tensor(&self.input)?, sine, cosine)
        })
    }
    /// Returns the axis of positions.
    fn positions(&self, rank: usize) -> Result<usize> {
        match rank {
            4 if self.is_permute_optimize() => Ok(1),
            3..=5 => Ok(rank - 2),
            _ => Err(misfit("input", format!("has {rank} dimensions; expected 3, 4 or 5"))),
        }
    }
}

/// Returns sines or cosines in the shape of the broadcast, which they may already have.
fn angles(to: &mut Lowering, name: &'static str, weight: &Operand, target: &[usize]) -> Result<Tensor> {
    let info = to.info(weight)?;
    if info.shape == target {
        return to.tensor(weight);
    }
    let (positions, elements) = (target.iter().rev().skip(1).product(), target.last().copied().unwrap_or(1));
    if info.shape != [positions, elements] {
        let expected = format!("expected {positions}x{elements}, the input's positions and elements");
        return Err(misfit(name, format!("is {}; {expected}", shape_text(&info.shape))));
    }
    to.in_shape(weight, &format!("{name}_reshape"), target)
}

impl RotPosEmb {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        let indices = [INTEGERS, &[Dtype::Float32]].concat();
        to.dtype("pos_ids", &self.pos_ids, &indices)?;
        let &[patches, axes] = to.info(&self.pos_ids)?.shape.as_slice() else {
            let found = shape_text(&to.info(&self.pos_ids)?.shape);
            return Err(misfit("pos_ids", format!("is {found}; expected patches x axes")));
        };
        let tables = [
            ("rotary_pos_emb_full", &self.rotary_pos_emb_full),
            ("rotary_pos_emb_cos", &self.rotary_pos_emb_cos),
            ("rotary_pos_emb_sin", &self.rotary_pos_emb_sin),
        ];
        let mut widths = Vec::new();
        for (name, table) in tables {
            to.dtype(name, table, FLOATS)?;
            to.same_dtype((name, table), tables[0])?;
            let &[_, elements] = to.info(table)?.shape.as_slice() else {
                let found = shape_text(&to.info(table)?.shape);
                return Err(misfit(name, format!("is {found}; expected positions x elements")));
            };
            widths.push(elements.saturating_mul(axes) as i64);
        }
        let ids = to.tensor(&self.pos_ids)?;
        let tensors = tables.map(|(_, t)| to.tensor(t)).into_iter().collect::<Result<Vec<_>>>()?;
        let names = to.output_names(3)?;
        let mut steps = Steps(to);
        let ids = steps.add("pos_ids_cast", ops::Cast { to: "INT32".into(), ..ops::Cast::new(ids) })?;
        let mut rows = Vec::new();
        for (table, name) in tensors.into_iter().zip(["input_gather", "cos_gather", "sin_gather"]) {
            rows.push(steps.add(name, ops::Gather { axis: 0, ..ops::Gather::new(table, ids) })?);
        }
        let mut outputs = Vec::new();
        for (i, (rows, width)) in rows.into_iter().zip(widths).enumerate() {
            let joined = ops::Reshape { shape: Some(vec![patches as i64, width]), ..ops::Reshape::new(rows) };
            outputs.push(match i {
                0 => steps.0.named(&names[i], joined)?,
                _ => {
                    let once = steps.add(["", "cos_gather_reshape", "sin_gather_reshape"][i], joined)?;
                    steps.0.named(&names[i], ops::Concat { axis: -1, ..ops::Concat::new(vec![once, once]) })?
                }
            });
        }
        Ok(outputs)
    }
}

impl MergerMatmul {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("input", &self.input, FLOATS)?;
        to.same_dtype(("input", &self.input), ("matmul_weight", &self.matmul_weight))?;
        let [tiles, channels, height, width] = *self.tiles(to)?;
        let &[rows, columns] = to.info(&self.matmul_weight)?.shape.as_slice() else {
            let found = shape_text(&to.info(&self.matmul_weight)?.shape);
            return Err(misfit("matmul_weight", format!("is {found}; expected 4 c x out")));
        };
        if Some(rows) != channels.checked_mul(4) {
            let expected = format!("expected 4 x {channels}, four times the input's channels");
            return Err(misfit("matmul_weight", format!("has {rows} rows; {expected}")));
        }
        let (input, weight, out) = (to.tensor(&self.input)?, to.tensor(&self.matmul_weight)?, columns as i64);
        let mut steps = Steps(to);
        let kernel = steps.reshape("matmul_weight_reshape", weight, &[2, 2, channels as i64, out])?;
        let kernel = steps.permute("conv_kernel", kernel, &[3, 2, 0, 1])?;
        let conv = ops::Conv::new(input, kernel, vec![2, 2], vec![2, 2], vec![0; 4]);
        let merged = steps.add("conv", ops::Conv { dilations: Some(vec![1, 1]), ..conv })?;
        let cells = [height as i64 / 2, width as i64 / 2];
        match &self.split_hws {
            None => {
                let last = steps.permute("conv_out_permute", merged, &[0, 2, 3, 1])?;
                // Like the tool chain, fixes the rows and infers the columns.
                let shape = Some(vec![(tiles as i64).saturating_mul(cells[0]).saturating_mul(cells[1]), -1]);
                to.emit(ops::Reshape { shape, ..ops::Reshape::new(last) })
            }
            Some(pictures) => {
                check_pictures(pictures, tiles)?;
                let (mut parts, mut from) = (Vec::new(), 0);
                for (i, &[down, across]) in pictures.iter().enumerate() {
                    let next = from + down * across;
                    let part = steps.part(&format!("split_slice_{i}"), merged, 4, 0, [from, next])?;
                    let tiled = [down, across, out, cells[0], cells[1]];
                    let part = steps.reshape(&format!("split_slice_reshape_{i}"), part, &tiled)?;
                    let part = steps.permute(&format!("split_slice_permute_{i}"), part, &[0, 3, 1, 4, 2])?;
                    parts.push(steps.reshape(&format!("split_slice_reshape_1_{i}"), part, &[-1, out])?);
                    from = next;
                }
                to.emit(ops::Concat { axis: 0, ..ops::Concat::new(parts) })
            }
        }
    }
    /// Returns the input's shape, n x c x h x w.
    fn tiles<'a>(&self, to: &'a Lowering) -> Result<&'a [usize; 4]> {
        let shape = to.info(&self.input)?.shape.as_slice();
        match <&[usize; 4]>::try_from(shape) {
            Ok(dims) if dims[2] % 2 == 0 && dims[3] % 2 == 0 => Ok(dims),
            _ => Err(misfit("input", format!("is {}; expected n x c x h x w with even h and w", shape_text(shape)))),
        }
    }
}

/// Checks that the total number of tiles of the pictures matches the input.
fn check_pictures(pictures: &[[i64; 2]], tiles: usize) -> Result<()> {
    let fits = |[down, across]: &[i64; 2]| *down > 0 && *across > 0;
    let count = |[down, across]: &[i64; 2]| down.checked_mul(*across);
    let sum = pictures.iter().try_fold(0i64, |n, p| n.checked_add(count(p)?));
    if !pictures.iter().all(fits) || sum != i64::try_from(tiles).ok() {
        let expected =
            format!("expected positive tiles down and across that make {tiles}, the input's first dimension");
        return Err(argument("split_hws", format!("{pictures:?}"), expected));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{
        Array, Dtype, Graph, Operand,
        functions::testing::{bad_calls, first_line as first},
        ops::Op,
    };

    fn table(shape: &[i64]) -> Array {
        Array::filled(Dtype::Float32, shape.to_vec(), 0.5).unwrap()
    }

    #[test]
    fn angles_get_the_shape_of_their_broadcast() {
        let mut g = Graph::new("g").unwrap();
        let sine = g.coefficient("sine", table(&[5, 4])).unwrap();
        let cosine = g.coefficient("cosine", table(&[5, 4])).unwrap();
        let x = g.input("x", Dtype::Float32, [2, 3, 5, 4]).unwrap();
        g.rope(x, sine, cosine).call().unwrap();
        assert_eq!(g.tensor(sine).unwrap().shape, [1, 1, 5, 4]);
        // Used by both queries and keys.
        g.rope(x, sine, cosine).call().unwrap();
        assert_eq!(g.operators().len(), 2);
        // A coefficient with another use keeps its shape.
        let used = g.coefficient("used", table(&[5, 4])).unwrap();
        g.relu(used).call().unwrap();
        let line = g.input("line", Dtype::Float32, [3, 5, 4]).unwrap();
        g.rope(line, used, used).call().unwrap();
        assert_eq!(g.tensor(used).unwrap().shape, [5, 4]);
        let y = g.input("y", Dtype::Float32, [2, 5, 3, 4]).unwrap();
        let weights = || Operand::from(table(&[5, 4]));
        let z = g.rope(y, weights(), weights()).is_permute_optimize(true).call().unwrap();
        assert_eq!(g.tensor(z).unwrap().shape, [2, 5, 3, 4]);
        assert!(g.rope(y, weights(), weights()).call().is_err());
    }

    #[test]
    fn blocks_do_not_share_names() {
        let mut g = Graph::new("g").unwrap();
        let ids = g.input("ids", Dtype::Int32, [6, 2]).unwrap();
        let x = g.input("x", Dtype::Float32, [3, 2, 4, 4]).unwrap();
        for _ in 0..2 {
            let all = g.rot_pos_emb(ids, table(&[9, 4]), table(&[9, 4]), table(&[9, 4])).call().unwrap();
            assert_eq!(all.map(|t| g.tensor(t).unwrap().shape.clone()), [[6, 8], [6, 16], [6, 16]]);
            let y = g.merger_matmul(x, table(&[8, 5])).split_hws(vec![[1, 1], [2, 1]]).call().unwrap();
            assert_eq!(g.tensor(y).unwrap().shape, [12, 5]);
        }
        let Op::Concat(op) = &g.operators().last().unwrap().op else { panic!("a Concat") };
        assert_eq!(op.inputs.len(), 2);
    }

    #[test]
    fn mistakes_are_told() {
        let mut g = Graph::new("g").unwrap();
        let i = g.input("i", Dtype::Int8, [3, 5, 4]).unwrap();
        let weights = || Array::filled(Dtype::Int8, [5, 4], 1.0).unwrap();
        assert_eq!(
            first(g.rope(i, weights(), weights()).mul1_shift(-6).mul2_shift(-6).call().unwrap_err()),
            "rope (ops[0]): add_shift is missing; int8 requires shifts"
        );
        assert_eq!(
            first(g.rope(i, weights(), table(&[4, 5])).mul1_shift(0).mul2_shift(0).add_shift(0).call().unwrap_err()),
            "rope (ops[0]): weight1 is 4x5; expected 5x4, the input's positions and elements"
        );
        bad_calls(
            "attention",
            &[
                r#"{"op": "rope", "args": {"input": "v", "weight0": "v", "weight1": "v"}, "out": "y"}"#,
                r#"{"op": "rope", "args": {"input": "x", "weight0": "v", "weight1": "v"}, "out": "y"}"#,
                r#"{"op": "rope", "args": {"input": "i", "weight0": "k", "weight1": "k"}, "out": "y"}"#,
                r#"{"op": "rope", "args": {"input": "x", "weight0": "v", "weight1": "v", "rope_mode": "interleaved"}, "out": "y"}"#,
                r#"{"op": "rot_pos_emb", "args": {"pos_ids": "i", "rotary_pos_emb_full": "x", "rotary_pos_emb_cos": "x", "rotary_pos_emb_sin": "x"}, "out": "y"}"#,
                r#"{"op": "merger_matmul", "args": {"input": "x", "matmul_weight": "w"}, "out": "y"}"#,
                r#"{"op": "merger_matmul", "args": {"input": "w", "matmul_weight": "v"}, "out": "y"}"#,
            ],
        );
        let x = g.input("x", Dtype::Float32, [3, 2, 4, 4]).unwrap();
        for (split, shape, message) in [
            (
                vec![[1, 1]],
                [8, 5],
                "split_hws is [[1, 1]]; expected positive tiles down and across that make 3, the input's first dimension",
            ),
            (
                vec![[-1, -3]],
                [8, 5],
                "split_hws is [[-1, -3]]; expected positive tiles down and across that make 3, the input's first dimension",
            ),
            (vec![[3, 1]], [9, 5], "matmul_weight has 9 rows; expected 4 x 2, four times the input's channels"),
        ] {
            let error = g.merger_matmul(x, table(&shape)).split_hws(split).call().unwrap_err();
            assert_eq!(first(error), format!("merger_matmul (ops[0]): {message}"));
        }
    }
}
