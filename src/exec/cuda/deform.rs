//! Deformable convolution: each element of the kernel is sampled beside its place.
use super::{
    builder::{Builder, arguments},
    conv::{Parts, windows},
    geometry,
    matmul::sums_of_result,
    source::{File, file},
};
use crate::{
    base::Result,
    exec::{Operand, meaning::Factors},
    ops::{Convolution, DeformConv2D},
};

const FILE: File = file!("deform.cu");

/// In real numbers, whatever the operands are.
pub(super) fn deform_conv2d(op: &DeformConv2D<Operand>, b: &mut Builder) -> Result<()> {
    let (x, positions) = (&op.input.ty.shape, &b.result_type(0)?.shape[2..]);
    let parts = Parts::new([&op.input, &op.filter], &op.bias, (op.do_relu, op.relu_limit), op.group);
    let windows = windows(b, &Convolution::from(op).windows(x)?, &x[2..], positions)?;
    let (image, filter, shifts) = (b.reals(&op.input)?, b.reals(&op.filter)?, b.reals(&op.offset)?);
    let mask = op.mask.as_ref().filter(|_| op.use_mask);
    let factors = mask.map_or(Ok(shifts), |m| b.reals(m))?;
    let (sums, ty) = sums_of_result(b, Factors::Real, false)?;
    let (sharing, pixels) = (x[1] / op.deform_group as usize, positions.iter().product::<usize>());
    let arguments = arguments![
        image,
        filter,
        shifts,
        factors,
        sums,
        windows,
        x[0],
        parts.group,
        parts.ic,
        parts.oc,
        sharing,
        mask.is_some()
    ];
    let geometry = geometry::tiles([parts.oc as u64, pixels as u64], (x[0] * parts.group) as u64, [64, 64], 256);
    b.launch(FILE, "deformed", geometry, arguments)?;
    parts.store(b, (sums, ty), Factors::Real)
}
