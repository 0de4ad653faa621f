//! Files that appear whole or not at all: written under no name, or a hidden one, and renamed when complete.
//!
//! Hidden names are `.tpulang-ROLE-NAME`, where NAME is the file that they become. The role `new0` (or `new1`, .. if
//! several processes write the same file) is a file being written; its writer holds a lock on it. Without the lock its
//! writer is dead, and the next writer of the same file removes it. Other files are never touched.
use super::{
    Error, Result,
    files::{check_replaceable, folder, link_target, not_written, open},
};
use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::{MetadataExt, PermissionsExt, fchown},
    path::{Path, PathBuf},
};
use tempfile::{NamedTempFile, TempPath};

/// A file that replaces `path` when it is committed, and disappears if it is dropped before that.
///
/// Until then it has no name if the file system supports that, and a hidden one in the same folder otherwise.
pub struct NewFile {
    /// The path that was passed in, for messages.
    path: PathBuf,
    /// The path that is replaced: `path`, or the file that it links to.
    target: PathBuf,
    temporary: Temporary,
}

enum Temporary {
    #[cfg(target_os = "linux")]
    Unnamed(File),
    Named(NamedTempFile),
}

impl NewFile {
    /// Creates an empty file that [`NewFile::commit`] will rename to `path`.
    ///
    /// # Errors
    /// Returns an error if `path` is not a file or must not be written, or if no file can be created in its folder.
    pub fn create(path: impl AsRef<Path>) -> Result<NewFile> {
        let path = path.as_ref();
        check_replaceable(path)?;
        let target = link_target(path).map_err(not_written(path))?;
        let temporary = Temporary::new(&target).map_err(not_written(path))?;
        Ok(NewFile { path: path.into(), target, temporary })
    }
    /// Waits until the contents are on disk.
    ///
    /// # Errors
    /// Returns an error if they could not be written.
    pub fn sync(&self) -> Result<()> {
        self.file().sync_all().map_err(Error::io(&self.path))
    }
    /// Renames the file to its path. If a file is replaced, its permissions are kept, and its owner and group as far as the system
    /// allows it.
    ///
    /// # Errors
    /// Returns an error, and changes nothing, if the path is not a file or the folder is read-only.
    pub fn commit(self) -> Result<()> {
        check_replaceable(&self.path)?;
        self.keep_permissions()?;
        let path = self.path;
        self.temporary.rename(&self.target).map_err(not_written(&path))?;
        sync_folder(folder(&self.target));
        Ok(())
    }
    /// Gives the contents a second name: a hard link, or a copy if the file system has none.
    ///
    /// # Errors
    /// Returns an error if the file can neither be linked nor copied.
    pub(super) fn link_to(&self, name: PathBuf) -> Result<TempPath> {
        self.keep_permissions()?;
        let linked = match &self.temporary {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(file) => or_copy(link(file, &name), descriptor(file).as_ref(), &name),
            Temporary::Named(file) => link_or_copy(file.path(), &name),
        };
        let linked = linked.and_then(|()| TempPath::try_from_path(&name)).map_err(Error::io(&name))?;
        sync_folder(folder(&name));
        Ok(linked)
    }
    fn keep_permissions(&self) -> Result<()> {
        let Ok(old) = fs::metadata(&self.target) else { return Ok(()) };
        let new = self.file().metadata().map_err(Error::io(&self.path))?;
        let (owner, group) = (Some(old.uid()), Some(old.gid()));
        // Only root may give a file to another user; anyone to another group of theirs.
        let keeps_group = (new.uid(), new.gid()) == (old.uid(), old.gid())
            || fchown(self.file(), owner, group).or_else(|_| fchown(self.file(), None, group)).is_ok();
        // Another group must not get the rights of the old one.
        let mode = old.permissions().mode() & if keeps_group { 0o777 } else { 0o707 };
        self.file().set_permissions(Permissions::from_mode(mode)).map_err(Error::io(&self.path))
    }
    /// The path that was passed to [`NewFile::create`].
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// The path that is replaced: that of [`NewFile::path`], or the file that it links to.
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
    /// Files get the permissions that the user's umask leaves.
    #[cfg(target_os = "linux")]
    fn new(target: &Path) -> io::Result<Temporary> {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let unnamed = open(folder(target), flags, Mode::from_raw_mode(0o666)).ok().map(File::from);
        // A file without a name gets one through /proc, which may not be mounted.
        match unnamed.filter(|f| fs::exists(descriptor(f)).unwrap_or(false)) {
            Some(file) => {
                // So that nobody removes it once it has a hidden name.
                let _ = file.try_lock();
                Ok(Temporary::Unnamed(file))
            }
            None => Temporary::named(target),
        }
    }
    #[cfg(not(target_os = "linux"))]
    fn new(target: &Path) -> io::Result<Temporary> {
        Temporary::named(target)
    }
    fn named(target: &Path) -> io::Result<Temporary> {
        let (name, file) = at_free_name(target, |name| {
            let file = OpenOptions::new().read(true).write(true).create_new(true).open(name)?;
            let _ = file.try_lock();
            // Another process may have taken it for abandoned before it was locked.
            if is_at(&file, name) { Ok(file) } else { Err(io::ErrorKind::AlreadyExists.into()) }
        })?;
        Ok(Temporary::Named(NamedTempFile::from_parts(file, name)))
    }
    fn rename(self, target: &Path) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Temporary::Unnamed(file) => {
                // A link cannot replace a file, but a rename can.
                let (name, ()) = at_free_name(target, |name| link(&file, name))?;
                name.persist(target).map_err(|e| e.error)
            }
            Temporary::Named(file) => file.persist(target).map(drop).map_err(|e| e.error),
        }
    }
}

