use super::{
    OpKernel, Operand,
    rcnn::check_pairwise,
    task::PostOp,
    workspace::{all_reals, of_tasks},
};
use crate::{
    array::{push, reserve, zeros},
    base::Result,
    ops::{Nms, ROIPooling, RoiAlign, RoiAlignMode, RoiExtractor},
    semantics::IndexKind,
};
use rayon::prelude::*;
use std::cmp::Ordering;

/// A box by its corners: the minimum and the maximum of each axis.
#[derive(Clone, Copy)]
struct Corners([[f32; 2]; 2]);

impl Corners {
    /// Creates a box from two corners in any order, or from center and size.
    fn new(b: &[f32], center: bool) -> Corners {
        let ends = |a: f32, b: f32| if a < b { [a, b] } else { [b, a] };
        match center {
            true => Corners([0, 1].map(|i| ends(b[i] - b[i + 2] / 2.0, b[i] + b[i + 2] / 2.0))),
            false => Corners([0, 1].map(|i| ends(b[i], b[i + 2]))),
        }
    }
    fn area(self) -> f32 {
        self.0.iter().map(|[low, high]| high - low).product()
    }
    /// Intersection over union; 0 if a box is empty.
    fn overlap(self, other: Corners) -> f32 {
        let common = |i: usize| (self.0[i][1].min(other.0[i][1]) - self.0[i][0].max(other.0[i][0])).max(0.0);
        let (one, two, both) = (self.area(), other.area(), common(0) * common(1));
        // These comparisons are false for NaN.
        if one > 0.0 && two > 0.0 && both > 0.0 { both / (one + two - both) } else { 0.0 }
    }
}

/// How boxes are selected.
#[derive(Clone, Copy)]
struct Selection {
    /// Maximum number of boxes per class.
    limit: usize,
    /// Overlap above which a box falls.
    most: f32,
    /// Boxes have a higher score.
    least: f32,
    /// Whether boxes are given by center and size.
    center: bool,
}

impl Selection {
    /// Returns the boxes of a class that are kept, sorted by score; ties keep their order.
    fn kept(self, boxes: &[f32], scores: &[f32]) -> Result<Vec<usize>> {
        let (mut order, mut kept): (Vec<usize>, Vec<Corners>) = Default::default();
        reserve(&mut order, scores.len())?;
        order.extend((0..scores.len()).filter(|&i| scores[i] > self.least));
        check_pairwise(order.len(), self.limit)?;
        order.sort_unstable_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap_or(Ordering::Equal).then(a.cmp(&b)));
        reserve(&mut kept, order.len().min(self.limit))?;
        let falls = |overlap: f32| overlap > self.most && overlap != 0.0;
        order.retain(|&i| {
            if kept.len() == self.limit {
                return false;
            }
            let corners = Corners::new(&boxes[i * 4..], self.center);
            let stays = !kept.iter().any(|k| falls(k.overlap(corners)));
            if stays {
                kept.push(corners);
            }
            stays
        });
        Ok(order)
    }
}

/// Returns rows of batch, class and box, in that order. Unused rows are filled with -1.
pub(super) fn nms(op: Nms<Operand>) -> OpKernel {
    let count = op.inputs.get(1).and_then(|scores| scores.ty.shape.last()).map_or(1, |&n| n.max(1));
    let lists = op.inputs.get(1).map_or(0, |scores| scores.ty.elements()) / count;
    // Two lists of boxes for each class that is computed.
    let workspace = all_reals() + of_tasks(lists, count, 24);
    OpKernel::with_workspace(workspace, move |t| {
        let (boxes, scores) = (t.reals(&op.inputs[0])?, t.reals(&op.inputs[1])?);
        let number = |i: usize| -> Result<Option<f32>> {
            Ok(op.inputs.get(i).map(|n| t.reals(n)).transpose()?.and_then(|n| n.first().copied()))
        };
        let limit = number(2)?.map_or(usize::MAX, |n| n.max(0.0) as usize);
        // The tool chain's defaults.
        let (most, least) = match (number(3)?, number(4)?) {
            (Some(overlap), Some(score)) => (overlap, score),
            _ => (0.5, 0.5),
        };
        let (classes, rows) = (op.inputs[1].ty.shape[1], count.min(op.max_output_size as usize));
        let selection = Selection { limit: limit.min(rows), most, least, center: op.center_point_box == 1 };
        t.write(0, PostOp::default(), |out| {
            let lists = out.par_chunks_mut(rows * 3).zip(scores.par_chunks(count)).enumerate();
            let found = lists.map(|(list, (out, scores))| -> Result<usize> {
                let kept = selection.kept(&boxes[list / classes * count * 4..], scores)?;
                for (row, i) in out.chunks_exact_mut(3).zip(&kept) {
                    row.copy_from_slice(&[(list / classes) as f32, (list % classes) as f32, *i as f32]);
                }
                Ok(kept.len() * 3)
            });
            let found = found.collect::<Result<Vec<usize>>>()?;
            let mut end = 0;
            for (list, n) in found.into_iter().enumerate() {
                out.copy_within(list * rows * 3..list * rows * 3 + n, end);
                end += n;
            }
            out[end..].fill(-1.0);
            Ok(())
        })
    })
}

