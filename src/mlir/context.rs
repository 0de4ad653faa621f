use melior::{
    Context,
    dialect::{DialectHandle, DialectRegistry},
};

/// Creates a context with the dialects func and quant. The `top` ops stay unregistered: the op table defines them, and the
/// tool chain reads only the generic form.
pub(super) fn context() -> Context {
    let registry = DialectRegistry::new();
    for handle in [DialectHandle::func(), DialectHandle::quant()] {
        handle.insert_dialect(&registry);
    }
    let context = Context::new_with_threading(false);
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context.set_allow_unregistered_dialects(true);
    context
}