/// A hidden name in the folder of `target`. The name of the target is part of it, unless it is long or needs escapes.
pub(super) fn hidden_name(role: &str, target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default();
    let plain = |n: &&str| n.len() <= 200 && n.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    let name = match name.to_str().filter(plain) {
        Some(name) => name.to_owned(),
        None => format!("{:08x}", crc32fast::hash(name.as_encoded_bytes())),
    };
    folder(target).join(format!(".tpulang-{role}-{name}"))
}

/// Creates a file at the first hidden name that no living process uses.
fn at_free_name<T>(target: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(TempPath, T)> {
    for i in 0..1000 {
        let name = hidden_name(&format!("new{i}"), target);
        let made = match make(&name) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && remove_stale(&name) => make(&name),
            made => made,
        };
        match made {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => return Ok((TempPath::try_from_path(name)?, made?)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes a file whose writer was killed: one that nobody has locked.
fn remove_stale(name: &Path) -> bool {
    // While it is locked here, no other process removes it and puts its own in its place.
    open(name).is_ok_and(|file| file.try_lock().is_ok() && is_at(&file, name) && fs::remove_file(name).is_ok())
}

/// Whether an open file is the one of that name.
fn is_at(file: &File, name: &Path) -> bool {
    let inode = |m: &fs::Metadata| (m.dev(), m.ino());
    matches!((file.metadata(), fs::symlink_metadata(name)), (Ok(a), Ok(b)) if inode(&a) == inode(&b))
}

/// A second name of a file, removed when this is dropped.
pub(super) struct Backup {
    original: PathBuf,
    copy: TempPath,
}

impl Backup {
    /// Links a file, or copies it if the file system has no hard links. Returns `None` if there is no file.
    ///
    /// # Errors
    /// Returns an error if the file can neither be linked nor copied.
    pub(super) fn of(original: &Path) -> Result<Option<Backup>> {
        if !fs::exists(original).map_err(Error::io(original))? {
            return Ok(None);
        }
        let copy = hidden_name("old", original);
        // Left by a killed process. If it stays, the next call reports why.
        let _ = fs::remove_file(&copy);
        link_or_copy(original, &copy).map_err(Error::io(original))?;
        let copy = TempPath::try_from_path(copy).map_err(Error::io(original))?;
        Ok(Some(Backup { original: original.into(), copy }))
    }
    /// Renames the backup to the original.
    ///
    /// # Errors
    /// Returns an error if it cannot be renamed.
    pub(super) fn restore(self) -> Result<()> {
        self.copy.persist(&self.original).map_err(|e| Error::io(&self.original)(e.error))
    }
}

fn link_or_copy(file: &Path, name: &Path) -> io::Result<()> {
    or_copy(fs::hard_link(file, name), file, name)
}

/// Copies a file if it could not be linked, but not over another, which may be a link to the same file.
fn or_copy(linked: io::Result<()>, file: &Path, name: &Path) -> io::Result<()> {
    match linked {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => fs::copy(file, name).map(drop),
        linked => linked,
    }
}

/// Makes new names last. Where a folder cannot be synced, files are complete even so.
pub(super) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|f| f.sync_all());
}

/// The path of an open file in /proc.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn named_files_replace_too() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        for text in ["old", "new"] {
            let mut file = NewFile { temporary: Temporary::named(&path).unwrap(), ..NewFile::create(&path).unwrap() };
            file.write_all(text.as_bytes()).unwrap();
            assert!(names(dir.path()).contains(&".tpulang-new0-x".into()));
            file.commit().unwrap();
            assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
        }
        drop(Temporary::named(&path).unwrap());
        assert_eq!(names(dir.path()), ["x"]);
    }

    #[test]
    fn only_abandoned_files_of_the_same_target_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        let others = [".tpulang-new0-y", ".tpulang-new1-x", ".tpulang-notes", ".x"];
        others.iter().for_each(|n| fs::write(dir.path().join(n), "").unwrap());
        fs::write(dir.path().join(".tpulang-new0-x"), "half").unwrap();
        let live = Temporary::named(&path).unwrap();
        let second = Temporary::named(&path).unwrap();
        for (file, name) in [(&live, ".tpulang-new0-x"), (&second, ".tpulang-new1-x")] {
            assert!(is_at(file.file(), &dir.path().join(name)), "{name}");
        }
        drop((live, second));
        assert_eq!(names(dir.path()), [".tpulang-new0-y", ".tpulang-notes", ".x"]);
    }

    #[test]
    fn hidden_names_are_plain_and_short() {
        let name = |n: &str| hidden_name("old", Path::new(n)).display().to_string();
        assert_eq!(name("a/net_origin.mlir"), "a/.tpulang-old-net_origin.mlir");
        assert_eq!([name("n\u{e9}t"), name("a b")], ["./.tpulang-old-41f9c5b0", "./.tpulang-old-806c5cd3"]);
        assert!(name(&"n".repeat(255)).len() < 40);
    }

    #[test]
    fn a_file_is_copied_where_it_cannot_be_linked_but_never_over_itself() {
        let dir = tempfile::tempdir().unwrap();
        let [file, name] = ["x", "y"].map(|n| dir.path().join(n));
        fs::write(&file, "text").unwrap();
        or_copy(Err(io::ErrorKind::Unsupported.into()), &file, &name).unwrap();
        assert_eq!(fs::read(&name).unwrap(), b"text");
        fs::remove_file(&name).unwrap();
        fs::hard_link(&file, &name).unwrap();
        assert!(link_or_copy(&file, &name).is_err());
        assert_eq!(fs::read(&file).unwrap(), b"text");
    }
}
