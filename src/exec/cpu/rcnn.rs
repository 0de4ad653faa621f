//! Regions and boxes of detectors that compare them pairwise, in input order.
use super::{
    OpKernel, Operand,
    task::PostOp,
    workspace::{Workspace, all_reals, elements},
};
use crate::{
    array::{push, reserve, zeros},
    base::{Result, invalid},
    ops::{FrcnDetection, Proposal, YoloDetection, YoloDetectionVersion as Version},
};

/// A box with its score and class.
#[derive(Clone, Copy)]
struct Scored {
    /// Two corners, or center and size.
    numbers: [f32; 4],
    score: f32,
    class: usize,
}

/// At most one box per score, as many more while the list grows, and the lists of [`suppress`].
fn boxes_workspace<'o>(scores: impl IntoIterator<Item = &'o Operand>) -> Workspace {
    elements(scores, 96)
}

/// Maximum number of boxes that are compared pairwise: more than detectors find in images of 1280 x 1280, and few enough that
/// comparing them all takes less than a minute.
const MAX_BOXES: usize = 1 << 17;

/// Returns an error if so many boxes remain that comparing each with those that are kept, `most` at the most, would seem to hang.
pub(super) fn check_pairwise(boxes: usize, most: usize) -> Result<()> {
    let expected = MAX_BOXES.max(MAX_BOXES.saturating_mul(MAX_BOXES) / most.max(1));
    if boxes <= expected {
        return Ok(());
    }
    Err(invalid(format!(
        "{boxes} boxes are above the score threshold; expected at most {expected}: raise the threshold"
    )))
}

/// If two boxes of a class overlap by more than `most`, the one with the lower score is removed; of equal ones, the
/// second.
fn suppress(boxes: &mut Vec<Scored>, most: f64, overlap: impl Fn([f32; 4], [f32; 4]) -> f32) -> Result<()> {
    check_pairwise(boxes.len(), boxes.len())?;
    let mut suppressed = zeros::<bool>(boxes.len())?;
    let mut by_class: Vec<usize> = Vec::new();
    reserve(&mut by_class, boxes.len())?;
    by_class.extend(0..boxes.len());
    by_class.sort_by_key(|i| boxes[*i].class);
    for indices in by_class.chunk_by(|i, j| boxes[*i].class == boxes[*j].class) {
        for (n, &i) in indices.iter().enumerate() {
            for &j in &indices[n + 1..] {
                if suppressed[i] {
                    break;
                }
                let (a, b) = (boxes[i], boxes[j]);
                if !suppressed[j] && f64::from(overlap(a.numbers, b.numbers)) > most {
                    suppressed[if a.score < b.score { i } else { j }] = true;
                }
            }
        }
    }
    let mut suppressed = suppressed.into_iter();
    boxes.retain(|_| suppressed.next() == Some(false));
    Ok(())
}

/// Intersection over union of boxes given by corner pixels, both included; boxes that only touch do not overlap.
fn of_pixels(a: [f32; 4], b: [f32; 4]) -> f32 {
    let area = |c: [f32; 4]| (c[2] - c[0] + 1.0) * (c[3] - c[1] + 1.0);
    let (width, height) = (a[2].min(b[2]) - a[0].max(b[0]), a[3].min(b[3]) - a[1].max(b[1]));
    let common = width * height;
    if width > 0.0 && height > 0.0 { common / (area(a) + area(b) - common) } else { 0.0 }
}

/// Intersection over union of boxes given by center and size.
fn of_centers(a: [f32; 4], b: [f32; 4]) -> f32 {
    let along = |i: usize| {
        let [low, high] = [-0.5, 0.5].map(|h| [a[i] + h * a[i + 2], b[i] + h * b[i + 2]]);
        high[0].min(high[1]) - low[0].max(low[1])
    };
    let common = if along(0) < 0.0 || along(1) < 0.0 { 0.0 } else { along(0) * along(1) };
    common / (a[2] * a[3] + b[2] * b[3] - common)
}

