//! The dtypes of layers: those that a table chooses, and those that a search may choose.
use super::{
    QuantizedNetwork,
    kernel::Kernel,
    layer::Layer,
    lowering::{is_copy, is_in_integers},
    range::Range,
};
use crate::{
    Mode, QuantizeTable, Table,
    base::{Result, invalid, nearest},
    graph::{Graph, Tensor, TensorKind},
    infinities::results_from_infinities,
    ops::Op,
};
use indexmap::IndexMap;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The dtypes of layers that no table chooses, and what is known of layers by index.
pub(super) struct Defaults {
    pub modes: Vec<Mode>,
    /// Computed in F16 here although the chip computes them in integers.
    pub unemulated: Vec<usize>,
    /// With operands or results that are too large for float16, or all too small.
    pub beyond_half: HashSet<usize>,
    /// With operands or results that are infinite.
    pub infinite: BTreeSet<usize>,
}

impl Defaults {
    /// # Errors
    /// Returns an error if a constant cannot be read.
    pub fn of(
        (graph, layers): (&Graph, &[Layer]),
        kernels: &[Option<Kernel>],
        ranges: &HashMap<Tensor, Range>,
        table: &Table,
    ) -> Result<Defaults> {
        let of_layers = |is_one: &dyn Fn(usize) -> bool| (0..layers.len()).filter(|i| is_one(*i)).collect::<Vec<_>>();
        let from_infinities = results_from_infinities(graph)?;
        let infinite = of_layers(&|i| layers[i].results().any(|t| from_infinities.contains(&t)));
        let infinite: BTreeSet<usize> = infinite.into_iter().collect();
        let integers = QuantizeTable::of_integers(graph).modes;
        let is_index = |t| graph.tensor(t).is_ok_and(|info| integers.get(&info.name) == Some(&Mode::F32));
        let mode = |(i, (layer, kernel)): (usize, (&Layer, &Option<Kernel>))| match kernel {
            // Indices, also by way of floats.
            _ if is_index(layer.result) => Mode::F32,
            // There is no scale for infinite numbers.
            Some(_) if infinite.contains(&i) => Mode::F16,
            Some(_) => Mode::Int8,
            None if is_in_f32(&layer.op) => Mode::F32,
            None => Mode::F16,
        };
        let modes = layers.iter().zip(kernels).enumerate().map(mode).collect();
        let unemulated = of_layers(&|i| {
            let layer = &layers[i];
            kernels[i].is_none() && ranges.contains_key(&layer.result) && is_in_integers(&layer.op, graph)
        });
        let is_beyond_half = |t: Tensor| {
            let entry = graph.tensor(t).ok().and_then(|info| table.entries.get(&info.name));
            let largest = entry.map_or(0.0, |entry| entry.max.max(-entry.min).max(entry.threshold));
            largest != 0.0 && !(half::f16::MIN_POSITIVE.to_f32()..=half::f16::MAX.to_f32()).contains(&largest)
        };
        let beyond_half = of_layers(&|i| layers[i].results().chain(layers[i].operands()).any(is_beyond_half));
        Ok(Defaults { modes, unemulated, beyond_half: beyond_half.into_iter().collect(), infinite })
    }
}

/// Whether the chip computes an op in float32 where it has no integer arithmetic.
fn is_in_f32(op: &Op<Tensor>) -> bool {
    matches!(
        op,
        Op::Div(_)
            | Op::Reciprocal(_)
            | Op::GroupNorm(_)
            | Op::CumSum(_)
            | Op::Tan(_)
            | Op::ScatterElements(_)
            | Op::Arg(_)
            | Op::Sort(_)
    )
}

