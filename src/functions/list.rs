//! The one list of functions.
use super::{
    FunctionDef, activation, arithmetic, cast, compare, conv, deconv, gather, layout, matmul, norm, pool, reduce,
    select, sort,
};
use crate::base::{Cause, Result, nearest, shown};

/// Every function, by name.
static FUNCTIONS: [FunctionDef; 63] = [
    activation::abs(),
    arithmetic::add(),
    pool::avgpool2d(),
    pool::avgpool3d(),
    norm::batch_norm(),
    cast::cast(),
    layout::concat(),
    select::cond_select(),
    conv::conv(),
    conv::conv3d(),
    conv::conv3d_int(),
    conv::conv3d_quant(),
    conv::conv3d_v2(),
    conv::conv_int(),
    conv::conv_quant(),
    conv::conv_v2(),
    deconv::deconv(),
    deconv::deconv3d(),
    deconv::deconv_int(),
    deconv::deconv_v2(),
    arithmetic::div(),
    compare::eq(),
    compare::eqs(),
    compare::ge(),
    activation::gelu(),
    compare::ges(),
    norm::group_norm(),
    compare::gt(),
    compare::gts(),
    gather::index_select(),
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
    pool::maxpool2d_with_mask(),
    pool::maxpool3d(),
    arithmetic::min(),
    arithmetic::mul(),
    compare::ne(),
    compare::nes(),
    norm::normalize(),
    layout::pad(),
    layout::permute(),
    reduce::reduce(),
    activation::relu(),
    cast::requant_int(),
    layout::reshape(),
    norm::rms_norm(),
    activation::sigmoid(),
    layout::slice(),
    activation::softmax(),
    layout::split(),
    layout::squeeze(),
    arithmetic::sub(),
    activation::tanh(),
    sort::topk(),
    layout::unsqueeze(),
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
