//! Type rules of object detection: selection of boxes, and features of regions.
use super::{
    DetectionOutput, FrcnDetection, Nms, PriorBox, Proposal, ROIPooling, RoiAlign, RoiExtractor, YoloDetection,
    types::{Types, Value, of_dtype},
};
use crate::base::{Cause, Result, argument, invalid, misfit, shape_text};

/// Maximum number of cells or samples per side. Each adds reads for every element.
const MAX_CELLS: i64 = 1 << 12;
const MAX_SAMPLES: i64 = 128;

/// Returns one row per box that can be kept.
pub(super) fn nms(op: &Nms<Value>) -> Types {
    let (boxes, scores) = match op.inputs.as_slice() {
        [boxes, scores] => (boxes, scores),
        [boxes, scores, numbers @ ..] if numbers.len() <= 3 => {
            numbers.iter().try_for_each(|n| n.expect_elements(1, "a number"))?;
            (boxes, scores)
        }
        other => {
            let expected = "boxes and scores, then at most count, overlap and score";
            return Err(invalid(format!("it has {} inputs; expected {expected}", other.len())));
        }
    };
    let &[batch, count, 4] = boxes.shape else {
        return Err(misfit(boxes.display_name, format!("is {}; expected batch x boxes x 4", shape_text(boxes.shape))));
    };
    let &[score_batch, classes, score_count] = scores.shape else {
        let found = shape_text(scores.shape);
        return Err(misfit(scores.display_name, format!("is {found}; expected batch x classes x boxes")));
    };
    if (score_batch, score_count) != (batch, count) {
        let expected = format!("expected {batch} x classes x {count}, a score for each box");
        return Err(misfit(scores.display_name, format!("is {}; {expected}", shape_text(scores.shape))));
    }
    let kept = usize::try_from(op.max_output_size).ok().filter(|n| *n > 0);
    let kept = kept.ok_or_else(|| argument("max_output_size", op.max_output_size, "expected at least 1"))?;
    if !(0..=1).contains(&op.center_point_box) {
        return Err(argument("center_point_box", op.center_point_box, "expected 0 (corners) or 1 (center and size)"));
    }
    let rows = batch.checked_mul(classes).and_then(|n| n.checked_mul(kept.min(count)));
    of_dtype(vec![rows.ok_or_else(|| invalid("there are too many classes and boxes"))?, 3], boxes)
}

/// Checks the number of cells along an axis.
fn cells(name: &str, count: i64) -> Result<usize> {
    let fits = (1..=MAX_CELLS).contains(&count);
    if fits { Ok(count as usize) } else { Err(argument(name, count, format!("expected 1 to {MAX_CELLS} cells"))) }
}

/// Checks that features are n x c x h x w.
fn check_features(features: &Value) -> Result<()> {
    if features.shape.len() == 4 {
        return Ok(());
    }
    let (found, expected) = (features.shape.len(), "n x c x h x w: 4".into());
    Err(Cause::Rank { argument: features.display_name.into(), found, expected }.into())
}

/// Returns the number of regions. Each is a row: the image's index and two corners.
fn regions(rois: &Value) -> Result<usize> {
    match rois.shape {
        &[n, 5] => Ok(n),
        other => {
            let expected = "expected regions x 5: an image's index and two corners each";
            Err(misfit(rois.display_name, format!("is {}; {expected}", shape_text(other))))
        }
    }
}

fn check_samples(count: i64) -> Result<()> {
    let expected = || format!("expected 0, for one per pixel, to {MAX_SAMPLES} samples per side of a cell");
    if (0..=MAX_SAMPLES).contains(&count) { Ok(()) } else { Err(argument("sampling_ratio", count, expected())) }
}

/// Returns a grid of cells for each region.
pub(super) fn roi_align(op: &RoiAlign<Value>) -> Types {
    check_features(&op.input)?;
    check_samples(op.sampling_ratio)?;
    let (height, width) = (cells("output_height", op.output_height)?, cells("output_width", op.output_width)?);
    of_dtype(vec![regions(&op.rois)?, op.input.shape[1], height, width], &op.input)
}

