//! Files on disk: only regular ones are read or replaced, and what is written appears whole or not at all.
use super::{Error, Result};
use rustix::{
    fs::{Access, OFlags, access},
    io::Errno,
};
use std::{
    fmt::Display,
    fs::{self, File, FileType, OpenOptions, Permissions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};
use tempfile::{Builder, NamedTempFile, TempPath};

/// Bytes that a spec may have; its data belong into a weights file.
pub const MAX_SPEC: u64 = 256 << 20;
/// Bytes that an `.mlir` may have; its data lie in a weights file.
pub const MAX_MODULE: u64 = 256 << 20;

/// What is opened or replaced must be a file: a named pipe would wait for ever, a device never end.
fn check_kind(path: &Path, kind: FileType) -> Result<()> {
    let found = match kind {
        k if k.is_file() => return Ok(()),
        k if k.is_dir() => "a folder",
        k if k.is_fifo() => "a named pipe",
        k if k.is_socket() => "a socket",
        _ => "a device",
    };
    Err(Error::format(path, format!("it is {found}, not a file")))
}

/// Opens a regular file for reading.
///
/// # Errors
/// It is something else, such as a folder, a device or a named pipe; or it cannot be opened.
pub fn open(path: impl AsRef<Path>) -> Result<File> {
    let path = path.as_ref();
    // Asked beforehand, since merely opening a device may do something.
    check_kind(path, fs::metadata(path).map_err(Error::io(path))?.file_type())?;
    // It may have become a named pipe meanwhile, whose opening would wait for a writer.
    let flags = OFlags::NONBLOCK.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(Error::io(path))?;
    check_kind(path, file.metadata().map_err(Error::io(path))?.file_type())?;
    Ok(file)
}

/// Reads a whole file of at most `limit` bytes.
///
/// # Errors
/// As [`open`], or the file is longer.
pub fn read(path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>> {
    let path = path.as_ref();
    let file = open(path)?;
    let size = file.metadata().map_err(Error::io(path))?.len();
    if size > limit {
        return Err(too_long(path, size, limit));
    }
    // The file may grow while it is read.
    read_stream(file, path, limit)
}

/// Reads a stream to its end, at most `limit` bytes; `path` names it in messages.
///
/// # Errors
/// It is longer, or cannot be read.
pub fn read_stream(stream: impl Read, path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(limit + 1).read_to_end(&mut bytes).map_err(Error::io(path))?;
    if bytes.len() as u64 > limit {
        return Err(too_long(path, format!("more than {limit}"), limit));
    }
    Ok(bytes)
}

fn too_long(path: &Path, size: impl Display, limit: u64) -> Error {
    Error::format(path, format!("it has {size} bytes; at most {limit} are read"))
}

/// A file that is being written beside its place, and put there when it is complete. Until then it has no name where
/// the system allows that, and a name that begins with `.tpulang-` elsewhere; dropped, it is gone.
///
/// Several files are exchanged together by writing and syncing each before the first is put in its place.
pub struct NewFile {
    /// What was asked for, for messages.
    path: PathBuf,
    /// Where the file goes: `path`, or what it is a symbolic link to.
    target: PathBuf,
    /// The permissions of the file that was there.
    permissions: Option<Permissions>,
    temporary: Temporary,
}

enum Temporary {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile),
}

impl NewFile {
    /// Begins a file that [`NewFile::put`] will put at `path`.
    ///
    /// # Errors
    /// There is something that is not a file, or a file that may not be written; or the folder does not take a file.
    pub fn create(path: impl AsRef<Path>) -> Result<NewFile> {
        let path = path.as_ref();
        check_replaceable(path)?;
        let target = link_target(path).map_err(Error::io(path))?;
        let temporary = Temporary::new(folder(&target)).map_err(Error::io(path))?;
        // For `sweep`; where there are no locks, nothing is swept.
        let _ = temporary.file().try_lock();
        let old = fs::metadata(&target).ok();
        let permissions = old.map(|old| Permissions::from_mode(old.permissions().mode() & 0o777));
        Ok(NewFile { path: path.into(), target, permissions, temporary })
    }
    /// Waits until the contents are on disk.
    ///
    /// # Errors
    /// They could not be written.
    pub fn sync(&self) -> Result<()> {
        self.file().sync_all().map_err(Error::io(&self.path))
    }
    /// Puts the file in its place, instead of one that is there, whose permissions it takes over.
    ///
    /// # Errors
    /// The place is taken by something that is not a file, or the folder does not allow it; nothing is changed then.
    pub fn put(self) -> Result<()> {
        check_replaceable(&self.path)?;
        if let Some(permissions) = &self.permissions {
            self.file().set_permissions(permissions.clone()).map_err(Error::io(&self.path))?;
        }
        let path = self.path;
        self.temporary.rename(&self.target).map_err(Error::io(&path))?;
        // That the name lasts is a courtesy: where a folder cannot be synced, the file still is complete.
        let _ = File::open(folder(&self.target)).and_then(|f| f.sync_all());
        Ok(())
    }
    /// The path that was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Where the file goes: the path that was asked for, or what that is a symbolic link to.
    pub fn target(&self) -> &Path {
        &self.target
    }
    fn file(&self) -> &File {
        self.temporary.file()
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}
impl Read for NewFile {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.file().read(to)
    }
}
impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file().seek(to)
    }
}

