//! The one list of functions.
use super::{
    FunctionDef, activation, arithmetic, attention, cast, compare, conv, deformable, detect, gather, image, layout,
    matmul, norm, pool, reduce, resize, select, sort,
};
use crate::base::{Cause, Result, nearest, shown};

/// Every function, by name.
static FUNCTIONS: [FunctionDef; 59] = [
    activation::abs(),
    arithmetic::add(),
    pool::avgpool2d(),
    norm::batch_norm(),
    cast::cast(),
    layout::concat(),
    select::cond_select(),
    conv::conv(),
    conv::conv_int(),
    conv::conv_quant(),
    conv::conv_v2(),
    deformable::deformable_attention(),
    arithmetic::div(),
    compare::eq(),
    compare::eqs(),
    compare::ge(),
    activation::gelu(),
    compare::ges(),
    compare::gt(),
    compare::gts(),
    gather::index_select(),
    resize::interpolate(),
    resize::interpolate_v2(),
    norm::layer_norm(),
    compare::le(),
    activation::leaky_relu(),
    compare::les(),
    compare::lt(),
    compare::lts(),
    matmul::matmul(),
    matmul::matmul_int(),
    arithmetic::max(),
    pool::maxpool2d(),
    attention::merger_matmul(),
    arithmetic::min(),
    arithmetic::mul(),
    deformable::multi_scale_deformable_attention(),
    compare::ne(),
    compare::nes(),
    detect::nms(),
    layout::pad(),
    layout::permute(),
    reduce::reduce(),
    activation::relu(),
    cast::requant_int(),
    layout::reshape(),
    detect::roiExtractor(),
    attention::rope(),
    attention::rot_pos_emb(),
    activation::sigmoid(),
    layout::slice(),
    activation::softmax(),
    layout::split(),
    layout::squeeze(),
    arithmetic::sub(),
    activation::tanh(),
    sort::topk(),
    layout::unsqueeze(),
    image::yuv2rgb(),
];

/// Every function, by name.
pub fn functions() -> impl Iterator<Item = &'static FunctionDef> {
    FUNCTIONS.iter()
}

/// The function of that name.
///
/// # Errors
/// There is none; the nearest is suggested.
pub fn function_def(name: &str) -> Result<&'static FunctionDef> {
    FUNCTIONS.binary_search_by_key(&name, |f| f.name).map(|i| &FUNCTIONS[i]).map_err(|_| {
        let nearest = nearest(name, FUNCTIONS.iter().map(|f| f.name));
        Cause::UnknownName { kind: "function", name: shown(name), nearest }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(FUNCTIONS.is_sorted_by_key(|f| f.name));
    }
}
