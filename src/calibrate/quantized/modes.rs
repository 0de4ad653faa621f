//! The dtypes of layers: those that a table chooses, and those that a search may choose.
use super::{QuantizedNetwork, kernel::Kernel, lowering::is_copy};
use crate::{
    Mode, QuantizeTable,
    base::{Result, invalid, nearest},
    graph::{Graph, Tensor, TensorKind},
    ops::Op,
};
use indexmap::IndexMap;
use std::collections::HashMap;

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

    /// The layers that the chip computes in F16 by default, and whose numbers are beyond it. Layers that only move numbers follow those
    /// between which they are ([`QuantizedNetwork::copies`]).
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
