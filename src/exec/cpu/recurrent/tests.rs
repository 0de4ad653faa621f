//! Compares LSTM and GRU with their definition.
use super::Cell;
use crate::{
    Array, CpuBackend, Dtype, Graph, RunOptions,
    ops::{GRU, LSTM},
    run,
};

const LENGTH: usize = 5;
const SIZE: usize = 18;

fn numbers(shape: &[usize], seed: usize) -> Array {
    let values = (0..shape.iter().product()).map(|i| ((i * 37 + seed * 101) % 19) as f64 / 10.0 - 0.9);
    Array::from_f64s(Dtype::Float32, shape, values).unwrap()
}

/// The weights of the input and of the state, and the bias, for both directions.
fn weights(cell: Cell, hidden: usize) -> [Array; 3] {
    let rows = cell.gates() * hidden;
    [numbers(&[2, rows, SIZE], 1), numbers(&[2, rows, hidden], 2), numbers(&[2, 2 * rows], 3)]
}

fn input(sequence: usize) -> Vec<f32> {
    numbers(&[LENGTH, SIZE], 4 + sequence).to_f32().unwrap()
}

/// Returns the states of these sequences. The kernel packs weights of one sequence in another way than those of
/// several, and weights that are fed on every run.
fn states(cell: Cell, hidden: usize, sequences: &[usize], fed: bool) -> Vec<Vec<f32>> {
    let mut g = Graph::new("g").unwrap();
    let x = g.input("x", Dtype::Float32, [sequences.len(), LENGTH, SIZE]).unwrap();
    let [of_input, of_state, bias] = weights(cell, hidden);
    let mut weight = |name: &str, values: &Array| match fed {
        true => g.input(name, Dtype::Float32, values.shape()).unwrap(),
        false => g.coefficient(name, values.clone()).unwrap(),
    };
    let [w, r] = [weight("w", &of_input), weight("r", &of_state)];
    let bias = Some(g.coefficient("b", bias).unwrap());
    let y = match cell {
        Cell::Lstm => {
            let op = LSTM { bias, batch_first: true, ..LSTM::new(x, w, r, true, hidden as i64) };
            g.op(op).call().unwrap()
        }
        _ => {
            let op = GRU::new(x, w, r, true, hidden as i64);
            let op = GRU { bias, batch_first: true, linear_before_reset: cell == Cell::Gru, ..op };
            g.op(op).call().unwrap()
        }
    };
    g.set_outputs(&y[..1]).unwrap();
    let values = sequences.iter().flat_map(|s| input(*s)).collect();
    let mut feeds = vec![("x", Array::from_vec([sequences.len(), LENGTH, SIZE], values).unwrap())];
    if fed {
        feeds.extend(["w", "r"].into_iter().zip([of_input, of_state]));
    }
    let results = run(&g, &feeds[..], &CpuBackend::new(), &RunOptions::default().threads(3)).unwrap();
    let all = results.tensors[0].to_f32().unwrap();
    all.chunks(all.len() / sequences.len()).map(<[f32]>::to_vec).collect()
}

/// The states of a sequence by ONNX's definition, in float64, ordered by step, direction and unit.
fn by_definition(cell: Cell, n: usize, sequence: usize) -> Vec<f64> {
    let [of_input, of_state, bias] = weights(cell, n).map(|array| array.to_f32().unwrap());
    let (rows, x) = (cell.gates() * n, input(sequence));
    let dot = |w: &[f32], x: &[f64]| w.iter().zip(x).map(|(w, x)| f64::from(*w) * x).sum::<f64>();
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let mut all = vec![0.0; LENGTH * 2 * n];
    for direction in 0..2 {
        let (mut h, mut c) = (vec![0.0; n], vec![0.0; n]);
        for step in 0..LENGTH {
            let at = if direction == 1 { LENGTH - 1 - step } else { step };
            let x: Vec<f64> = x[at * SIZE..][..SIZE].iter().map(|v| f64::from(*v)).collect();
            let b = |row: usize| f64::from(bias[direction * 2 * rows + row]);
            let of_input = |row| dot(&of_input[(direction * rows + row) * SIZE..][..SIZE], &x) + b(row);
            let of = |row: usize, h: &[f64]| dot(&of_state[(direction * rows + row) * n..][..n], h) + b(rows + row);
            let before = h.clone();
            let gate = |k: usize, i: usize| logistic(of_input(k * n + i) + of(k * n + i, &before));
            let reset: Vec<f64> = (0..n).map(|i| gate(1, i) * before[i]).collect();
            for i in 0..n {
                let candidate = match cell {
                    Cell::Lstm => {
                        c[i] = gate(2, i) * c[i] + gate(0, i) * (of_input(3 * n + i) + of(3 * n + i, &before)).tanh();
                        h[i] = gate(1, i) * c[i].tanh();
                        continue;
                    }
                    Cell::Gru => (of_input(2 * n + i) + gate(1, i) * of(2 * n + i, &before)).tanh(),
                    Cell::GruResetFirst => (of_input(2 * n + i) + of(2 * n + i, &reset)).tanh(),
                };
                h[i] = (1.0 - gate(0, i)) * candidate + gate(0, i) * before[i];
            }
            all[(at * 2 + direction) * n..][..n].copy_from_slice(&h);
        }
    }
    all
}