impl QuantizedNetwork {
    /// Chooses the dtypes of layers. `original` is the network before layers were fused.
    pub(super) fn set_modes(&mut self, table: &QuantizeTable, original: &Graph) -> Result<()> {
        let mut by_name: IndexMap<&str, usize> = IndexMap::new();
        for (i, layer) in self.layers.iter().enumerate() {
            for result in layer.results() {
                by_name.insert(&self.graph.tensor(result)?.name, i);
            }
        }
        for (name, mode) in &table.modes {
            let Some(i) = by_name.get(name.as_str()) else {
                if let Some(info) = original.lookup(name).and_then(|t| original.tensor(t).ok())
                    && !info.is_coefficient()
                {
                    let problem = match info.kind {
                        TensorKind::Input => "is an input; expected results of layers",
                        _ => "the tool chain fuses with the layer after it",
                    };
                    return Err(invalid(format!("the quantize table names {name:?}, which {problem}")));
                }
                let near = nearest(name, by_name.keys().copied());
                let hint = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
                return Err(invalid(format!(
                    "the quantize table names {name:?}, which is not the result of a layer{hint}"
                )));
            };
            match mode {
                Mode::Int8 if self.kernels[*i].is_none() => {}
                mode => {
                    self.modes[*i] = *mode;
                    self.unemulated.retain(|other| other != i);
                }
            }
        }
        self.set_attentions();
        Ok(())
    }

    /// Gives each attention the dtype of its output projection.
    fn set_attentions(&mut self) {
        for attention in &self.attentions {
            let mode = self.modes[attention.projection];
            if mode != Mode::Int8 {
                attention.layers.iter().for_each(|i| self.modes[*i] = mode);
            }
        }
    }

    /// The layers that a search keeps in floats in any case, with their dtypes: the output projections of fused attentions, layers
    /// without integers here, those of infinite numbers, for which the tool chain has no scale, and those that the chip computes in F16
    /// although float16 does not represent their numbers.
    pub(in super::super) fn fixed_floats(&self) -> Vec<(String, Mode)> {
        let attentions = self.fused_attentions().into_iter().map(|name| (name.to_owned(), Mode::F16));
        let others = self.unemulated.iter().copied().chain(self.infinite());
        let others = others.filter_map(|i| Some((self.name(i).ok()?.to_owned(), self.float_mode(i))));
        let in_f32 = self.overflowing().filter_map(|i| Some((self.name(i).ok()?.to_owned(), Mode::F32)));
        attentions.chain(others).chain(in_f32).collect()
    }

    /// The layers that have integer arithmetic, but infinite numbers.
    fn infinite(&self) -> impl Iterator<Item = usize> {
        self.infinite.iter().copied().filter(|i| self.kernels[*i].is_some())
    }

    /// The layers that the chip computes in F16 by default, although their numbers are beyond it, without those that only move numbers:
    /// these get the dtype of their neighbors ([`QuantizedNetwork::copies`]).
    pub(super) fn overflowing(&self) -> impl Iterator<Item = usize> {
        let is_half = |i: &usize| self.kernels[*i].is_none() && self.modes[*i] == Mode::F16;
        let is_known = |i: &usize| self.unemulated.contains(i) || is_copy(&self.layers[*i].op);
        let all = (0..self.layers.len()).filter(|i| self.beyond_half.contains(i));
        all.filter(move |i| is_half(i) && !is_known(i))
    }

    /// The layers that may be computed in floats instead of integers, by index: those that compute new numbers.
    pub(in super::super) fn choices(&self) -> Vec<usize> {
        let is_free = self.free();
        (0..self.layers.len()).filter(|i| is_free[*i] && !self.moves_only(*i)).collect()
    }

    /// Returns for each layer whether it is computed in integers, and its dtype is not that of an attention's projection.
    fn free(&self) -> Vec<bool> {
        let is_in_integers = |i: usize| self.kernels[i].is_some() && self.modes[i] == Mode::Int8;
        let mut free: Vec<bool> = (0..self.layers.len()).map(is_in_integers).collect();
        self.attentions.iter().flat_map(|attention| &attention.layers).for_each(|i| free[*i] = false);
        self.infinite.iter().for_each(|i| free[*i] = false);
        free
    }

    /// Whether a layer only moves or selects numbers, in integers.
    fn moves_only(&self, layer: usize) -> bool {
        matches!(self.kernels[layer], Some(Kernel::Copy { .. }))
    }

