//! Integration tests, from the user's point of view.
mod backends;
mod bad_input;
mod bisecting;
mod book;
mod calibrate;
mod cases;
mod cli;
mod comparing;
mod complete;
mod control_flow;
#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "cuda")]
mod cuda_buffers;
#[cfg(feature = "cuda")]
mod cuda_elements;
#[cfg(feature = "cuda")]
mod cuda_faults;
#[cfg(feature = "cuda")]
mod cuda_libraries;
#[cfg(feature = "cuda")]
mod cuda_networks;
#[cfg(feature = "cuda")]
mod cuda_numbers;
#[cfg(feature = "cuda")]
mod cuda_ops;
mod definitions;
mod deploying;
mod documents;
mod drawn;
mod escapes;
mod exercise;
mod feeding;
mod golden;
mod gradients;
mod grammar;
mod hostile;
mod hostile_ops;
mod images;
mod language;
mod large;
mod layout;
mod legalize;
mod limits;
mod many;
mod mistakes;
mod models;
mod mutate;
mod networks;
#[cfg(feature = "onnx")]
mod onnx;
mod pair;
mod places;
mod readme;
mod roundtrip;
mod run_into;
mod show;
mod specs;
mod tables;
mod training;
mod warnings;

/// Compares with the snapshot `snapshots/NAME.snap`.
fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Asserts that two texts are equal; the message has the first lines that differ.
#[track_caller]
fn assert_same(found: &str, expected: &str) {
    if found != expected {
        let lines = |text: &str| text.lines().map(str::to_owned).chain(["(end)".to_owned()]).collect::<Vec<_>>();
        let (found, expected) = (lines(found), lines(expected));
        let at = found.iter().zip(&expected).position(|(a, b)| a != b).unwrap_or(found.len().min(expected.len()) - 1);
        panic!("line {} differs\n   found: {}\nexpected: {}", at + 1, found[at], expected[at]);
    }
}

/// Random numbers from a seed (SplitMix64).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
