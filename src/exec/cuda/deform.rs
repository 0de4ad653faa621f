//! Deformable convolution: each tap of the kernel is sampled at an offset.
use super::{
    accumulation::AccumType,
    builder::{AccumKernel, Builder, arguments},
    conv::{ConvOperands, windows},
    float::Float,
    geometry,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::Operand,
    ops::{Convolution, DeformConv2D},
};

const FILE: File = file!("deform.cu");

/// Computes in real values, regardless of the operands' types.
pub(super) fn deform_conv2d(op: &DeformConv2D<Operand>, b: &mut Builder) -> Result<()> {
    let (x, positions) = (&op.input.ty.shape, &b.result_type(0)?.shape[2..]);
    let parts = ConvOperands::new([&op.input, &op.filter], &op.bias, (op.do_relu, op.relu_limit), op.group);
    let windows = windows(b, &Convolution::from(op).windows(x)?, &x[2..], positions)?;
    let (image, filter, shifts) = (b.reals(&op.input)?, b.reals(&op.filter)?, b.reals(&op.offset)?);
    let mask = op.mask.as_ref().filter(|_| op.use_mask);
    let factors = mask.map_or(Ok(shifts), |m| b.reals(m))?;
    let (sharing, pixels) = (x[1] / op.deform_group as usize, positions.iter().product::<usize>());
    let kind = AccumType::Float(Float::Single);
    let own = |_: &mut Builder| {
        let (images, has_mask) = (x[0], mask.is_some());
        let ConvOperands { group, ic, oc, .. } = parts;
        let of = arguments![image, filter, shifts, factors, windows];
        let sizes = arguments![images, group, ic, oc, sharing, has_mask];
        let geometry = geometry::products([oc as u64, pixels as u64], (images * group) as u64);
        Ok(AccumKernel {
            file: FILE,
            function: "deformable_convolution".into(),
            geometry,
            arguments: [&of[..], &sizes].concat(),
        })
    };
    parts.sums(b, kind)?.emit(b, [image, filter], |_, _, _, _| None, own)
}