impl Temporary {
    fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(file) => file,
            Temporary::Named(file) => file.as_file(),
        }
    }
    /// Files are made with the permissions that the user's umask leaves.
    #[cfg(target_os = "linux")]
    fn new(folder: &Path) -> io::Result<Temporary> {
        use rustix::fs::{Mode, open};
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let unnamed = open(folder, flags, Mode::from_raw_mode(0o666)).ok().map(File::from);
        // A file without name gets one through /proc, which is not everywhere.
        match unnamed.filter(|f| fs::exists(descriptor(f)).unwrap_or(false)) {
            Some(file) => Ok(Temporary::Unnamed(file)),
            None => Temporary::named(folder),
        }
    }
    #[cfg(not(target_os = "linux"))]
    fn new(folder: &Path) -> io::Result<Temporary> {
        Temporary::named(folder)
    }
    fn named(folder: &Path) -> io::Result<Temporary> {
        let file = names().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
        Ok(Temporary::Named(file))
    }
    fn rename(self, target: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(file) => {
                // A link cannot take the place of a file, so that it is made beside it, and renamed.
                let named = names().make_in(folder(target), |name| link(&file, name))?;
                named.persist(target).map_err(|e| e.error)?;
            }
            Temporary::Named(file) => {
                file.persist(target).map_err(|e| e.error)?;
            }
        }
        Ok(())
    }
}

/// How the names of temporary files begin.
const TEMPORARY: &str = ".tpulang-";

fn names() -> Builder<'static, 'static> {
    let mut names = Builder::new();
    names.prefix(TEMPORARY);
    names
}

/// Removes the temporary files that processes left in a folder when they were killed: those that nobody holds open and
/// locked. What does not go does no harm.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(TEMPORARY);
        if ours && open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file that waits under another name while others take its place, and is removed in the end.
pub struct Aside {
    place: PathBuf,
    aside: TempPath,
}

impl Aside {
    /// Renames a file; none where there is none.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub fn renamed(place: &Path) -> Result<Option<Aside>> {
        Self::new(place, |aside| fs::rename(place, aside))
    }
    /// Gives a file a second name, or copies it where files have but one; none where there is none.
    ///
    /// # Errors
    /// It can neither be linked nor copied.
    pub fn linked(place: &Path) -> Result<Option<Aside>> {
        Self::new(place, |aside| fs::hard_link(place, aside).or_else(|_| fs::copy(place, aside).map(|_| ())))
    }
    fn new(place: &Path, mut by: impl FnMut(&Path) -> io::Result<()>) -> Result<Option<Aside>> {
        if !fs::exists(place).map_err(Error::io(place))? {
            return Ok(None);
        }
        let named = names().make_in(folder(place), |aside| by(aside)).map_err(Error::io(place))?;
        Ok(Some(Aside { place: place.into(), aside: named.into_temp_path() }))
    }
    /// Puts the file back. A failure has no remedy; the error that made it necessary is the one to tell.
    pub fn restore(self) {
        let _ = self.aside.persist(self.place);
    }
}

/// The open file's name in /proc.
#[cfg(target_os = "linux")]
fn descriptor(file: &File) -> String {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Names a file that has no name.
#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, descriptor(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// Whether there is nothing of that name, or a file that the user may write.
fn check_replaceable(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(Error::io(path)(e)),
        Ok(old) => {
            check_kind(path, old.file_type())?;
            // A rename asks only for the folder's permission. The file may be gone meanwhile.
            match access(path, Access::WRITE_OK) {
                Ok(()) | Err(Errno::NOENT) => Ok(()),
                Err(e) => Err(Error::io(path)(e.into())),
            }
        }
    }
}

