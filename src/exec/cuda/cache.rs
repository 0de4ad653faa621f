//! The disk cache of compiled kernels, by a hash of their sources.
//!
//! A file ends with a checksum; a damaged one is ignored and replaced. Complete files are renamed into place, so any number
//! of processes may share a folder.
use crate::base::files;
use sha2::{Digest, Sha256};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The maximum size of a compiled kernel in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The environment variable that overrides the folder.
const VARIABLE: &str = "TPULANG_CACHE";

/// Returns the folder for compiled kernels: `$TPULANG_CACHE`, or `tpulang` in the user's cache folder. Returns `None`, which
/// disables the cache, if there is no such folder or it cannot be created.
pub(super) fn folder() -> Option<PathBuf> {
    let of_user = || {
        let own = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|p| p.is_absolute());
        own.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache"))).map(|p| p.join("tpulang"))
    };
    let folder = env::var_os(VARIABLE).map(PathBuf::from).or_else(of_user)?.join("kernels");
    fs::create_dir_all(&folder).ok()?;
    Some(folder)
}

/// Returns the hash of these texts, as a file name.
pub(super) fn hash<'t>(parts: impl IntoIterator<Item = &'t str>) -> String {
    let each = |digest: Sha256, part: &str| digest.chain_update((part.len() as u64).to_le_bytes()).chain_update(part);
    let digest = parts.into_iter().fold(Sha256::new(), each).finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a cached file, if it exists and is undamaged.
pub(super) fn read(folder: Option<&Path>, name: &str) -> Option<Vec<u8>> {
    let mut bytes = files::read(folder?.join(name), MAX_BYTES).ok()?;
    let at = bytes.len().checked_sub(32)?;
    let digest = bytes.split_off(at);
    (Sha256::digest(&bytes).as_slice() == digest).then_some(bytes)
}

/// Caches bytes under a name. Errors are ignored: the kernel is then compiled again next time.
pub(super) fn keep(folder: Option<&Path>, name: &str, bytes: &[u8]) {
    use std::io::Write;
    let Some(folder) = folder else { return };
    let path = folder.join(name);
    let written = files::replace(&path, |file| {
        let all = file.write_all(bytes).and_then(|()| file.write_all(&Sha256::digest(bytes)));
        all.map_err(crate::base::Error::io(&path))
    });
    drop(written);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let folder = Some(folder.path());
        assert_eq!(read(folder, "a"), None);
        keep(folder, "a", b"code");
        assert_eq!(read(folder, "a").as_deref(), Some(&b"code"[..]));
        let mut bytes = fs::read(&path).unwrap();
        bytes[1] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(read(folder, "a"), None, "one bit is another");
        fs::write(&path, b"short").unwrap();
        assert_eq!(read(folder, "a"), None, "it is cut");
        keep(folder, "a", b"new");
        assert_eq!(read(folder, "a").as_deref(), Some(&b"new"[..]));
        keep(Some(Path::new("/nowhere/at/all")), "a", b"code");
        keep(None, "a", b"code");
    }

    #[test]
    fn many_may_write_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = vec![7; 1 << 16];
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        keep(Some(folder.path()), "a", &bytes);
                        assert_eq!(read(Some(folder.path()), "a").as_ref(), Some(&bytes));
                    }
                });
            }
        });
    }
}
