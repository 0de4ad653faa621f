//! Samples images at the points of a grid.
use super::{
    OpKernel, Operand,
    output_tiles::for_each_tile,
    task::PostOp,
    workspace::{reals, result_reals},
};
use crate::{base::invalid, ops::GridSampler};
use rayon::prelude::*;

/// How the coordinates of a grid map to positions along an axis.
#[derive(Clone, Copy)]
struct Sampling {
    align_corners: bool,
    /// 0: zeros, 1: border, 2: reflection.
    padding: i64,
    nearest: bool,
}

impl Sampling {
    /// Returns the position of `x`, which ranges from -1 to 1 along an axis.
    fn place(self, x: f32, dim: usize) -> f32 {
        let d = dim as f32;
        let at = if self.align_corners { (x + 1.0) / 2.0 * (d - 1.0) } else { ((x + 1.0) * d - 1.0) / 2.0 };
        match self.padding {
            0 => at,
            1 => at.clamp(0.0, d - 1.0),
            _ => {
                let (low, high) = if self.align_corners { (0.0, d - 1.0) } else { (-0.5, d - 0.5) };
                reflected(at, low, high).clamp(0.0, d - 1.0)
            }
        }
    }
    /// Returns the two neighboring entries with their weights, and `None` for those outside.
    fn ends(self, x: f32, dim: usize) -> [Option<(usize, f32)>; 2] {
        let at = self.place(x, dim);
        let inside = |at: f32, weight: f32| (at >= 0.0 && at < dim as f32).then_some((at as usize, weight));
        if self.nearest {
            return [inside(at.round_ties_even(), 1.0), None];
        }
        let low = at.floor();
        [inside(low, low + 1.0 - at), inside(low + 1.0, at - low)]
    }
}

/// Reflects a number at both ends until it is between them.
fn reflected(x: f32, low: f32, high: f32) -> f32 {
    let span = high - low;
    if span <= 0.0 {
        return 0.0;
    }
    let beyond = (x - low).abs();
    let (turns, rest) = ((beyond / span).floor(), beyond % span);
    if turns % 2.0 == 0.0 { rest + low } else { span - rest + low }
}

/// Number of points of a task.
const POINTS: usize = 128;

pub(super) fn grid_sampler(op: GridSampler<Operand>) -> OpKernel {
    let sampling = Sampling { align_corners: op.align_corners, padding: op.padding_mode, nearest: op.mode == 1 };
    OpKernel::with_workspace(reals([&op.input, &op.grid]) + result_reals(), move |t| {
        let (input, grid) = (t.reals(&op.input)?, t.reals(&op.grid)?);
        let shape = &op.input.ty.shape;
        let (channels, spatial) = (shape[1], &shape[2..]);
        let plane: usize = spatial.iter().product();
        let points: usize = t.result(0)?.shape[2..].iter().product();
        if plane == 0 || points == 0 {
            return Err(invalid("an image is empty"));
        }
        t.write(0, PostOp::default(), |out| {
            let images = out.par_chunks_mut(channels * points).zip(input.par_chunks(channels * plane));
            images.zip(grid.par_chunks(points * spatial.len())).try_for_each(|((out, image), grid)| {
                for_each_tile((out, points), 0..points, [channels, POINTS], |tile| {
                    let grid = &grid[tile.column * spatial.len()..];
                    let neighbors = Neighbors::new(grid, tile.outs[0].len(), spatial, sampling);
                    let planes = tile.outs.into_iter().zip(image.chunks(plane));
                    planes.for_each(|(out, plane)| neighbors.sample(plane, out));
                    Ok(())
                })
            })
        })
    })
}

/// A pixel that a point is interpolated from: its offset in the image, and its weight.
type Neighbor = (usize, f32);

/// Four pixels that a point of an image is between.
#[derive(Clone, Copy, Default)]
struct Square {
    /// The offset of the first pixel in the image. The others are right of it, below it, and both.
    first: usize,
    weights: [f32; 4],
}

/// The neighboring pixels of some points, which all channels share.
struct Neighbors {
    width: usize,
    /// The square of each point. That of points with fewer neighbors, or more, has no meaning. Empty if none has one.
    squares: Vec<Square>,
    /// The indices of the other points, and where their neighbors end.
    others: Vec<(usize, usize)>,
    /// The neighbors of these points, in order.
    of_others: Vec<Neighbor>,
}

impl Neighbors {
    /// The coordinates of each point are in reverse order of the axes: x, y, z.
    fn new(grid: &[f32], points: usize, shape: &[usize], sampling: Sampling) -> Neighbors {
        let width = shape[shape.len() - 1];
        let mut squares = Vec::with_capacity(points);
        let (mut others, mut of_others) = (Vec::new(), Vec::new());
        for (i, point) in grid.chunks_exact(shape.len()).take(points).enumerate() {
            let square = square(shape, point, sampling);
            squares.push(square.unwrap_or_default());
            if square.is_none() {
                of_others.extend(of_point(shape, point, sampling));
                others.push((i, of_others.len()));
            }
        }
        // An image without a square has no pixel below the first, either.
        if others.len() == squares.len() {
            squares.clear();
        }
        Neighbors { width, squares, others, of_others }
    }

