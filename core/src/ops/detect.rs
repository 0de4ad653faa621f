//! Types of object detection: boxes that remain, and features of regions.
use super::{
    Nms, ROIPooling, RoiAlign, RoiExtractor,
    types::{Types, Value, of_dtype},
};
use crate::base::{Cause, Result, argument, invalid, misfit, shape_text};

/// The most cells or samples a side; each is a number of reads for every element.
const MOST_CELLS: i64 = 1 << 12;
const MOST_SAMPLES: i64 = 128;

/// As many rows as boxes can be kept.
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
        return Err(misfit(boxes.called, format!("is {}; expected batch x boxes x 4", shape_text(boxes.shape))));
    };
    let &[score_batch, classes, score_count] = scores.shape else {
        let found = shape_text(scores.shape);
        return Err(misfit(scores.called, format!("is {found}; expected batch x classes x boxes")));
    };
    if (score_batch, score_count) != (batch, count) {
        let expected = format!("expected {batch} x classes x {count}, a score for each box");
        return Err(misfit(scores.called, format!("is {}; {expected}", shape_text(scores.shape))));
    }
    let kept = usize::try_from(op.max_output_size).ok().filter(|n| *n > 0);
    let kept = kept.ok_or_else(|| argument("max_output_size", op.max_output_size, "expected at least 1"))?;
    if !(0..=1).contains(&op.center_point_box) {
        return Err(argument("center_point_box", op.center_point_box, "expected 0 (corners) or 1 (centre and size)"));
    }
    let rows = batch.checked_mul(classes).and_then(|n| n.checked_mul(kept.min(count)));
    of_dtype(vec![rows.ok_or_else(|| invalid("there are too many classes and boxes"))?, 3], boxes)
}

/// A side of so many cells.
fn cells(name: &str, count: i64) -> Result<usize> {
    let fits = (1..=MOST_CELLS).contains(&count);
    if fits { Ok(count as usize) } else { Err(argument(name, count, format!("expected 1 to {MOST_CELLS} cells"))) }
}

/// n x c x h x w.
fn check_features(features: &Value) -> Result<()> {
    if features.shape.len() == 4 {
        return Ok(());
    }
    let (found, expected) = (features.shape.len(), "n x c x h x w: 4".into());
    Err(Cause::Rank { argument: features.called.into(), found, expected }.into())
}

/// How many regions there are: rows of an image's index and two corners.
fn regions(rois: &Value) -> Result<usize> {
    match rois.shape {
        &[n, 5] => Ok(n),
        other => {
            let expected = "expected regions x 5: an image's index and two corners each";
            Err(misfit(rois.called, format!("is {}; {expected}", shape_text(other))))
        }
    }
}

fn check_samples(count: i64) -> Result<()> {
    let expected = || format!("expected 0, for one a pixel, to {MOST_SAMPLES} samples a side of a cell");
    if (0..=MOST_SAMPLES).contains(&count) { Ok(()) } else { Err(argument("sampling_ratio", count, expected())) }
}

/// A grid of cells of each region.
pub(super) fn roi_align(op: &RoiAlign<Value>) -> Types {
    check_features(&op.input)?;
    check_samples(op.sampling_ratio)?;
    let (height, width) = (cells("output_height", op.output_height)?, cells("output_width", op.output_width)?);
    of_dtype(vec![regions(&op.rois)?, op.input.shape[1], height, width], &op.input)
}

/// As of [`roi_align`]; the levels differ in height and width only.
pub(super) fn roi_extractor(op: &RoiExtractor<Value>) -> Types {
    let [first, rest @ ..] = op.inputs.as_slice() else {
        return Err(invalid("it has no features"));
    };
    if op.num_levels != op.inputs.len() as i64 {
        let expected = format!("expected {}, one for each tensor of features", op.inputs.len());
        return Err(argument("num_levels", op.num_levels, expected));
    }
    if op.spatial_scales.len() != op.inputs.len() {
        let expected = format!("expected {}, one a level", op.inputs.len());
        return Err(argument("spatial_scales", format!("a list of {}", op.spatial_scales.len()), expected));
    }
    check_features(first)?;
    for level in rest {
        check_features(level)?;
        if level.shape[..2] != first.shape[..2] || level.dtype != first.dtype {
            let expected = format!("the first level is {}; all have its dtype, batch and channels", first.text());
            return Err(misfit(level.called, format!("is {}; {expected}", level.text())));
        }
    }
    check_samples(op.sampling_ratio)?;
    let count = regions(&op.rois)?;
    if op.target_lvls.shape != [count] {
        let problem = format!("is {}; expected {count}, a level for each region", shape_text(op.target_lvls.shape));
        return Err(misfit(op.target_lvls.called, problem));
    }
    let (height, width) = (cells("output_height", op.output_height)?, cells("output_width", op.output_width)?);
    of_dtype(vec![count, first.shape[1], height, width], first)
}

/// A grid of cells of each region; the regions are n x 1 x regions x 5.
pub(super) fn roi_pooling(op: &ROIPooling<Value>) -> Types {
    let [features, rois] = op.inputs.as_slice() else {
        return Err(invalid(format!("it has {} inputs; expected features and regions", op.inputs.len())));
    };
    check_features(features)?;
    let &[batch, 1, count, 5] = rois.shape else {
        let expected = "expected n x 1 x regions x 5: an image's index and two corners each";
        return Err(misfit(rois.called, format!("is {}; {expected}", shape_text(rois.shape))));
    };
    let regions = batch.checked_mul(count).ok_or_else(|| invalid("there are too many regions"))?;
    let (height, width) = (cells("pooled_h", op.pooled_h)?, cells("pooled_w", op.pooled_w)?);
    of_dtype(vec![regions, features.shape[1], height, width], features)
}
