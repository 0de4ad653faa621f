//! Integration tests: what a user meets.
mod arrows;
mod backends;
mod bad_input;
mod cases;
mod cli;
mod complete;
mod golden;
mod grammar;
mod hostile;
mod hostile_ops;
mod large;
mod many;
mod mutate;
mod networks;
mod pair;
mod places;
mod roundtrip;
mod schema;
mod specs;

/// Snapshots lie in `snapshots/`, one file a name.
fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
