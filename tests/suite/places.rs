//! Where files cannot be written, the old ones stay.
use super::cli::tpulang;
use std::{fs, path::Path};

const SPEC: &str = "examples/patterns/patterns.json";

fn pair(dir: &Path) -> (Vec<u8>, Vec<u8>) {
    (
        fs::read(dir.join("patterns_origin.mlir")).unwrap(),
        fs::read(dir.join("patterns_TOP_F32_all_weight.npz")).unwrap(),
    )
}

#[test]
fn a_folder_in_the_way_is_told() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("patterns_origin.mlir")).unwrap();
    let out = tpulang(&["convert", SPEC, "-o", dir.path().to_str().unwrap()]);
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(text.contains("it is a folder, not a file") && out.status.code() == Some(2), "{text}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left over");
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let out = tpulang(&["convert", SPEC, "-o", file.join("below").to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(2));
}

/// /dev/full is a full disk; a limit on file sizes is one that strikes half-way.
#[test]
fn a_full_disk_leaves_the_old_pair() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    assert!(tpulang(&["convert", SPEC, "-o", path]).status.success());
    let old = pair(dir.path());
    let command = format!("ulimit -f 1; trap '' XFSZ; exec {} convert {SPEC} -o {path}", env!("CARGO_BIN_EXE_tpulang"));
    let out = std::process::Command::new("bash").args(["-c", &command]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("File too large"), "{text}");
    assert_eq!(pair(dir.path()), old);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left over");
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_leaves_the_old_pair() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().to_str().unwrap();
    assert!(tpulang(&["convert", SPEC, "-o", path]).status.success());
    let old = pair(dir.path());
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write there all the same.
    if fs::write(dir.path().join("probe"), "").is_err() {
        let out = tpulang(&["convert", SPEC, "-o", path]);
        assert_eq!(out.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&out.stderr).contains("ermission denied"));
    }
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(pair(dir.path()), old);
}
