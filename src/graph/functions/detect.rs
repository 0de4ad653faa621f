//! `nms`, `roiExtractor`.
#![allow(non_snake_case, reason = "TpuLang's names")]
use super::{Operands, argument::StringEnum, dtypes::FLOATS, function, lowering::Lowering, steps::Steps};
use crate::{
    Operand, Tensor,
    array::Array,
    base::{Cause, OneOrMany, Result, argument, misfit, shape_text},
    ops::{self, RoiAlignMode},
};

/// Format of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoxFormat {
    /// Center x and y, width and height.
    Pytorch,
    /// Two opposite corners: y, x, y, x.
    Tensorflow,
}
impl StringEnum for BoxFormat {
    const NAME: &'static str = "box format";
    fn words() -> Vec<(Self, &'static str)> {
        vec![(BoxFormat::Pytorch, "PYTORCH"), (BoxFormat::Tensorflow, "TENSORFLOW")]
    }
}

/// Input format of `roiExtractor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtractorMode {
    /// Regions are rows of 5: an image's index and two corners.
    DynFuse,
    /// Regions are rows of 7; entries 2 to 5 are two corners. There is a single image.
    DynNormal,
}
impl StringEnum for ExtractorMode {
    const NAME: &'static str = "mode";
    fn words() -> Vec<(Self, &'static str)> {
        vec![(ExtractorMode::DynFuse, "DynFuse"), (ExtractorMode::DynNormal, "DynNormal")]
    }
}

function! {
    Nms -> Tensor {
        "batch x n x 4; float32 or float16." boxes: Operand,
        "batch x classes x n, of the same dtype." scores: Operand,
        ;
        "Center and size (`PYTORCH`), or two corners (`TENSORFLOW`)." box_format: BoxFormat = BoxFormat::Pytorch,
        "Maximum number of boxes kept per class, at least 1." max_box_num_per_class: i64 = 1i64,
    }
    nms: "Non-maximum suppression. Keeps, per class and in descending order of score, the boxes with a score above 0.5 whose intersection over union with each kept box is at most 0.5. A row of the result is batch, class, box. The result has batch x classes x min(max_box_num_per_class, n) rows; unused rows hold -1 (the chip returns fewer rows instead).",
        example |g, x, i| {
            let boxes = g.input("boxes", Dtype::Float32, [1, 20, 4])?;
            let scores = g.input("scores", Dtype::Float32, [1, 3, 20])?;
            let y = boxes.nms(scores).max_box_num_per_class(5).call()?;
            assert_eq!(y.shape()?, [15, 3]);
        },
        => |args, to| args.lower(to);
}

function! {
    RoiExtractor -> Tensor {
        "Regions x 5 or 7, as mode says; float32 or float16." rois: Operand,
        "The level of each region, from 0." target_lvls: Operand,
        "The levels of a feature pyramid, each n x c x h x w, with the same n and c." feats: Operands,
        "Vertical cells per region." PH: i64,
        "Horizontal cells per region." PW: i64,
        "Samples per side of a cell, at most 128; with `DynNormal`, 0 means one per pixel." sampling_ratio: i64,
        "Image pixels per pixel of each level, along an axis." list_spatial_scale: OneOrMany<f64>,
        "Number of levels used, counted from the first: 1 to 5." num_layer: i64,
        ;
        "Required. Format of the regions." mode: ExtractorMode,
        "Number of regions; must match if given." max_roi_num: i64,
    }
    roiExtractor: "Features of regions, regions x c x PH x PW: each region is divided into cells on its level, and a cell is the mean of its linearly interpolated samples (RoiAlign).",
        example |g, x, i| {
            let rois = g.input("rois", Dtype::Float32, [10, 5])?;
            let levels = g.input("levels", Dtype::Int32, [10])?;
            let half = g.input("half", Dtype::Float32, [1, 3, 4, 4])?;
            let y = rois.roiExtractor(levels, [x, half], 7, 7, 2, vec![1.0, 2.0], 2).mode(functions::args::ExtractorMode::DynFuse).call()?;
            assert_eq!(y.shape()?, [10, 3, 7, 7]);
        },
        => |args, to| args.lower(to);
}

fn rank(to: &Lowering, name: &str, operand: &Operand, expected: usize, what: &str) -> Result<()> {
    let found = to.info(operand)?.shape.len();
    if found == expected {
        return Ok(());
    }
    Err(Cause::Rank { argument: name.into(), found, expected: format!("{what}: {expected}") }.into())
}

