//! The one list of functions.
use super::{
    FunctionDef, activation, arithmetic, cast, compare, conv, familiar, gather, layout, matmul, norm, pool, reduce,
    select, sort,
};
use crate::base::{Cause, Result, nearest, shown};

/// Every function, by name.
static FUNCTIONS: [FunctionDef; 49] = [
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
    arithmetic::div(),
    compare::eq(),
    compare::eqs(),
    compare::ge(),
    activation::gelu(),
    compare::ges(),
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
    arithmetic::min(),
    arithmetic::mul(),
    compare::ne(),
    compare::nes(),
    layout::pad(),
    layout::permute(),
    reduce::reduce(),
    activation::relu(),
    cast::requant_int(),
    layout::reshape(),
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
pub fn functions() -> impl Iterator<Item = &'static FunctionDef> + Clone {
    FUNCTIONS.iter()
}

/// The function of that name.
///
/// # Errors
/// There is none; the nearest is suggested.
pub fn function_def(name: &str) -> Result<&'static FunctionDef> {
    FUNCTIONS.binary_search_by_key(&name, |f| f.name).map(|i| &FUNCTIONS[i]).map_err(|_| {
        let known = FUNCTIONS.iter().map(|f| f.name);
        let nearest = familiar::function(name, known.clone()).map(str::to_owned).or_else(|| nearest(name, known));
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
