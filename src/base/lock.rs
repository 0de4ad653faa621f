//! A lock on a folder, so that only one process replaces a pair of files, and none reads it meanwhile. The folder itself is
//! locked, so there is no lock file, and the lock ends with the process.
use super::{Error, Result};
use std::{
    fs::{File, TryLockError},
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// Maximum time to wait. Replacing two files takes milliseconds, reading large weights seconds.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A lock that is held until it is dropped.
///
/// It is empty if the folder cannot be locked (it is not readable, or the file system has no locks). Then a single writer
/// is still safe, but concurrent writers are not.
pub struct Lock {
    _folder: Option<File>,
}

impl Lock {
    /// Locks a folder for writing.
    ///
    /// # Errors
    /// Returns an error if other processes hold a lock for a minute.
    pub fn exclusive(folder: &Path) -> Result<Lock> {
        Self::new(folder, File::try_lock, TIMEOUT)
    }
    /// Locks a folder for reading, together with other readers.
    ///
    /// # Errors
    /// Returns an error if another process writes for a minute.
    pub fn shared(folder: &Path) -> Result<Lock> {
        Self::new(folder, File::try_lock_shared, TIMEOUT)
    }
    fn new(
        folder: &Path,
        lock: impl Fn(&File) -> std::result::Result<(), TryLockError>,
        timeout: Duration,
    ) -> Result<Lock> {
        let Ok(opened) = File::open(folder) else { return Ok(Lock { _folder: None }) };
        let end = Instant::now() + timeout;
        loop {
            match lock(&opened) {
                Ok(()) => return Ok(Lock { _folder: Some(opened) }),
                Err(TryLockError::Error(_)) => return Ok(Lock { _folder: None }),
                Err(TryLockError::WouldBlock) if Instant::now() > end => {
                    let problem = format!("another process has locked this folder for {} s", timeout.as_secs());
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