impl Nms {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        rank(to, "boxes", &self.boxes, 3, "batch x n x 4")?;
        rank(to, "scores", &self.scores, 3, "batch x classes x n")?;
        to.dtype("boxes", &self.boxes, FLOATS)?;
        to.same_dtype(("boxes", &self.boxes), ("scores", &self.scores))?;
        let inputs = vec![to.tensor(&self.boxes)?, to.tensor(&self.scores)?];
        let center = i64::from(self.box_format() == BoxFormat::Pytorch);
        let op = ops::Nms::new(inputs, center, self.max_box_num_per_class());
        to.rename_in_errors(&[("max_output_size", "max_box_num_per_class")]).emit(op)
    }
}

impl RoiExtractor {
    fn lower(&self, to: &mut Lowering) -> Result<Vec<Tensor>> {
        to.dtype("rois", &self.rois, FLOATS)?;
        let Some(mode) = self.mode else {
            return Err(misfit("mode", "is missing; expected DynFuse or DynNormal"));
        };
        let (levels, scales) = (self.levels()?, self.scales()?);
        if mode == ExtractorMode::DynFuse && self.sampling_ratio < 1 {
            return Err(argument("sampling_ratio", self.sampling_ratio, "with DynFuse it must be at least 1"));
        }
        let regions = to.info(&self.target_lvls)?.shape.first().copied().unwrap_or(1);
        if let Some(n) = self.max_roi_num.filter(|n| *n != 0 && *n != regions as i64) {
            return Err(argument(
                "max_roi_num",
                n,
                format!("target_lvls has {regions} regions; the two must be equal"),
            ));
        }
        let inputs = levels.iter().map(|level| to.tensor(level)).collect::<Result<Vec<_>>>()?;
        let rois = match mode {
            ExtractorMode::DynFuse => to.tensor(&self.rois)?,
            ExtractorMode::DynNormal => self.corners(to)?,
        };
        let (lvls, count, ratio) = (to.tensor(&self.target_lvls)?, inputs.len() as i64, self.sampling_ratio);
        let avg = RoiAlignMode::Avg;
        let op = ops::RoiExtractor::new(rois, lvls, inputs, false, false, avg, count, self.PH, self.PW, ratio, scales);
        to.rename_in_errors(&[("output_height", "PH"), ("output_width", "PW")]).emit(op)
    }
    /// Returns the levels that are used.
    fn levels(&self) -> Result<&[Operand]> {
        let most = self.feats.0.len().min(5);
        match usize::try_from(self.num_layer) {
            Ok(n) if (1..=most).contains(&n) => Ok(&self.feats.0[..n]),
            _ => {
                let expected = format!("expected 1 to {most}; there are {} levels in feats", self.feats.0.len());
                Err(argument("num_layer", self.num_layer, expected))
            }
        }
    }
    fn scales(&self) -> Result<Vec<f64>> {
        let (given, count) = (self.list_spatial_scale.to_vec(), self.num_layer as usize);
        if given.len() < count {
            let expected = format!("expected {count}, one per level");
            return Err(argument("list_spatial_scale", format!("a list of {}", given.len()), expected));
        }
        if let Some(bad) = given.iter().find(|s| !(**s > 0.0 && s.is_finite())) {
            return Err(argument("list_spatial_scale", format!("{bad:?}"), "expected positive numbers"));
        }
        Ok(given[..count].iter().map(|s| 1.0 / s).collect())
    }
    /// Converts rows of 7 to rows of 5, of image 0. One operator then processes the regions of all levels, since the number
    /// of regions per level depends on values, and dimensions must not.
    fn corners(&self, to: &mut Lowering) -> Result<Tensor> {
        let (info, rois) = (to.info(&self.rois)?, to.tensor(&self.rois)?);
        let &[count, 7] = info.shape.as_slice() else {
            let problem = format!("is {}; with DynNormal expected regions x 7", shape_text(&info.shape));
            return Err(misfit("rois", problem));
        };
        let zeros = Array::filled(info.dtype, vec![count, 1], 0.0)?;
        let mut steps = Steps(to);
        let image = steps.0.constant("images", zeros)?;
        let corners = steps.part("Slice", rois, 2, 1, [2, 6])?;
        steps.concat("Concat", vec![image, corners], 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Dtype, Graph,
        functions::testing::{bad_calls, first_line as first},
    };

    #[test]
    fn shapes_and_mistakes() {
        let mut g = Graph::new("g").unwrap();
        let boxes = g.input("boxes", Dtype::Float32, [2, 6, 4]).unwrap();
        let scores = g.input("scores", Dtype::Float32, [2, 3, 6]).unwrap();
        let y = g.nms(boxes, scores).max_box_num_per_class(9).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, [36, 3]);
        assert_eq!(
            first(g.nms(boxes, scores).max_box_num_per_class(0).call().unwrap_err()),
            "nms (ops[1]): max_box_num_per_class is 0; expected at least 1"
        );
        assert_eq!(
            first(g.nms(scores, boxes).call().unwrap_err()),
            "nms (ops[1]): boxes is 2x3x6; expected batch x boxes x 4"
        );
        let rois = g.input("rois", Dtype::Float32, [8, 7]).unwrap();
        let levels = g.input("levels", Dtype::Int32, [8]).unwrap();
        let a = g.input("a", Dtype::Float32, [1, 5, 8, 8]).unwrap();
        let b = g.input("b", Dtype::Float32, [1, 5, 4, 4]).unwrap();
        let y = g.roiExtractor(rois, levels, [a, b], 2, 3, 0, vec![4.0, 8.0], 2).mode(ExtractorMode::DynNormal);
        let y = y.max_roi_num(8).call().unwrap();
        assert_eq!(g.tensor(y).unwrap().shape, [8, 5, 2, 3]);
        let call = |g: &mut Graph, layers: i64, scale: f64, cells: i64| {
            let call = g.roiExtractor(rois, levels, [a, b], cells, 3, 1, scale, layers);
            first(call.mode(ExtractorMode::DynFuse).call().unwrap_err())
        };
        assert_eq!(
            call(&mut g, 1, 4.0, 2),
            "roiExtractor (ops[2]): rois is 8x7; expected regions x 5: an image's index and two corners each"
        );
        assert_eq!(
            call(&mut g, 3, 4.0, 2),
            "roiExtractor (ops[2]): num_layer is 3; expected 1 to 2; there are 2 levels in feats"
        );
        assert_eq!(
            call(&mut g, 2, 4.0, 2),
            "roiExtractor (ops[2]): list_spatial_scale is a list of 1; expected 2, one per level"
        );
        assert_eq!(
            call(&mut g, 1, 0.0, 2),
            "roiExtractor (ops[2]): list_spatial_scale is 0.0; expected positive numbers"
        );
    }

