//! Recurrent layers.
use super::Convert;
use crate::{
    Tensor,
    array::Array,
    base::{Dtype, Result, argument, invalid},
    emit::Emit,
    import::Importer,
    node::{Node, known_ints},
    ops::{Abs, Clip, Elu, GRU, HardSigmoid, LSTM, LeakyRelu, Relu, Softplus, Softsign},
    value::Value,
};

pub const OPERATORS: &[(&str, Convert)] =
    &[("GRU", |b, n| recurrent(b, n, Cell::Gru)), ("LSTM", lstm), ("RNN", |b, n| recurrent(b, n, Cell::Rnn))];

pub fn lstm<'m>(b: &mut Importer<'m>, n: &Node<'m>) -> Result<Vec<Value>> {
    recurrent(b, n, Cell::Lstm)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    Rnn,
    Gru,
    Lstm,
}

impl Cell {
    fn gates(self) -> usize {
        match self {
            Cell::Rnn => 1,
            Cell::Gru => 3,
            Cell::Lstm => 4,
        }
    }
    /// The activations of a direction, by default.
    fn activations(self) -> &'static [&'static str] {
        match self {
            Cell::Rnn => &["Tanh"],
            Cell::Gru => &["Sigmoid", "Tanh"],
            Cell::Lstm => &["Sigmoid", "Tanh", "Tanh"],
        }
    }
}

/// A layer's operands and attributes.
struct Layer<'n> {
    cell: Cell,
    directions: usize,
    hidden: usize,
    /// [length, batch, size]
    x: Tensor,
    length: usize,
    batch: usize,
    weights: Weights<'n>,
    activations: Vec<Activation>,
    clip: Option<f64>,
    input_forget: bool,
    linear_before_reset: bool,
    /// The length of each sequence, if they differ.
    lengths: Option<Vec<i64>>,
}

/// The weights of all directions.
struct Weights<'n> {
    input: &'n Value,
    recurrence: &'n Value,
    bias: Option<&'n Value>,
    hidden: Option<&'n Value>,
    cell: Option<&'n Value>,
    peephole: Option<&'n Value>,
}

struct Activation {
    name: String,
    alpha: Option<f64>,
    beta: Option<f64>,
}

impl Activation {
    fn apply(&self, b: &mut Importer, x: Tensor) -> Result<Tensor> {
        let alpha = |default: f64| self.alpha.unwrap_or(default);
        match self.name.to_ascii_lowercase().as_str() {
            "sigmoid" => b.sigmoid(x),
            "tanh" => b.tanh(x),
            "relu" => b.op(Relu::new(x)),
            "affine" => {
                let scaled = b.mul_const(x, alpha(1.0))?;
                b.add_const(scaled, self.beta.unwrap_or(0.0))
            }
            "leakyrelu" => b.op(LeakyRelu::new(x, alpha(0.01))),
            "thresholdedrelu" => b.where_const(x, crate::ops::CompareMode::Greater, alpha(1.0), x),
            "scaledtanh" => {
                let scaled = b.mul_const(x, self.beta.unwrap_or(1.0))?;
                let bounded = b.tanh(scaled)?;
                b.mul_const(bounded, alpha(1.0))
            }
            "hardsigmoid" => b.op(HardSigmoid::new(x, alpha(0.2), self.beta.unwrap_or(0.5))),
            "elu" => b.op(Elu::new(x, alpha(1.0))),
            "softsign" => b.op(Softsign::new(x)),
            "softplus" => b.op(Softplus::new(x)),
            "abs" => b.op(Abs::new(x)),
            other => Err(argument("activations", format!("{other:?}"), "expected one of ONNX's activations")),
        }
    }
}