/// Where a path leads: a symbolic link stays, and what it names is written.
fn link_target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // The number of links that Linux follows.
    for _ in 0..40 {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => path = folder(&path).join(fs::read_link(&path)?),
            _ => return Ok(path),
        }
    }
    Err(Errno::LOOP.into())
}

/// The folder that a path leads to.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file through `write`: it is at `path` when all has been written, and what was there stays until then.
///
/// # Errors
/// As [`NewFile::create`] and [`NewFile::put`], or `write` fails.
pub fn replace(path: impl AsRef<Path>, write: impl FnOnce(&mut NewFile) -> Result<()>) -> Result<()> {
    let mut file = NewFile::create(path)?;
    write(&mut file)?;
    file.sync()?;
    file.put()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType as Kind, Mode, mknodat};

    fn write(path: &Path, text: &str) -> Result<()> {
        replace(path, |file| file.write_all(text.as_bytes()).map_err(Error::io(path)))
    }
    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }
    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn only_files_are_opened_and_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let [pipe, socket] = ["pipe", "socket"].map(|n| dir.path().join(n));
        mknodat(CWD, &pipe, Kind::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for (path, what) in [
            (pipe.as_path(), "a named pipe"),
            (&link, "a named pipe"),
            (&socket, "a socket"),
            (Path::new("/dev/zero"), "a device"),
            (dir.path(), "a folder"),
        ] {
            let message = format!("{}: it is {what}, not a file", path.display());
            assert_eq!(open(path).unwrap_err().to_string(), message);
            assert_eq!(read(path, 10).unwrap_err().to_string(), message);
            assert_eq!(write(path, "text").unwrap_err().to_string(), message);
            let file = dir.path().join("x");
            let kept = NewFile { path: path.into(), ..NewFile::create(&file).unwrap() };
            assert_eq!(kept.put().unwrap_err().to_string(), message);
        }
        assert_eq!(entries(dir.path()), 3);
    }

    #[test]
    fn a_file_is_read_up_to_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        let message = format!("{}: it has 5 bytes; at most 4 are read", path.display());
        assert_eq!(read(&path, 4).unwrap_err().to_string(), message);
        // What claims to be empty, and is not.
        assert!(read("/proc/self/status", 10).unwrap_err().to_string().contains("it has more than 10 bytes"));
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        write(&path, "old").unwrap();
        let other = tempfile::tempdir().unwrap().path().with_extension("other");
        fs::write(&other, "").unwrap();
        assert_eq!(mode(&path), mode(&other), "a new file is as the umask wants it");
        fs::remove_file(&other).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let failed = replace(&path, |file| {
            file.write_all(b"half").unwrap();
            Err(Error::format("x", "no"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "x: no");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        write(&path, "new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"new".to_vec(), 0o640));
        assert_eq!(entries(dir.path()), 1, "nothing is left over");
    }

    #[test]
    fn named_temporaries_do_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        for text in ["old", "new"] {
            let temporary = Temporary::named(dir.path()).unwrap();
            let mut file = NewFile { temporary, ..NewFile::create(&path).unwrap() };
            file.write_all(text.as_bytes()).unwrap();
            assert!(
                fs::read_dir(dir.path()).unwrap().flatten().any(|e| e
                    .file_name()
                    .display()
                    .to_string()
                    .starts_with(".tpulang-"))
            );
            file.put().unwrap();
            assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
        }
        assert_eq!(entries(dir.path()), 1, "nothing is left over");
    }

    #[test]
    fn what_a_link_names_is_written() {
        let [dir, other] = [0; 2].map(|_| tempfile::tempdir().unwrap());
        let (link, file) = (dir.path().join("link"), other.path().join("file"));
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for text in ["new", "newer"] {
            write(&link, text).unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(&file).unwrap(), text.as_bytes());
        }
        let circle = dir.path().join("circle");
        std::os::unix::fs::symlink(&circle, &circle).unwrap();
        assert!(write(&circle, "").is_err());
    }

    #[test]
    fn a_file_that_may_not_be_written_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        // The superuser may write it.
        if OpenOptions::new().write(true).open(&path).is_err() {
            assert!(write(&path, "new").unwrap_err().to_string().contains("denied"));
        }
    }
}