/// The parameters that all regions share.
#[derive(Clone, Copy)]
struct Align {
    mode: RoiAlignMode,
    /// Height and width of the result in cells.
    cells: [usize; 2],
    /// Samples per side of a cell; 0 means one per pixel.
    samples: i64,
    aligned: bool,
}

/// A sample along an axis: the two neighboring entries, and the weight of the second.
#[derive(Clone, Copy)]
struct Sample {
    low: usize,
    high: usize,
    towards: f32,
}

/// The samples of each cell of an axis that are inside the image, and their number including those outside.
struct Axis {
    cells: Vec<Vec<Sample>>,
    count: f32,
}

impl Axis {
    fn new(align: Align, cells: usize, [start, end]: [f32; 2], dim: usize) -> Result<Axis> {
        let length = if align.aligned { end - start } else { (end - start).max(1.0) };
        let cell = length / cells as f32;
        let count = if align.samples > 0 { align.samples as f32 } else { cell.ceil().max(0.0) };
        let step = cell / count;
        let mut all = Vec::new();
        reserve(&mut all, cells)?;
        for i in 0..cells {
            let from = start + i as f32 * cell;
            let mut samples = Vec::new();
            if !(from.is_finite() && step.is_finite()) {
                all.push(samples);
                continue;
            }
            // In a region much larger than the image, most samples are outside; those before the image are skipped at
            // once.
            let outside = ((-1.0 - from) / step - 1.5).max(0.0).floor();
            let mut s = if step > 0.0 { outside } else { 0.0 };
            while s < count {
                let at = from + (s + 0.5) * step;
                if step > 0.0 && at > dim as f32 {
                    break;
                }
                if (-1.0..=dim as f32).contains(&at) {
                    let at = at.clamp(0.0, (dim - 1) as f32);
                    let low = (at as usize).min(dim - 1);
                    push(&mut samples, Sample { low, high: (low + 1).min(dim - 1), towards: at - low as f32 })?;
                }
                // If adding 1 has no effect, the loop would not terminate.
                if s + 1.0 == s {
                    break;
                }
                s += 1.0;
            }
            all.push(samples);
        }
        Ok(Axis { cells: all, count })
    }
}

impl Align {
    /// Computes the cells of one region, channel by channel; `image` is c x h x w.
    fn region(self, image: &[f32], dims: [usize; 2], roi: &[f32], scale: f64, out: &mut [f32]) -> Result<()> {
        let offset = if self.aligned { 0.5 } else { 0.0 };
        let corner = |i: usize| roi[i] * scale as f32 - offset;
        let rows = Axis::new(self, self.cells[0], [corner(2), corner(4)], dims[0])?;
        let columns = Axis::new(self, self.cells[1], [corner(1), corner(3)], dims[1])?;
        let count = rows.count * columns.count;
        let planes = out.chunks_exact_mut(self.cells[0] * self.cells[1]).zip(image.chunks_exact(dims[0] * dims[1]));
        for (out, plane) in planes {
            let cells = rows.cells.iter().flat_map(|r| columns.cells.iter().map(move |c| (r, c)));
            for (out, (rows, columns)) in out.iter_mut().zip(cells) {
                *out = self.cell(plane, dims[1], rows, columns, count);
            }
        }
        Ok(())
    }
    /// Computes one cell. Samples outside the image are 0.
    fn cell(self, plane: &[f32], width: usize, rows: &[Sample], columns: &[Sample], count: f32) -> f32 {
        let inside = rows.iter().flat_map(|r| columns.iter().map(move |c| (r, c))).map(|(r, c)| {
            let across =
                |row: usize| plane[row * width + c.low] * (1.0 - c.towards) + plane[row * width + c.high] * c.towards;
            across(r.low) * (1.0 - r.towards) + across(r.high) * r.towards
        });
        match self.mode {
            RoiAlignMode::Avg if count > 0.0 => inside.sum::<f32>() / count,
            RoiAlignMode::Avg => 0.0,
            RoiAlignMode::Max => {
                let all_inside = (rows.len() * columns.len()) as f32 >= count;
                let first = if all_inside { None } else { Some(0.0) };
                inside
                    .fold(first, |m: Option<f32>, v| Some(m.map_or(v, |m| if v > m || v.is_nan() { v } else { m })))
                    .unwrap_or(0.0)
            }
        }
    }
}