/// The activations of all directions. Only some take an alpha or a beta, so the lists are read in order.
fn activations(n: &Node, cell: Cell, directions: usize) -> Vec<Activation> {
    let default = cell.activations();
    let names: Vec<String> = match n.texts("activations").filter(|a| !a.is_empty()) {
        Some(given) => given.into_iter().map(str::to_owned).collect(),
        None => (0..directions).flat_map(|_| default.iter().map(|a| a.to_string())).collect(),
    };
    let (alphas, betas) =
        (n.floats("activation_alpha").unwrap_or_default(), n.floats("activation_beta").unwrap_or_default());
    let (mut alphas, mut betas) = (alphas.into_iter(), betas.into_iter());
    let takes = |name: &str, list: &[&str]| list.contains(&name.to_ascii_lowercase().as_str());
    let of = |name: String| Activation {
        alpha: if takes(&name, &["affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu"]) {
            alphas.next()
        } else {
            None
        },
        beta: if takes(&name, &["affine", "scaledtanh", "hardsigmoid"]) { betas.next() } else { None },
        name,
    };
    names.into_iter().map(of).collect()
}

fn recurrent<'m>(b: &mut Importer<'m>, n: &Node<'m>, cell: Cell) -> Result<Vec<Value>> {
    let (x, input, recurrence) = (n.input(0)?, n.input(1)?, n.input(2)?);
    let dtype = x.dtype();
    let direction = n.word("direction", "forward", &[("forward", 0), ("reverse", 1), ("bidirectional", 2)])?;
    let directions = if direction == 2 { 2 } else { 1 };
    let shape = recurrence.shape();
    let [_, rows, hidden] = shape[..] else { return Err(invalid("its recurrence weights must have 3 dimensions")) };
    if hidden > 1 << 24 || rows != cell.gates() * hidden {
        return Err(argument(
            "the rows of the recurrence weights",
            rows,
            format!("expected {}", cell.gates() * hidden),
        ));
    }
    let batch_first = n.flag("layout");
    let mut tensor = b.tensor(x)?;
    if batch_first {
        tensor = b.permute(tensor, &[1, 0, 2])?;
    }
    let (length, batch) = match b.shape(tensor)?[..] {
        [length, batch, _] => (length, batch),
        _ => return Err(invalid("its operand must have 3 dimensions")),
    };
    let lengths = n
        .optional(4)
        .map(|v| known_ints(v, "sequence_lens"))
        .transpose()?
        .filter(|l| l.iter().any(|&l| l != length as i64));
    let state = |index: usize| n.optional(index);
    let weights = Weights {
        input,
        recurrence,
        bias: n.optional(3),
        hidden: state(5),
        cell: if cell == Cell::Lstm { state(6) } else { None },
        peephole: if cell == Cell::Lstm { state(7) } else { None },
    };
    let layer = Layer {
        cell,
        directions,
        hidden,
        x: tensor,
        length,
        batch,
        activations: activations(n, cell, directions),
        clip: n.float("clip").filter(|c| *c > 0.0),
        input_forget: n.flag("input_forget"),
        linear_before_reset: n.flag("linear_before_reset"),
        lengths,
        weights,
    };
    // The states of old batch-first layers are batch-first, too.
    let (y, last) = if layer.is_plain() && !batch_first {
        layer.as_operator(b, direction == 1)?
    } else {
        layer.written_out(b, direction, batch_first)?
    };
    let mut results = vec![y];
    results.extend(last);
    let mut values = Vec::new();
    for (i, tensor) in results.into_iter().enumerate() {
        let order: &[usize] = match (batch_first, i) {
            (false, _) => &[],
            (true, 0) => &[2, 0, 1, 3],
            (true, _) => &[1, 0, 2],
        };
        let tensor = if order.is_empty() { tensor } else { b.permute(tensor, order)? };
        values.push(b.value(tensor, dtype)?);
    }
    values.truncate(n.outputs());
    Ok(values)
}

