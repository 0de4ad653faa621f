//! Every op of the table with operands and attributes that nobody would write: refused or run, never a panic.
use super::{SplitMix, drawn, exercise};
use proptest::prelude::*;

/// `PROPTEST_CASES`, or as many as take a few seconds.
fn cases(few: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").is_ok();
    ProptestConfig {
        failure_persistence: None,
        ..if asked { ProptestConfig::default() } else { ProptestConfig::with_cases(few) }
    }
}

proptest! {
    #![proptest_config(cases(6000))]

    #[test]
    fn any_op_is_refused_or_runs(seed in any::<u64>()) {
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
