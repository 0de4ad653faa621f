//! Anchors and boxes of single-shot detectors.
use super::{
    OpKernel, Operand,
    rcnn::check_pairwise,
    task::PostOp,
    workspace::{all_reals, numbers, result_elements, result_reals},
};
use crate::{
    array::reserve,
    base::Result,
    ops::{DetectionOutput, DetectionOutputCodeType as Code, PriorBox},
    semantics,
};

/// The minimum corner, then the maximum corner.
type Corners = [f32; 4];

pub(super) fn prior_box(op: PriorBox<Operand>) -> OpKernel {
    let workspace = result_elements(4) + result_reals() + numbers(op.num_priors as usize, 16);
    OpKernel::with_workspace(workspace, move |t| {
        let boxes = semantics::prior_boxes(&op)?;
        t.write(0, PostOp::default(), |out| {
            out.copy_from_slice(&boxes);
            Ok(())
        })
    })
}

fn area([left, top, right, bottom]: Corners) -> f32 {
    if right < left || bottom < top { 0.0 } else { (right - left) * (bottom - top) }
}

/// Whether the intersection over union of two boxes exceeds `most`.
fn overlap(a: Corners, b: Corners, most: f32) -> bool {
    let (left, top) = (a[0].max(b[0]), a[1].max(b[1]));
    let (right, bottom) = (a[2].min(b[2]), a[3].min(b[3]));
    let apart = left > right || top > bottom;
    !apart && (right - left) * (bottom - top) * (most + 1.0) > (area(a) + area(b)) * most
}

/// The operands of a detection.
struct Detection<'a> {
    op: &'a DetectionOutput<Operand>,
    boxes: &'a [f32],
    scores: &'a [f32],
    anchors: Option<&'a [f32]>,
    /// Number of boxes per image.
    count: usize,
    classes: usize,
}

impl Detection<'_> {
    fn score(&self, image: usize, class: usize, at: usize) -> f32 {
        match self.anchors {
            Some(_) => self.scores[(image * self.count + at) * self.classes + class],
            None => self.scores[(image * self.classes + class) * self.count + at],
        }
    }
    /// Returns a box, decoded relative to its anchor if there is one.
    fn corners(&self, image: usize, class: usize, at: usize) -> Corners {
        let place = image * self.count + at;
        let place = if self.op.share_location { place } else { place * self.classes + class };
        let encoded: Corners = std::array::from_fn(|i| self.boxes[place * 4 + i]);
        let Some(anchors) = self.anchors else { return encoded };
        let part = |i: usize| -> Corners { std::array::from_fn(|j| anchors[(i * self.count + at) * 4 + j]) };
        let (anchor, variance) = (part(0), part(1));
        let scaled = self.op.variance_encoded_in_target == 0.0;
        let encoded: Corners = std::array::from_fn(|i| if scaled { encoded[i] * variance[i] } else { encoded[i] });
        let size = [anchor[2] - anchor[0], anchor[3] - anchor[1]];
        match self.op.code_type {
            Code::CORNER => std::array::from_fn(|i| anchor[i] + encoded[i]),
            Code::CORNERSIZE => std::array::from_fn(|i| anchor[i] + encoded[i] * size[i % 2]),
            Code::CENTERSIZE => std::array::from_fn(|i| {
                let axis = i % 2;
                let center = encoded[axis] * size[axis] + (anchor[axis] + anchor[axis + 2]) * 0.5;
                let half = encoded[axis + 2].exp() * size[axis] * 0.5;
                if i < 2 { center - half } else { center + half }
            }),
        }
    }
    /// Appends the boxes of a class that remain, the best first.
    fn class(&self, image: usize, class: usize, kept: &mut Vec<(f32, usize, Corners)>) -> Result<()> {
        let mut order: Vec<(f32, usize)> = Vec::new();
        reserve(&mut order, self.count)?;
        let all = (0..self.count).map(|at| (self.score(image, class, at), at));
        order.extend(all.filter(|(score, _)| f64::from(*score) > self.op.confidence_threshold));
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        order.truncate(usize::try_from(self.op.top_k).unwrap_or(usize::MAX));
        check_pairwise(order.len(), order.len())?;
        let (first, mut most) = (kept.len(), self.op.nms_threshold as f32);
        reserve(kept, order.len())?;
        for (score, at) in order {
            let corners = self.corners(image, class, at);
            if kept[first..].iter().all(|k| !overlap(k.2, corners, most)) {
                kept.push((score, class, corners));
                if self.op.eta < 1.0 && most > 0.5 {
                    most *= self.op.eta as f32;
                }
            }
        }
        Ok(())
    }
}

/// Writes the boxes class by class; unused rows are filled with -1. If nothing is found, the first rows contain the image
/// indices.
pub(super) fn detection_output(op: DetectionOutput<Operand>) -> OpKernel {
    // Sorted scores, remaining boxes and rows, at most of every class.
    let scores = op.inputs.get(1).map_or(0, |s| s.ty.elements());
    OpKernel::with_workspace(all_reals() + numbers(scores, 16 + 32 + 28), move |t| {
        let (boxes, scores) = (t.reals(&op.inputs[0])?, t.reals(&op.inputs[1])?);
        let anchors = op.inputs.get(2).map(|a| t.reals(a)).transpose()?;
        let (images, most) = (op.inputs[0].ty.shape[0], op.keep_top_k as usize);
        let classes = op.num_classes as usize;
        let count = scores.len() / images / classes;
        let found = Detection { op: &op, boxes: &boxes, scores: &scores, anchors: anchors.as_deref(), count, classes };
        let mut rows: Vec<[f32; 7]> = Vec::new();
        let mut kept: Vec<(f32, usize, Corners)> = Vec::new();
        for image in 0..images {
            kept.clear();
            let wanted = (0..classes).filter(|c| *c as i64 != op.background_label_id);
            wanted.into_iter().try_for_each(|class| found.class(image, class, &mut kept))?;
            if kept.len() > most {
                kept.sort_by(|a, b| b.0.total_cmp(&a.0));
                kept.truncate(most);
                kept.sort_by_key(|k| k.1);
            }
            reserve(&mut rows, kept.len())?;
            rows.extend(
                kept.iter().map(|&(score, class, [a, b, c, d])| [image as f32, class as f32, score, a, b, c, d]),
            );
        }
        t.write(0, PostOp::default(), |out| {
            out.fill(-1.0);
            let flat = rows.as_flattened();
            out[..flat.len()].copy_from_slice(flat);
            if rows.is_empty() {
                out.chunks_mut(7).take(images).enumerate().for_each(|(i, row)| row[0] = i as f32);
            }
            Ok(())
        })
    })
}