/// Converts a number to an index below `count`.
fn index(value: f32, count: usize, of: IndexKind) -> Result<usize> {
    let found = (value >= 0.0 && (value as usize) < count).then_some(value as usize);
    found.ok_or_else(|| of.out_of_range(value, count))
}

pub(super) fn roi_align(op: RoiAlign<Operand>) -> OpKernel {
    let cells = [op.output_height as usize, op.output_width as usize];
    let align = Align { mode: op.mode, cells, samples: op.sampling_ratio, aligned: op.align_corners };
    OpKernel::with_workspace(all_reals(), move |t| {
        let (input, rois) = (t.reals(&op.input)?, t.reals(&op.rois)?);
        let &[images, channels, height, width] = op.input.ty.shape.as_slice() else { return Ok(()) };
        let (image, region) = (channels * height * width, channels * cells[0] * cells[1]);
        t.write(0, PostOp::default(), |out| {
            out.par_chunks_mut(region).zip(rois.par_chunks(5)).try_for_each(|(out, roi)| {
                let at = index(roi[0], images, IndexKind::Images)? * image;
                align.region(&input[at..at + image], [height, width], roi, op.spatial_scale, out)
            })
        })
    })
}

pub(super) fn roi_extractor(op: RoiExtractor<Operand>) -> OpKernel {
    let cells = [op.output_height as usize, op.output_width as usize];
    let align = Align { mode: op.mode, cells, samples: op.sampling_ratio, aligned: op.align_corners };
    OpKernel::with_workspace(all_reals(), move |t| {
        let (levels, rois) = (t.reals(&op.target_lvls)?, t.reals(&op.rois)?);
        let features = op.inputs.iter().map(|level| t.reals(level)).collect::<Result<Vec<_>>>()?;
        let (images, channels) = (op.inputs[0].ty.shape[0], op.inputs[0].ty.shape[1]);
        let region = channels * cells[0] * cells[1];
        t.write(0, PostOp::default(), |out| {
            let all = out.par_chunks_mut(region).zip(rois.par_chunks(5)).zip(levels.par_iter());
            all.try_for_each(|((out, roi), &level)| {
                let level = index(level, features.len(), IndexKind::Levels)?;
                let dims = [op.inputs[level].ty.shape[2], op.inputs[level].ty.shape[3]];
                let image = channels * dims[0] * dims[1];
                let at = index(roi[0], images, IndexKind::Images)? * image;
                align.region(&features[level][at..at + image], dims, roi, op.spatial_scales[level], out)
            })
        })
    })
}

/// Computes the maximum of each cell, or 0 if the cell is empty or has no positive entry.
pub(super) fn roi_pooling(op: ROIPooling<Operand>) -> OpKernel {
    let (rows, columns) = (op.pooled_h as usize, op.pooled_w as usize);
    OpKernel::with_workspace(all_reals(), move |t| {
        let (input, rois) = (t.reals(&op.inputs[0])?, t.reals(&op.inputs[1])?);
        let &[images, channels, height, width] = op.inputs[0].ty.shape.as_slice() else { return Ok(()) };
        t.write(0, PostOp::default(), |out| {
            out.par_chunks_mut(channels * rows * columns).zip(rois.par_chunks(5)).try_for_each(|(out, roi)| {
                let image = index(roi[0], images, IndexKind::Images)? * channels;
                // Pixels, both ends included.
                let pixel = |i: usize| (f64::from(roi[i]) * op.spatial_scale).round().clamp(-1e9, 1e9) as i64;
                let mut ranges = zeros::<(usize, usize)>(rows + columns)?;
                let (down, across) = ranges.split_at_mut(rows);
                cell_ranges([pixel(2), pixel(4)], height, down);
                cell_ranges([pixel(1), pixel(3)], width, across);
                for (c, out) in out.chunks_exact_mut(rows * columns).enumerate() {
                    let plane = &input[(image + c) * height * width..][..height * width];
                    for (i, out) in out.iter_mut().enumerate() {
                        let (down, across) = (down[i / columns], across[i % columns]);
                        let entries = (down.0..down.1).flat_map(|y| &plane[y * width + across.0..y * width + across.1]);
                        *out = entries.fold(0.0, |m, v| if *v > m { *v } else { m });
                    }
                }
                Ok(())
            })
        })
    })
}

