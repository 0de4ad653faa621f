//! Features of regions, and prior boxes.
use super::{
    builder::{Builder, arguments},
    formula::PostOp,
    geometry,
    slot::Slot,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::{Operand, semantics},
    ops::{PriorBox, ROIPooling, RoiAlign, RoiAlignMode, RoiExtractor},
};

const FILE: File = file!("detect.cu");

/// Parameters shared by the region alignments.
struct Align {
    regions: Slot,
    /// The level of each region, out of `level_count`; not read if that is 0.
    levels: Slot,
    level_count: usize,
    to: Slot,
    samples: i64,
    aligned: bool,
    is_max: bool,
}

impl Align {
    /// Adds the launch for the regions of one level.
    fn launch(&self, b: &mut Builder, features: &Operand, level: usize, scale: f64) -> Result<()> {
        let (x, result) = (b.reals(features)?, b.result_type(0)?);
        let &[images, channels, height, width] = features.ty.shape.as_slice() else { return Ok(()) };
        let &[_, _, down, across] = result.shape.as_slice() else { return Ok(()) };
        let n = result.elements();
        let arguments = arguments![
            x,
            self.regions,
            self.levels,
            self.to,
            images,
            channels,
            height,
            width,
            down,
            across,
            self.samples,
            self.aligned,
            self.is_max,
            scale as f32,
            level,
            self.level_count,
            b.faults()?,
            n
        ];
        b.launch(FILE, "roi_align", geometry::elements(n as u64), arguments)
    }
}

pub(super) fn roi_align(op: &RoiAlign<Operand>, b: &mut Builder) -> Result<()> {
    let (regions, to) = (b.reals(&op.rois)?, b.real_result(0)?);
    let align = Align {
        regions,
        levels: regions,
        level_count: 0,
        to,
        samples: op.sampling_ratio,
        aligned: op.align_corners,
        is_max: op.mode == RoiAlignMode::Max,
    };
    align.launch(b, &op.input, 0, op.spatial_scale)?;
    b.store(0, to, PostOp::default())
}

pub(super) fn roi_extractor(op: &RoiExtractor<Operand>, b: &mut Builder) -> Result<()> {
    let to = b.real_result(0)?;
    let align = Align {
        regions: b.reals(&op.rois)?,
        levels: b.reals(&op.target_lvls)?,
        level_count: op.inputs.len(),
        to,
        samples: op.sampling_ratio,
        aligned: op.align_corners,
        is_max: op.mode == RoiAlignMode::Max,
    };
    let each = op.inputs.iter().zip(&op.spatial_scales).enumerate();
    each.into_iter().try_for_each(|(level, (features, scale))| align.launch(b, features, level, *scale))?;
    b.store(0, to, PostOp::default())
}

pub(super) fn roi_pooling(op: &ROIPooling<Operand>, b: &mut Builder) -> Result<()> {
    let (x, regions, y) = (b.reals(&op.inputs[0])?, b.reals(&op.inputs[1])?, b.real_result(0)?);
    let &[images, channels, height, width] = op.inputs[0].ty.shape.as_slice() else { return Ok(()) };
    let (n, down, across) = (b.result_type(0)?.elements(), op.pooled_h, op.pooled_w);
    let scale = op.spatial_scale;
    let arguments = arguments![x, regions, y, images, channels, height, width, down, across, scale, b.faults()?, n];
    b.launch(FILE, "roi_pool", geometry::elements(n as u64), arguments)?;
    b.store(0, y, PostOp::default())
}

/// The boxes depend on sizes only, so they are constants.
pub(super) fn prior_box(op: &PriorBox<Operand>, b: &mut Builder) -> Result<()> {
    let boxes = b.constant(&semantics::prior_boxes(op)?)?;
    b.store(0, boxes, PostOp::default())
}