impl Layer<'_> {
    /// Whether the Top dialect has the layer as one operator.
    fn is_plain(&self) -> bool {
        let standard =
            self.cell.activations().iter().cycle().zip(&self.activations).all(|(a, b)| a.eq_ignore_ascii_case(&b.name));
        self.cell != Cell::Rnn
            && standard
            && self.clip.is_none()
            && self.lengths.is_none()
            && !self.input_forget
            && self.weights.peephole.is_none()
            && (self.cell != Cell::Gru || self.linear_before_reset)
            && self.weights.input.is_constant()
            && self.weights.recurrence.is_constant()
            && self.weights.bias.is_none_or(Value::is_constant)
    }

    /// Adds the layer as `top.LSTM` or `top.GRU`. Returns all hidden states, and the last states.
    fn as_operator(&self, b: &mut Importer, reversed: bool) -> Result<(Tensor, Vec<Tensor>)> {
        let w = &self.weights;
        let x = if reversed { b.reverse(self.x, 0)? } else { self.x };
        let (filter, recurrence) = (b.tensor(w.input)?, b.tensor(w.recurrence)?);
        let bias = b.optional_tensor(w.bias)?;
        let (initial_h, initial_c) = (b.optional_tensor(w.hidden)?, b.optional_tensor(w.cell)?);
        let (bidirectional, hidden) = (self.directions == 2, self.hidden as i64);
        let made = match self.cell {
            Cell::Lstm => b
                .graph
                .op(LSTM { bias, initial_h, initial_c, ..LSTM::new(x, filter, recurrence, bidirectional, hidden) })
                .call()?,
            _ => {
                b.graph.op(GRU { bias, initial_h, ..GRU::new(x, filter, recurrence, bidirectional, hidden) }).call()?
            }
        };
        let (y, last) = made.split_first().ok_or_else(|| invalid("it has no results"))?;
        let y = if reversed { b.reverse(*y, 0)? } else { *y };
        Ok((y, last.to_vec()))
    }

    /// Adds the operators of every step.
    fn written_out(&self, b: &mut Importer, direction: i32, batch_first: bool) -> Result<(Tensor, Vec<Tensor>)> {
        if self.length > 1000 {
            return Err(argument(
                "the length of the sequence",
                self.length,
                "a layer of this kind is written out step by step; at most 1000 are supported",
            ));
        }
        let (mut all, mut hidden, mut cells) = (Vec::new(), Vec::new(), Vec::new());
        for d in 0..self.directions {
            let reversed = direction == 1 || d == 1;
            let (y, h, c) = self.direction(b, d, reversed, batch_first)?;
            all.push(y);
            hidden.push(h);
            cells.push(c);
        }
        let y = b.concat(all, 1)?;
        let mut last = vec![b.concat(hidden, 0)?];
        if self.cell == Cell::Lstm {
            last.push(b.concat(cells.into_iter().flatten().collect(), 0)?);
        }
        Ok((y, last))
    }

    /// Returns one direction of a value that has all, without that axis.
    fn of_direction(&self, b: &mut Importer, value: &Value, d: usize) -> Result<Tensor> {
        let tensor = b.tensor(value)?;
        let one = b.slice(tensor, 0, d, 1)?;
        let shape = b.shape(one)?;
        b.reshape(one, &shape[1..])
    }

    /// Returns the initial state of a direction, [1, batch, hidden].
    fn initial(&self, b: &mut Importer, value: Option<&Value>, d: usize, batch_first: bool) -> Result<Tensor> {
        let Some(value) = value else { return b.filled(0.0, Dtype::Float32, &[1, self.batch, self.hidden]) };
        let tensor = b.tensor(value)?;
        let one = b.slice(tensor, usize::from(batch_first), d, 1)?;
        b.reshape(one, &[1, self.batch, self.hidden])
    }

    /// Returns the hidden states [length, 1, batch, hidden], and the last hidden and cell state [1, batch, hidden].
    fn direction(
        &self,
        b: &mut Importer,
        d: usize,
        reversed: bool,
        batch_first: bool,
    ) -> Result<(Tensor, Tensor, Option<Tensor>)> {
        let w = &self.weights;
        let (input, recurrence) = (self.of_direction(b, w.input, d)?, self.of_direction(b, w.recurrence, d)?);
        let (input, recurrence) = (b.transposed(input)?, b.transposed(recurrence)?);
        let rows = self.cell.gates() * self.hidden;
        let (bias, hidden_bias) = match w.bias {
            None => (None, None),
            Some(bias) => {
                let bias = self.of_direction(b, bias, d)?;
                (Some(b.slice(bias, 0, 0, rows)?), Some(b.slice(bias, 0, rows, rows)?))
            }
        };
        let peephole = w.peephole.map(|p| self.of_direction(b, p, d)).transpose()?;
        // A step of an RNN adds both biases to its sum.
        let (bias, hidden_bias) = match (self.cell, bias, hidden_bias) {
            (Cell::Rnn, Some(bias), Some(hidden_bias)) => (Some(b.add(bias, hidden_bias)?), None),
            (_, bias, hidden_bias) => (bias, hidden_bias),
        };
        let mut projected = b.matmul(self.x, input)?;
        if let Some(bias) = bias {
            projected = b.add(projected, bias)?;
        }
        let mut h = self.initial(b, w.hidden, d, batch_first)?;
        let mut c = match self.cell {
            Cell::Lstm => Some(self.initial(b, w.cell, d, batch_first)?),
            _ => None,
        };
        // States and what is added to them keep an axis of size 1, so that they need no reshapes.
        let steps = b.entries(projected, self.length)?;
        let mut states = vec![h; self.length];
        let order: Vec<usize> = if reversed { (0..self.length).rev().collect() } else { (0..self.length).collect() };
        let functions = &self.activations[(d * self.cell.activations().len()).min(self.activations.len())..];
        for t in order {
            let mut from_hidden = b.matmul(h, recurrence)?;
            // The reset gate of a GRU comes before the product, or after it.
            let from_before = (recurrence, hidden_bias, h);
            if let Some(bias) = hidden_bias {
                from_hidden = b.add(from_hidden, bias)?;
            }
            let (next_h, next_c) = match self.cell {
                Cell::Rnn => {
                    let sum = b.add(steps[t], from_hidden)?;
                    (self.activated(b, functions, 0, sum)?, None)
                }
                Cell::Gru => (self.gru(b, functions, steps[t], from_hidden, from_before)?, None),
                Cell::Lstm => {
                    let sum = b.add(steps[t], from_hidden)?;
                    let c = c.ok_or_else(|| invalid("it has no cell state"))?;
                    let (h, c) = self.lstm(b, functions, sum, c, peephole)?;
                    (h, Some(c))
                }
            };
            let (next_h, kept_h) = self.masked(b, t, next_h, h)?;
            states[t] = next_h;
            if let (Some(old), Some(new)) = (c, next_c) {
                c = Some(self.masked(b, t, new, old)?.1);
            }
            h = kept_h;
        }
        let y = b.concat(states, 0)?;
        Ok((b.reshape(y, &[self.length, 1, self.batch, self.hidden])?, h, c))
    }

    /// Behind the end of its sequence a sample's results are 0, and its state stays. Returns both.
    fn masked(&self, b: &mut Importer, t: usize, new: Tensor, old: Tensor) -> Result<(Tensor, Tensor)> {
        let Some(lengths) = self.lengths.as_ref().filter(|l| l.iter().any(|&l| l <= t as i64)) else {
            return Ok((new, new));
        };
        let inside = lengths.iter().map(|&l| if (t as i64) < l { 1.0 } else { 0.0 });
        let inside = b.coefficient(Array::from_f64s(Dtype::Float32, [1, self.batch, 1], inside)?)?;
        let inside = b.expand_to(inside, &[1, self.batch, self.hidden])?;
        Ok((b.select_or(inside, new, 0.0)?, b.select(inside, new, old)?))
    }

    fn activated(&self, b: &mut Importer, functions: &[Activation], which: usize, x: Tensor) -> Result<Tensor> {
        let x = match self.clip {
            Some(limit) => b.op(Clip::new(x, limit, -limit))?,
            None => x,
        };
        function(functions, which)?.apply(b, x)
    }

    fn gate(&self, b: &mut Importer, gates: Tensor, which: usize) -> Result<Tensor> {
        let last = b.rank(gates)? - 1;
        b.slice(gates, last, which * self.hidden, self.hidden)
    }

    fn gru(
        &self,
        b: &mut Importer,
        functions: &[Activation],
        x: Tensor,
        from_hidden: Tensor,
        (recurrence, bias, h): (Tensor, Option<Tensor>, Tensor),
    ) -> Result<Tensor> {
        let mut gates = Vec::new();
        for which in 0..2 {
            let (a, c) = (self.gate(b, x, which)?, self.gate(b, from_hidden, which)?);
            let sum = b.add(a, c)?;
            gates.push(self.activated(b, functions, 0, sum)?);
        }
        let (update, reset) = (gates[0], gates[1]);
        let inner = if self.linear_before_reset {
            let from = self.gate(b, from_hidden, 2)?;
            b.mul(reset, from)?
        } else {
            let before = b.mul(reset, h)?;
            let weights = self.gate(b, recurrence, 2)?;
            let product = b.matmul(before, weights)?;
            match bias {
                Some(bias) => {
                    let bias = self.gate(b, bias, 2)?;
                    b.add(product, bias)?
                }
                None => product,
            }
        };
        let from = self.gate(b, x, 2)?;
        let sum = b.add(from, inner)?;
        let candidate = self.activated(b, functions, 1, sum)?;
        let rest = b.const_sub(1.0, update)?;
        let (new, old) = (b.mul(rest, candidate)?, b.mul(update, h)?);
        b.add(new, old)
    }

    /// The gates are in the order input, output, forget, cell; so are the peepholes of the first three.
    fn lstm(
        &self,
        b: &mut Importer,
        functions: &[Activation],
        gates: Tensor,
        c: Tensor,
        peephole: Option<Tensor>,
    ) -> Result<(Tensor, Tensor)> {
        let peeped = |b: &mut Importer, gate: Tensor, which: usize, c: Tensor| match peephole {
            None => Ok(gate),
            Some(p) => {
                let p = b.slice(p, 0, which * self.hidden, self.hidden)?;
                let seen = b.mul(c, p)?;
                b.add(gate, seen)
            }
        };
        let input = self.gate(b, gates, 0)?;
        let input = peeped(b, input, 0, c)?;
        let input = self.activated(b, functions, 0, input)?;
        let forget = if self.input_forget {
            b.const_sub(1.0, input)?
        } else {
            let forget = self.gate(b, gates, 2)?;
            let forget = peeped(b, forget, 2, c)?;
            self.activated(b, functions, 0, forget)?
        };
        let candidate = self.gate(b, gates, 3)?;
        let candidate = self.activated(b, functions, 1, candidate)?;
        let (kept, new) = (b.mul(forget, c)?, b.mul(input, candidate)?);
        let c = b.add(kept, new)?;
        let output = self.gate(b, gates, 1)?;
        let output = peeped(b, output, 1, c)?;
        let output = self.activated(b, functions, 0, output)?;
        // As in onnxruntime, `clip` bounds the operands of the gates' activations, not this one's.
        let seen = function(functions, 2)?.apply(b, c)?;
        Ok((b.mul(output, seen)?, c))
    }
}

fn function(functions: &[Activation], which: usize) -> Result<&Activation> {
    functions.get(which).ok_or_else(|| invalid("it has too few activations"))
}