/// Like [`roi_align`], for levels that differ only in height and width.
pub(super) fn roi_extractor(op: &RoiExtractor<Value>) -> Types {
    let [first, rest @ ..] = op.inputs.as_slice() else {
        return Err(invalid("it has no features"));
    };
    if op.num_levels != op.inputs.len() as i64 {
        let expected = format!("expected {}, one for each tensor of features", op.inputs.len());
        return Err(argument("num_levels", op.num_levels, expected));
    }
    if op.spatial_scales.len() != op.inputs.len() {
        let expected = format!("expected {}, one per level", op.inputs.len());
        return Err(argument("spatial_scales", format!("a list of {}", op.spatial_scales.len()), expected));
    }
    check_features(first)?;
    for level in rest {
        check_features(level)?;
        if level.shape[..2] != first.shape[..2] || level.dtype != first.dtype {
            let expected = format!("the first level is {}; all have its dtype, batch and channels", first.text());
            return Err(misfit(level.display_name, format!("is {}; {expected}", level.text())));
        }
    }
    check_samples(op.sampling_ratio)?;
    let count = regions(&op.rois)?;
    if op.target_lvls.shape != [count] {
        let problem = format!("is {}; expected {count}, a level for each region", shape_text(op.target_lvls.shape));
        return Err(misfit(op.target_lvls.display_name, problem));
    }
    let (height, width) = (cells("output_height", op.output_height)?, cells("output_width", op.output_width)?);
    of_dtype(vec![count, first.shape[1], height, width], first)
}

/// Returns a grid of cells for each region; the regions are n x 1 x regions x 5.
pub(super) fn roi_pooling(op: &ROIPooling<Value>) -> Types {
    let [features, rois] = op.inputs.as_slice() else {
        return Err(invalid(format!("it has {} inputs; expected features and regions", op.inputs.len())));
    };
    check_features(features)?;
    let &[batch, 1, count, 5] = rois.shape else {
        let expected = "expected n x 1 x regions x 5: an image's index and two corners each";
        return Err(misfit(rois.display_name, format!("is {}; {expected}", shape_text(rois.shape))));
    };
    let regions = batch.checked_mul(count).ok_or_else(|| invalid("there are too many regions"))?;
    let (height, width) = (cells("pooled_h", op.pooled_h)?, cells("pooled_w", op.pooled_w)?);
    of_dtype(vec![regions, features.shape[1], height, width], features)
}

/// Returns the number of rows of a detection: the maximum number of boxes kept.
fn rows(name: &str, kept: i64) -> Result<usize> {
    let rows = usize::try_from(kept).ok().filter(|n| *n > 0);
    rows.ok_or_else(|| argument(name, kept, "expected at least 1, the rows of the result"))
}

/// Returns the operands of an op with a fixed number of them.
fn inputs<'v, 'a, const N: usize>(all: &'v [Value<'a>], expected: &str) -> Result<&'v [Value<'a>; N]> {
    all.try_into().map_err(|_| invalid(format!("it has {} inputs; expected {expected}", all.len())))
}

/// Returns the dimensions of an n x c x h x w tensor.
fn planes(t: &Value) -> Result<[usize; 4]> {
    check_features(t)?;
    Ok([t.shape[0], t.shape[1], t.shape[2], t.shape[3]])
}

fn product(dims: &[usize]) -> Result<usize> {
    let n = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    n.ok_or_else(|| invalid("there are too many boxes"))
}

/// Returns 1 x 2 x (4 x boxes), the corners of all boxes.
pub(super) fn prior_box(op: &PriorBox<Value>) -> Types {
    let [features, image] = inputs(&op.inputs, "features and the image")?;
    let ([_, _, height, width], _) = (planes(features)?, planes(image)?);
    if op.variance.len() != 4 {
        return Err(argument("variance", format!("a list of {}", op.variance.len()), "expected 4"));
    }
    if !op.max_size.is_empty() && op.max_size.len() != op.min_size.len() {
        let found = format!("a list of {}", op.max_size.len());
        return Err(argument("max_size", found, format!("expected {}, as of min_size, or none", op.min_size.len())));
    }
    let of_size = op.aspect_ratios.iter().filter(|r| !is_square(**r)).count()
        + usize::from(op.use_default_aspect_ratio)
        + usize::from(!op.max_size.is_empty());
    let boxes = product(&[of_size, op.min_size.len()])?;
    if boxes == 0 || op.num_priors != boxes as i64 {
        let expected = format!("the sizes and ratios give {boxes} boxes per position; expected one");
        return Err(argument("num_priors", op.num_priors, expected));
    }
    of_dtype(vec![1, 2, product(&[height, width, boxes, 4])?], features)
}

