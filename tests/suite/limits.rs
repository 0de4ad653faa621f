//! Processes with limits, for tests that might kill the process or never finish.
use std::{path::Path, process::Command};

const ALONE: &str = "TPULANG_TEST_ALONE";

/// Returns a command limited to 3 GB of address space and `seconds` of processor time.
pub fn limited(seconds: u64, program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v 3000000; ulimit -t {seconds}; exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(program).args(arguments);
    command
}

/// Runs the test `test` again in its own limited process. Returns true if it passed there, and false inside that process,
/// where the test continues.
pub fn passed_alone(test: &str, seconds: u64) -> bool {
    passed_alone_with(test, seconds, &[])
}

/// Like [`passed_alone`], with environment variables.
pub fn passed_alone_with(test: &str, seconds: u64, variables: &[(&str, &Path)]) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return false;
    }
    let this = std::env::current_exe().unwrap();
    let out = limited(seconds, &this, &[test, "--exact", "--nocapture", "--include-ignored"])
        .env(ALONE, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let said = [out.stdout, out.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(out.status.success() && said[0].contains("1 passed"), "{test}: {}\n{}", out.status, said.concat());
    true
}