/// Width and height of the nine anchors: three ratios at three scales.
fn anchors(base: f32) -> [[f32; 2]; 9] {
    std::array::from_fn(|i| {
        let (ratio, scale) = ([0.5, 1.0, 2.0][i / 3], [8.0, 16.0, 32.0][i % 3]);
        let width = (base * base / ratio).sqrt().round();
        [width * scale, (width * ratio).round() * scale]
    })
}

/// Anchors with a sufficient score, moved and resized, clipped to the image. Unused rows are filled with 0.
pub(super) fn proposal(op: Proposal<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals() + boxes_workspace(op.inputs.first()), move |t| {
        let (scores, deltas) = (t.reals(&op.inputs[0])?, t.reals(&op.inputs[1])?);
        let &[_, _, height, width] = op.inputs[0].ty.shape.as_slice() else { return Ok(()) };
        let (plane, stride) = (height * width, op.feat_stride as f32);
        let (base, image) = (op.anchor_base_size as f32, [op.net_input_w as f32 - 1.0, op.net_input_h as f32 - 1.0]);
        let rows = t.result(0)?.shape[2];
        t.write(0, PostOp::default(), |out| {
            out.fill(0.0);
            let images = scores.chunks(18 * plane).zip(deltas.chunks(36 * plane)).enumerate();
            for ((b, (scores, deltas)), out) in images.zip(out.chunks_mut(rows * 5)) {
                let mut boxes = Vec::new();
                for (i, &score) in scores[9 * plane..].iter().enumerate() {
                    // This comparison is false for NaN.
                    let enough = f64::from(score) >= op.rpn_obj_threshold;
                    if !enough {
                        continue;
                    }
                    let (size, at) = (anchors(base)[i / plane], i % plane);
                    let place = [(at % width) as f32, (at / width) as f32];
                    let delta = |k: usize| deltas[(i / plane * 4 + k) * plane + at];
                    let corner = |k: usize| {
                        let (axis, sign) = (k % 2, if k < 2 { -0.5 } else { 0.5 });
                        let center = place[axis] * stride + 0.5 * (base - 1.0) + size[axis] * delta(axis);
                        (center + sign * size[axis] * delta(axis + 2).exp()).min(image[axis]).max(0.0)
                    };
                    push(&mut boxes, Scored { numbers: std::array::from_fn(corner), score, class: 0 })?;
                }
                suppress(&mut boxes, op.rpn_nms_threshold, of_pixels)?;
                for (row, found) in out.chunks_mut(5).zip(&boxes) {
                    row[0] = b as f32;
                    row[1..].copy_from_slice(&found.numbers);
                }
            }
            Ok(())
        })
    })
}

/// Writes six numbers per box.
fn write_found(out: &mut [f32], found: &[Scored]) {
    out.fill(0.0);
    for (row, Scored { numbers, score, class }) in out.chunks_mut(6).zip(found) {
        row[..4].copy_from_slice(numbers);
        row[4..].copy_from_slice(&[*class as f32, *score]);
    }
}