/// Returns whether an aspect ratio is 1, which the default box already covers.
pub fn is_square(ratio: f64) -> bool {
    (ratio - 1.0).abs() < 1e-6
}

/// Returns n x 1 x rows x 7: image, class, score and corners. With three inputs, boxes are relative to anchors; with two,
/// absolute.
pub(super) fn detection_output(op: &DetectionOutput<Value>) -> Types {
    let (boxes, scores, anchors) = match op.inputs.as_slice() {
        [boxes, scores] => (boxes, scores, None),
        [boxes, scores, anchors] => (boxes, scores, Some(anchors)),
        other => {
            let expected = "boxes, scores and, for boxes relative to anchors, the anchors";
            return Err(invalid(format!("it has {} inputs; expected {expected}", other.len())));
        }
    };
    let Some(&n) = boxes.shape.first() else {
        return Err(misfit(boxes.display_name, "has no axis; expected images x boxes x 4"));
    };
    let classes = rows("num_classes", op.num_classes)?;
    let count = match anchors {
        Some(anchors) => match anchors.shape {
            [1, 2, corners] if corners % 4 == 0 => corners / 4,
            other => {
                let expected = "expected 1 x 2 x 4 for each box: the anchors, then their variances";
                return Err(misfit(anchors.display_name, format!("is {}; {expected}", shape_text(other))));
            }
        },
        None => boxes.elements() / n / 4 / if op.share_location { 1 } else { classes },
    };
    let sets = if op.share_location { 1 } else { classes };
    boxes.expect_elements(product(&[n, count, sets, 4])?, "4 for each box of each image")?;
    scores.expect_elements(product(&[n, count, classes])?, "one for each box and class of each image")?;
    of_dtype(vec![n, 1, rows("keep_top_k", op.keep_top_k)?, 7], boxes)
}

/// Returns n x 1 x rows x 5: image and corners.
pub(super) fn proposal(op: &Proposal<Value>) -> Types {
    let [scores, deltas] = inputs(&op.inputs, "scores and differences")?;
    let ([n, channels, height, width], [_, of_deltas, ..]) = (planes(scores)?, planes(deltas)?);
    let anchors = 9;
    if channels != 2 * anchors {
        let problem = format!("has {channels} channels; expected {}, two for each of {anchors} anchors", 2 * anchors);
        return Err(misfit(scores.display_name, problem));
    }
    if of_deltas != 4 * anchors || deltas.shape != [n, of_deltas, height, width] {
        let expected = shape_text(&[n, 4 * anchors, height, width]);
        return Err(misfit(deltas.display_name, format!("is {}; expected {expected}", shape_text(deltas.shape))));
    }
    if !(1..=1 << 20).contains(&op.anchor_base_size) {
        return Err(argument("anchor_base_size", op.anchor_base_size, "expected 1 to 2^20 pixels"));
    }
    of_dtype(vec![n, 1, rows("rpn_nms_post_top_n", op.rpn_nms_post_top_n)?, 5], scores)
}

/// Returns n x 1 x rows x 6: corners, class and score.
pub(super) fn frcn_detection(op: &FrcnDetection<Value>) -> Types {
    let [deltas, scores, rois] = inputs(&op.inputs, "differences, scores and regions")?;
    let &[n, 1, count, 5] = rois.shape else {
        let expected = "expected n x 1 x regions x 5: an image's index and two corners each";
        return Err(misfit(rois.display_name, format!("is {}; {expected}", shape_text(rois.shape))));
    };
    let classes = rows("class_num", op.class_num)?;
    deltas.expect_elements(product(&[n, count, classes, 4])?, "4 for each region and class")?;
    scores.expect_elements(product(&[n, count, classes])?, "one for each region and class")?;
    of_dtype(vec![n, 1, rows("keep_topk", op.keep_topk)?, 6], rois)
}

/// Returns n x 1 x rows x 6: center, size, class and score. For several images, each row begins with the image's index.
pub(super) fn yolo_detection(op: &YoloDetection<Value>) -> Types {
    let Some(first) = op.inputs.first() else {
        return Err(invalid("it has no inputs; expected features"));
    };
    let Some(&n) = first.shape.first() else {
        return Err(misfit(first.display_name, "has no axis; expected features of images"));
    };
    of_dtype(vec![n, 1, rows("keep_topk", op.keep_topk)?, if n == 1 { 6 } else { 7 }], first)
}
