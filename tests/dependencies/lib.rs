//! What only tests depend on, as one package without code.
//!
//! Those crates switch on features of crates that the library uses as well. A package that depends on this one is therefore
//! built from what `cargo test` has compiled; otherwise Cargo would compile nearly everything again.
