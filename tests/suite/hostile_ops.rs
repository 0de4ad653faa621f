//! Every op of the table with unlikely operands and attributes is rejected or run, and never panics.
use super::{SplitMix, drawn, exercise, limits::passed_alone};
use proptest::{prelude::*, test_runner::RngSeed};

/// Runs `PROPTEST_CASES` random cases; by default a few fixed ones, so that a failure is due to the change under test.
fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").is_ok();
    let few = ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(6000) };
    ProptestConfig { failure_persistence: None, ..if asked { ProptestConfig::default() } else { few } }
}

proptest! {
    #![proptest_config(cases())]

    fn any_op(seed in any::<u64>()) {
        let mut numbers = SplitMix(seed);
        let d = &mut drawn::Draw { source: &mut |n| (numbers.next() % n as u64) as usize };
        if let Some(g) = drawn::graph(d).filter(exercise::is_small) {
            if d.one_in(20) {
                exercise::write_and_read(&g);
            }
            drawn::run(d, &g);
        }
    }
}

#[test]
fn any_op_is_refused_or_runs() {
    if !passed_alone("hostile_ops::any_op_is_refused_or_runs", 20 + u64::from(cases().cases) / 200) {
        any_op();
    }
}