/// Regions with a sufficient score, moved and resized for each class except the first.
pub(super) fn frcn_detection(op: FrcnDetection<Operand>) -> OpKernel {
    OpKernel::with_workspace(all_reals() + boxes_workspace(op.inputs.get(1)), move |t| {
        let [deltas, scores, rois] = [0, 1, 2].map(|i| t.reals(&op.inputs[i]));
        let (deltas, scores, rois) = (deltas?, scores?, rois?);
        let (count, classes, rows) = (op.inputs[2].ty.shape[2], op.class_num as usize, op.keep_topk as usize);
        t.write(0, PostOp::default(), |out| {
            for (image, out) in out.chunks_mut(rows * 6).enumerate() {
                let mut boxes = Vec::new();
                for i in 0..count * classes {
                    let at = image * count * classes + i;
                    let enough = f64::from(scores[at]) > op.obj_threshold;
                    if i % classes == 0 || !enough {
                        continue;
                    }
                    let roi = &rois[at / classes * 5 + 1..][..4];
                    let corner = |k: usize| {
                        let (axis, sign) = (k % 2, if k < 2 { -0.5 } else { 0.5 });
                        let size = roi[axis + 2] - roi[axis] + 1.0;
                        let center = deltas[at * 4 + axis] * size + roi[axis] + size * 0.5;
                        center + sign * (deltas[at * 4 + axis + 2].exp() * size)
                    };
                    push(
                        &mut boxes,
                        Scored { numbers: std::array::from_fn(corner), score: scores[at], class: i % classes },
                    )?;
                }
                suppress(&mut boxes, op.nms_threshold, of_pixels)?;
                write_found(out, &boxes);
            }
            Ok(())
        })
    })
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns the largest softmax probability and its index; of equal ones, the first.
fn argmax_probability(numbers: impl Iterator<Item = f32> + Clone) -> (f32, usize) {
    let first = (f32::NEG_INFINITY, 0);
    let most = numbers.clone().enumerate().fold(first, |m, (i, v)| if v > m.0 { (v, i) } else { m });
    (1.0 / numbers.map(|v| (v - most.0).exp()).sum::<f32>(), most.1)
}

/// Three boxes at each position of each feature tensor, the widest first. Returns `None` for later versions, which use
/// chip-specific code or decoded input, and for several images, whose result is undefined.
pub(super) fn yolo_detection(op: YoloDetection<Operand>) -> Option<OpKernel> {
    use Version::*;
    let classes = usize::try_from(op.class_num).ok().filter(|n| *n > 0)?;
    let known = matches!(op.version, Yolov3 | Yolov3Tiny | Yolov3Spp | Yolov4 | Yolov5);
    let channels = classes.checked_add(5)?.checked_mul(3)?;
    let fits = |i: &Operand| matches!(i.ty.shape.as_slice(), [1, c, _, _] if *c == channels);
    if !known || op.anchors.len() != op.inputs.len() * 6 || !op.inputs.iter().all(fits) {
        return None;
    }
    let mut features = op.inputs.clone();
    features.sort_by_key(|f| std::cmp::Reverse(f.ty.shape[3]));
    Some(OpKernel::with_workspace(all_reals() + boxes_workspace(&op.inputs), move |t| {
        let mut boxes = Vec::new();
        for (feature, anchors) in features.iter().zip(op.anchors.chunks(6)) {
            let values = t.reals(feature)?;
            let (height, width) = (feature.ty.shape[2], feature.ty.shape[3]);
            let plane = height * width;
            for i in 0..plane * 3 {
                let (place, which) = (i / 3, i % 3);
                let value = |k: usize| values[(which * (classes + 5) + k) * plane + place];
                let sure = sigmoid(value(4));
                let (likely, class) = argmax_probability((0..classes).map(|c| value(5 + c)));
                let score = sure * likely;
                let enough = f64::from(score) >= op.obj_threshold;
                if !enough {
                    continue;
                }
                let grid = [(place % width) as f32, (place / width) as f32];
                let (cells, net) = ([width, height], [op.net_input_w, op.net_input_h]);
                let number = |k: usize| {
                    let (axis, anchor) = (k % 2, anchors[which * 2 + k % 2] as f32);
                    match (op.version, k < 2) {
                        (Yolov5, true) => {
                            (sigmoid(value(k)) * 2.0 + grid[axis] - 0.5) * (net[axis] / cells[axis] as i64) as f32
                        }
                        (Yolov5, false) => (sigmoid(value(k)) * 2.0).powi(2) * anchor,
                        (_, true) => (sigmoid(value(k)) + grid[axis]) / cells[axis] as f32,
                        (_, false) => value(k).exp() * anchor / net[axis] as f32,
                    }
                };
                push(&mut boxes, Scored { numbers: std::array::from_fn(number), score, class })?;
            }
        }
        suppress(&mut boxes, op.nms_threshold, of_centers)?;
        t.write(0, PostOp::default(), |out| {
            write_found(out, &boxes);
            Ok(())
        })
    }))
}