    /// Interpolates all points in one channel.
    fn sample(&self, plane: &[f32], out: &mut [f32]) {
        for (out, Square { first, weights }) in out.iter_mut().zip(&self.squares) {
            let (above, below) = (&plane[*first..][..2], &plane[first + self.width..][..2]);
            *out = above[0] * weights[0] + above[1] * weights[1] + below[0] * weights[2] + below[1] * weights[3];
        }
        let mut start = 0;
        for (i, end) in &self.others {
            let neighbors = &self.of_others[start..*end];
            out[*i] = neighbors.iter().fold(0.0, |sum, (at, weight)| sum + plane[*at] * weight);
            start = *end;
        }
    }
}

/// Returns the square of a point of an image, or `None` if it has fewer than four neighbors, or the image is a volume.
fn square(shape: &[usize], point: &[f32], sampling: Sampling) -> Option<Square> {
    let (&[height, width], &[x, y]) = (shape, point) else { return None };
    let ([Some((left, a)), Some((_, b))], [Some((top, c)), Some((_, d))]) =
        (sampling.ends(x, width), sampling.ends(y, height))
    else {
        return None;
    };
    Some(Square { first: top * width + left, weights: [a * c, b * c, a * d, b * d] })
}

/// Returns the neighbors of a point that are inside the image.
fn of_point(shape: &[usize], point: &[f32], sampling: Sampling) -> impl Iterator<Item = Neighbor> {
    let [width, height] = [shape[shape.len() - 1], shape[shape.len() - 2]];
    let (x, y) = (sampling.ends(point[0], width), sampling.ends(point[1], height));
    let z = match point.get(2) {
        Some(&z) => sampling.ends(z, shape[0]),
        None => [Some((0, 1.0)), None],
    };
    z.into_iter().flatten().flat_map(move |(z, wz)| {
        y.into_iter().flatten().flat_map(move |(y, wy)| {
            x.into_iter().flatten().map(move |(x, wx)| ((z * height + y) * width + x, wx * wy * wz))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Neighbors, Sampling, of_point};
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, run};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn points_are_sums_of_their_neighbors(
            shape in prop::array::uniform3(1usize..5), is_volume: bool, align_corners: bool, nearest: bool, padding in 0i64..3,
            coordinates in prop::collection::vec(prop_oneof![-1.6f32..1.6, prop::sample::select(vec![-1.0f32, -0.5, 0.0, 1.0])], 3..60),
        ) {
            let shape = if is_volume { &shape[..] } else { &shape[1..] };
            let sampling = Sampling { align_corners, padding, nearest };
            // What is outside has no part in a sum, not even infinity times 0.
            let plane: Vec<f32> = (0..shape.iter().product()).map(|i: usize| if i == 3 { f32::INFINITY } else { i as f32 * 0.7 - 2.0 }).collect();
            let points = coordinates.chunks_exact(shape.len());
            let mut found = vec![f32::NAN; points.len()];
            Neighbors::new(&coordinates, points.len(), shape, sampling).sample(&plane, &mut found);
            let sum = |point: &[f32]| of_point(shape, point, sampling).map(|(at, weight)| plane[at] * weight).reduce(|a, b| a + b);
            let expected = points.map(|point| sum(point).unwrap_or(0.0));
            for (found, expected) in found.iter().zip(expected) {
                prop_assert!(found == &expected || found.is_nan() && expected.is_nan(), "{} {}", found, expected);
            }
        }
    }

    #[test]
    fn attention_adds_what_it_samples() {
        let mut g = Graph::new("g").unwrap();
        let of = |shape: &[i64], values: &[f32]| Array::from_vec(shape.to_vec(), values.to_vec()).unwrap();
        let query = g.input("query", Dtype::Float32, [1, 3, 2]).unwrap();
        let value = of(&[1, 4, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        // The last pixel is masked. The points are the centers of the first, the second and the last pixel. The offset is
        // half a pixel to the left: in pixels for a point, and in half widths for a box, which is one pixel wide.
        let (mask, one) = (of(&[1, 4], &[0.0, 0.0, 0.0, 1.0]), of(&[2, 2], &[1.0, 0.0, 0.0, 1.0]));
        let points = [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75]];
        let boxes = points.map(|[x, y]| [x, y, 0.5, 0.5]);
        for (numbers, points, x) in [(2, points.as_flattened(), -0.5), (4, boxes.as_flattened(), -1.0)] {
            let points = of(&[1, 3, 1, numbers], points);
            let call = g.multi_scale_deformable_attention(
                query,
                mask.clone(),
                points,
                of(&[2, 2], &[0.0; 4]),
                of(&[2], &[x, 0.0]),
                of(&[2, 1], &[0.0; 2]),
                of(&[1], &[0.0]),
                one.clone(),
                of(&[2], &[0.0; 2]),
                one.clone(),
                of(&[2], &[0.0; 2]),
                vec![[2, 2]],
                2,
            );
            let y = call.value(value.clone()).num_heads(1).num_levels(1).num_points(1).call().unwrap();
            g.set_outputs(&[y]).unwrap();
            let feeds = [("query", of(&[1, 3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))];
            let result = run(&g, &feeds, &CpuBackend::new(), &RunOptions::default()).unwrap();
            assert_eq!(result.tensors[0].to_f32().unwrap(), [1.5, 3.0, 5.0, 7.0, 7.5, 9.0]);
        }
    }
}
