//! A lock on a folder, so that a pair of files is neither written twice at once nor read while it is exchanged. It is on the
//! folder itself: nothing is left lying about, and it goes with the process.
use super::{Error, Result};
use std::{
    fs::{File, TryLockError},
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// Exchanging two files takes milliseconds, reading large weights seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Held until it is dropped. None where the folder cannot be locked (it may not be listed, or the file system has no
/// locks): then the pair is as safe as the order of its renames makes it.
pub struct Lock {
    _folder: Option<File>,
}

impl Lock {
    /// For whoever exchanges the pair.
    ///
    /// # Errors
    /// Others hold a lock for a minute.
    pub fn exclusive(folder: &Path) -> Result<Lock> {
        Self::new(folder, File::try_lock, PATIENCE)
    }
    /// For whoever reads it.
    ///
    /// # Errors
    /// Another writes for a minute.
    pub fn shared(folder: &Path) -> Result<Lock> {
        Self::new(folder, File::try_lock_shared, PATIENCE)
    }
    fn new(
        folder: &Path,
        lock: impl Fn(&File) -> std::result::Result<(), TryLockError>,
        patience: Duration,
    ) -> Result<Lock> {
        let Ok(opened) = File::open(folder) else { return Ok(Lock { _folder: None }) };
        let end = Instant::now() + patience;
        loop {
            match lock(&opened) {
                Ok(()) => return Ok(Lock { _folder: Some(opened) }),
                Err(TryLockError::Error(_)) => return Ok(Lock { _folder: None }),
                Err(TryLockError::WouldBlock) if Instant::now() > end => {
                    let problem = format!("another process has locked this folder for {} s", patience.as_secs());
                    return Err(Error::format(folder, problem));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(2)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_share_and_writers_wait() {
        let dir = tempfile::tempdir().unwrap();
        let brief = Duration::from_millis(20);
        let one = Lock::shared(dir.path()).unwrap();
        let two = Lock::shared(dir.path()).unwrap();
        let error = Lock::new(dir.path(), File::try_lock, brief).err().unwrap().to_string();
        assert!(error.ends_with("another process has locked this folder for 0 s"), "{error}");
        let path = dir.path().to_owned();
        let writer = thread::spawn(move || Lock::exclusive(&path).map(|_| ()));
        drop((one, two));
        writer.join().unwrap().unwrap();
    }
}