/// Writes the range of entries of each cell of an axis: first, and one past the last.
fn cell_ranges([start, end]: [i64; 2], dim: usize, cells: &mut [(usize, usize)]) {
    let size = (end - start + 1).max(1) as f32 / cells.len() as f32;
    for (i, range) in cells.iter_mut().enumerate() {
        let at = |v: f32| (v as i64 + start).clamp(0, dim as i64) as usize;
        let (from, to) = (at((i as f32 * size).floor()), at(((i + 1) as f32 * size).ceil()));
        *range = (from, to.max(from));
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, CpuBackend, Dtype, Graph, RunOptions, base::Result, ops::Nms, run};
    use proptest::prelude::*;

    /// Selects boxes of two corners. Returns the values of the result.
    fn select(boxes: &[f32], scores: &[f32], classes: usize, n: usize, limit: usize) -> Result<Vec<f32>> {
        let batch = boxes.len() / (4 * n);
        let mut g = Graph::new("g")?;
        let b = g.input("boxes", Dtype::Float32, [batch, n, 4])?;
        let s = g.input("scores", Dtype::Float32, [batch, classes, n])?;
        let y = g.op(Nms::new(vec![b, s], 0, limit as i64)).call()?[0];
        g.set_outputs(&[y])?;
        let feeds = [
            ("boxes", Array::from_vec(vec![batch, n, 4], boxes.to_vec())?),
            ("scores", Array::from_vec(vec![batch, classes, n], scores.to_vec())?),
        ];
        run(&g, &feeds, &CpuBackend::new(), &RunOptions::default())?.tensors[0].to_f32()
    }

    #[test]
    fn too_many_boxes_are_refused() {
        let n = (1 << 17) + 1;
        let (boxes, scores) = (vec![0.0; 4 * n], vec![0.9; n]);
        let error = select(&boxes, &scores, 1, n, n).unwrap_err().to_string();
        assert!(error.contains("131073 boxes are above the score threshold; expected at most 131072"), "{error}");
        // Each is compared with few.
        let kept = select(&boxes, &scores, 1, n, 2).unwrap();
        assert_eq!(kept, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn boxes_are_selected_as_defined(
            batch in 1usize..3, classes in 1usize..4, n in 1usize..20, limit in 1usize..8, numbers in prop::collection::vec(0u8..10, 400),
        ) {
            let next = |i: usize| f32::from(numbers[i % numbers.len()]);
            // Squares with a side of 4, of which some are equal.
            let corner = |i: usize| [next(2 * i), next(2 * i + 1)];
            let boxes: Vec<f32> = (0..batch * n).flat_map(|i| [corner(i), corner(i).map(|v| v + 4.0)].concat()).collect();
            let scores: Vec<f32> = (0..batch * classes * n).map(|i| next(3 * i + 7) / 10.0 + 0.05).collect();
            let mut expected: Vec<[f32; 3]> = vec![];
            for list in 0..batch * classes {
                let (image, scores) = (list / classes, &scores[list * n..][..n]);
                let mut order: Vec<usize> = (0..n).filter(|i| scores[*i] > 0.5).collect();
                order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
                let mut kept: Vec<usize> = vec![];
                for i in order {
                    let is_far = |k: &usize| {
                        let (a, b) = (corner(image * n + *k), corner(image * n + i));
                        let common: f32 = (0..2).map(|axis| (4.0 - (a[axis] - b[axis]).abs()).max(0.0)).product();
                        common / (32.0 - common) <= 0.5
                    };
                    if kept.len() < limit && kept.iter().all(is_far) {
                        kept.push(i);
                    }
                }
                expected.extend(kept.iter().map(|i| [image as f32, (list % classes) as f32, *i as f32]));
            }
            expected.resize(batch * classes * limit.min(n), [-1.0; 3]);
            prop_assert_eq!(select(&boxes, &scores, classes, n, limit).unwrap(), expected.concat());
        }
    }
}