    #[test]
    fn bad_calls_are_told() {
        bad_calls(
            "detect",
            &[
                r#"{"op": "nms", "args": {"boxes": "x", "scores": "x"}, "out": "y"}"#,
                r#"{"op": "nms", "args": {"boxes": "x", "scores": "x", "box_format": "pytorch"}, "out": "y"}"#,
                r#"{"op": "roiExtractor", "args": {"rois": "x", "target_lvls": "v", "feats": ["x"], "PH": 7, "PW": 7, "sampling_ratio": 2, "list_spatial_scale": 4, "num_layer": 1}, "out": "y"}"#,
                r#"{"op": "roiExtractor", "args": {"rois": "x", "target_lvls": "v", "feats": ["x"], "PH": 7, "PW": 7, "sampling_ratio": 2, "list_spatial_scale": 4, "num_layer": 1, "mode": "StaticFuse"}, "out": "y"}"#,
                r#"{"op": "roiExtractor", "args": {"rois": "x", "target_lvls": "v", "feats": ["x"], "PH": 7, "PW": 7, "sampling_ratio": 0, "list_spatial_scale": 4, "num_layer": 1, "mode": "DynFuse"}, "out": "y"}"#,
                r#"{"op": "roiExtractor", "args": {"rois": "x", "target_lvls": "v", "feats": ["x"], "PH": 7, "PW": 7, "sampling_ratio": 2, "list_spatial_scale": 4, "num_layer": 1, "mode": "DynFuse", "max_roi_num": 9}, "out": "y"}"#,
                r#"{"op": "roiExtractor", "args": {"rois": "x", "target_lvls": "v", "feats": ["x"], "PH": 7, "PW": 7, "sampling_ratio": 2, "list_spatial_scale": 4, "num_layer": 1, "mode": "DynNormal"}, "out": "y"}"#,
            ],
        );
    }
}