/// States of one group, of whole groups, and of a last one that is smaller; of one sequence and of several.
#[test]
fn states_are_the_definition() {
    for cell in [Cell::Lstm, Cell::Gru, Cell::GruResetFirst] {
        // From 128 units on, several tasks compute a step of one sequence.
        for hidden in [20, 64, 128, 150, 330] {
            let together = states(cell, hidden, &[0, 1, 2], false);
            assert_eq!(states(cell, hidden, &[0, 1, 2], true), together);
            for (sequence, of_batch) in together.iter().enumerate() {
                let expected = by_definition(cell, hidden, sequence);
                let alone = states(cell, hidden, &[sequence], sequence == 1).remove(0);
                for found in [of_batch, &alone] {
                    let is_near = |(a, b): (&f32, &f64)| (f64::from(*a) - b).abs() < 1e-4;
                    let far = found.iter().zip(&expected).filter(|pair| !is_near(*pair)).count();
                    assert_eq!((far, found.len()), (0, expected.len()), "{hidden} units, sequence {sequence}");
                }
            }
        }
    }
}

/// `cont` has a factor per step and sequence for the states before the step; one sequence alone computes what it does among several.
#[test]
fn states_are_reset_where_a_sequence_begins() {
    let run_all = |hidden: usize, sequences: &[usize]| {
        let (batch, mut g) = (sequences.len(), Graph::new("g").unwrap());
        let x = g.input("x", Dtype::Float32, [LENGTH, batch, SIZE]).unwrap();
        let [w, r, bias] = weights(Cell::Lstm, hidden);
        let [w, r, bias] = [("w", w), ("r", r), ("b", bias)].map(|(name, values)| g.coefficient(name, values).unwrap());
        let cont = g.input("cont", Dtype::Float32, [LENGTH, batch]).unwrap();
        let state = numbers(&[2, hidden], 9).to_f32().unwrap();
        let rows = state.chunks(hidden).flat_map(|row| row.repeat(batch)).collect();
        let initial = Some(g.coefficient("initial", Array::from_vec([2, batch, hidden], rows).unwrap()).unwrap());
        let op = LSTM {
            bias: Some(bias),
            initial_h: initial,
            initial_c: initial,
            cont: Some(cont),
            ..LSTM::new(x, w, r, true, hidden as i64)
        };
        let y = g.op(op).call().unwrap();
        g.set_outputs(&y).unwrap();
        let of_steps = |n: usize, value: &dyn Fn(usize, usize, usize) -> f32| {
            let places = (0..LENGTH).flat_map(|step| sequences.iter().map(move |s| (step, *s)));
            places.flat_map(|(step, s)| (0..n).map(move |i| value(step, s, i))).collect::<Vec<f32>>()
        };
        let inputs: Vec<Vec<f32>> = (0..3).map(input).collect();
        let x = of_steps(SIZE, &|step, s, i| inputs[s][step * SIZE + i]);
        let cont = of_steps(1, &|step, s, _| [1.0, 0.0, 0.5][(step + s) % 3]);
        let feeds = [
            ("x", Array::from_vec([LENGTH, batch, SIZE], x).unwrap()),
            ("cont", Array::from_vec([LENGTH, batch], cont).unwrap()),
        ];
        let results = run(&g, &feeds[..], &CpuBackend::new(), &RunOptions::default().threads(3)).unwrap();
        let rows = |i: usize| results.tensors[i].to_f32().unwrap();
        // All states, and the last ones, of each sequence.
        let of_sequence = |s: usize| {
            let values = [0, 1, 2]
                .map(|i| rows(i).chunks(hidden).skip(s).step_by(batch).flatten().copied().collect::<Vec<f32>>());
            values.concat()
        };
        (0..batch).map(of_sequence).collect::<Vec<_>>()
    };
    for hidden in [20, 128, 330] {
        let together = run_all(hidden, &[0, 1, 2]);
        for (sequence, expected) in together.iter().enumerate() {
            let alone = run_all(hidden, &[sequence]).remove(0);
            assert_eq!(alone.len(), expected.len());
            let is_near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
            assert!(alone.iter().zip(expected).all(is_near), "{hidden} units, sequence {sequence}");
        }
    }
}