    /// The dtype of a layer that must stay floats.
    pub(in super::super) fn float_mode(&self, layer: usize) -> Mode {
        if self.beyond_half.contains(&layer) { Mode::F32 } else { Mode::F16 }
    }

    /// Returns the modes if the layers of [`QuantizedNetwork::fixed_floats`] are floats.
    pub(in super::super) fn modes_with_fixed_floats(&self) -> Vec<Mode> {
        let mut modes = self.modes.clone();
        self.unemulated.iter().copied().chain(self.infinite()).for_each(|i| modes[i] = self.float_mode(i));
        self.overflowing().for_each(|i| modes[i] = Mode::F32);
        for attention in self.attentions.iter().filter(|a| self.modes[a.projection] == Mode::Int8) {
            attention.layers.iter().for_each(|i| modes[*i] = Mode::F16);
        }
        modes
    }

    /// Like [`QuantizedNetwork::modes_with_fixed_floats`], and some choices are floats, too. So are the layers that only move numbers
    /// between floats ([`QuantizedNetwork::copies`]).
    pub(in super::super) fn modes_with_floats(&self, choices: &[usize]) -> Vec<Mode> {
        let mut modes = self.modes_with_fixed_floats();
        choices.iter().for_each(|layer| modes[*layer] = self.float_mode(*layer));
        for copy in self.copies(&modes) {
            modes[copy] = self.float_mode(copy);
        }
        modes
    }

    /// The layers that [`QuantizedNetwork::modes_with_floats`] makes floats besides the choices, with their dtypes. The tool chain leaves
    /// the numbers of a Reshape what they are, so these are left out.
    pub(in super::super) fn moved_floats(&self, choices: &[usize]) -> Result<Vec<(String, Mode)>> {
        let (modes, fixed) = (self.modes_with_floats(choices), self.modes_with_fixed_floats());
        let is_moved =
            |i: &usize| modes[*i] != fixed[*i] && self.moves_only(*i) && !matches!(self.layers[*i].op, Op::Reshape(_));
        let moved = (0..self.layers.len()).filter(is_moved);
        moved.map(|i| Ok((self.name(i)?.to_owned(), modes[i]))).collect()
    }

    /// Returns the layers of integers that only move numbers from floats to floats, directly or through each other, by index. As
    /// integers, they would round these numbers.
    fn copies(&self, modes: &[Mode]) -> Vec<usize> {
        let is_free = self.free();
        let moves = |i: usize| is_free[i] && self.moves_only(i);
        let is_float = |i: usize| modes[i] != Mode::Int8;
        let is_input = |t| self.graph.tensor(t).is_ok_and(|info| info.kind == TensorKind::Input);
        let made_by: HashMap<Tensor, usize> =
            self.layers.iter().enumerate().flat_map(|(i, layer)| layer.results().map(move |t| (t, i))).collect();
        // Of each layer: whether it passes floats on, and whether floats are wanted of it.
        let (mut passes, mut is_wanted) = (vec![false; self.layers.len()], vec![false; self.layers.len()]);
        for (i, layer) in self.layers.iter().enumerate() {
            let is_passed = |t: &Tensor| made_by.get(t).map_or_else(|| is_input(*t), |from| passes[*from]);
            passes[i] = is_float(i) || moves(i) && layer.uses.iter().any(is_passed);
        }
        for t in self.graph.outputs() {
            made_by.get(t).into_iter().for_each(|i| is_wanted[*i] = true);
        }
        for (i, layer) in self.layers.iter().enumerate().rev() {
            if is_float(i) || moves(i) && is_wanted[i] {
                layer.uses.iter().filter_map(|t| made_by.get(t)).for_each(|from| is_wanted[*from] = true);
            }
        }
        let is_copy = |i: &usize| moves(*i) && passes[*i] && is_wanted[*i];
        (0..self.layers.len()).filter(is_copy).collect()
    }
}
