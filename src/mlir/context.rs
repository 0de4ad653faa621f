use melior::{
    Context,
    dialect::{DialectHandle, DialectRegistry},
};

/// A context that knows func, quant and what `top` ops are made of. The ops themselves stay unregistered: their
/// definitions are our own table, and only the generic form is read by the tool chain.
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
