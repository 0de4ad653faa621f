//! Helpers of the families' tests.
use std::fmt::Write;
use tpulang::{Error, spec};

/// Returns the first line of a message, without the operands.
pub fn first_line(error: Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Compares the errors of wrong calls, in the form of a spec, with the family's snapshot. The spec declares the inputs `x`
/// (float32 1x3x8x8) and `i` (int8 1x3x8x8), and the coefficients `w` (float32 4x3x3x3), `v` (float32 3) and `k` (int8
/// 4x3x1x1).
pub fn bad_calls(family: &str, calls: &[&str]) {
    let mut all = String::new();
    for call in calls {
        let tensors = r#""x": {"shape": [1, 3, 8, 8]}, "i": {"dtype": "int8", "shape": [1, 3, 8, 8]},
            "w": {"shape": [4, 3, 3, 3], "coeff": true}, "v": {"shape": [3], "coeff": true},
            "k": {"dtype": "int8", "shape": [4, 3, 1, 1], "coeff": true}"#;
        let text = format!(
            "{{\"version\": 1, \"name\": \"net\", \"tensors\": {{{tensors}}}, \"inputs\": [\"x\", \"i\"],\n\"ops\": [\n{call}\n], \"outputs\": [\"y\"]}}"
        );
        let error = spec::from_text(&text, "spec.json", None).expect_err(call);
        let _ = writeln!(all, "{call}\n{error}\n");
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("bad_calls_{family}"), all));
}
