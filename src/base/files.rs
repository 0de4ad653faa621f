//! Files on disk: only regular files are read or replaced, and files appear whole or not at all.
pub use super::new_file::NewFile;
use super::{Error, Result};
use rustix::{
    fs::{Access, OFlags, access},
    io::Errno,
};
use std::{
    fmt::Display,
    fs::{self, File, FileType, OpenOptions},
    io::{self, Read},
    os::unix::fs::{FileTypeExt, OpenOptionsExt},
    path::{self, Component, Path, PathBuf},
};

/// Maximum size of a spec in bytes. Data belong in a weights file.
pub const MAX_SPEC: u64 = 256 << 20;
/// Maximum size of an `.mlir` in bytes. Its data are in a weights file.
pub const MAX_MODULE: u64 = 256 << 20;

/// Refuses everything but files: opening a named pipe would block, and a device may never end.
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
/// Returns an error if the path is something else, such as a folder, a device or a named pipe, or cannot be opened.
pub fn open(path: impl AsRef<Path>) -> Result<File> {
    let path = path.as_ref();
    // Checked before opening, since opening a device may have effects.
    check_kind(path, fs::metadata(path).map_err(Error::io(path))?.file_type())?;
    // It may have become a named pipe since then, and opening that would wait for a writer.
    let flags = OFlags::NONBLOCK.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(Error::io(path))?;
    check_kind(path, file.metadata().map_err(Error::io(path))?.file_type())?;
    Ok(file)
}

/// Reads a whole file of at most `limit` bytes.
///
/// # Errors
/// Returns an error if the file cannot be opened (see [`open`]) or is longer.
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
/// Returns an error if the stream is longer or cannot be read.
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

/// Like [`Error::io`], for a file that cannot be created or replaced.
pub(super) fn not_written(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |e| Error::io(path)(e).failed_to("cannot write")
}

/// Checks that a path is free, or is a file that the user may write.
pub(super) fn check_replaceable(path: &Path) -> Result<()> {
    match fs::metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(not_written(path)(e)),
        Ok(old) => {
            check_kind(path, old.file_type())?;
            // A rename asks only for the folder's permission. The file may be gone meanwhile.
            match access(path, Access::WRITE_OK) {
                Ok(()) | Err(Errno::NOENT) => Ok(()),
                Err(e) => Err(not_written(path)(e.into())),
            }
        }
    }
}

/// Follows symbolic links, so that writing through a link replaces the file and keeps the link.
pub(super) fn link_target(path: &Path) -> io::Result<PathBuf> {
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

/// The folder that contains a path.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates the folder that contains a path, unless it exists.
///
/// # Errors
/// Returns an error if the folder cannot be created.
pub fn create_folder_of(path: &Path) -> Result<()> {
    create_folder(folder(path))
}

/// Creates a folder and those that contain it, unless it exists.
///
/// # Errors
/// Returns an error if the folder cannot be created.
pub fn create_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|e| Error::io(folder)(e).failed_to("cannot create the folder"))
}

/// Returns the absolute path of a file or a folder, which may not exist yet, without `..` and links.
pub fn resolved(path: &Path) -> PathBuf {
    let path = link_target(path).unwrap_or_else(|_| path.to_owned());
    let path = path::absolute(&path).unwrap_or(path);
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            part => resolved.push(part),
        }
        // What does not exist is no link.
        resolved = fs::canonicalize(&resolved).unwrap_or(resolved);
    }
    resolved
}

/// Returns whether two paths are those of the same file, which may not exist yet.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    resolved(a) == resolved(b)
}

/// Writes a file through `write`. It replaces `path` once it is complete.
///
/// # Errors
/// Returns an error if the file cannot be created or written (see [`NewFile`]), or if `write` fails.
pub fn replace(path: impl AsRef<Path>, write: impl FnOnce(&mut NewFile) -> Result<()>) -> Result<()> {
    let mut file = NewFile::create(path)?;
    write(&mut file)?;
    file.sync()?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType as Kind, Mode, mknodat};
    use std::{fs::Permissions, io::Write, os::unix::fs::PermissionsExt};

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
            // It became so after the file was created.
            let changing = dir.path().join("x");
            let new = NewFile::create(&changing).unwrap();
            std::os::unix::fs::symlink(path, &changing).unwrap();
            let message = format!("{}: it is {what}, not a file", changing.display());
            assert_eq!(new.commit().unwrap_err().to_string(), message);
            fs::remove_file(&changing).unwrap();
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
        assert_eq!(mode(&path), mode(&other), "a new file has the umask's permissions");
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
    fn paths_of_the_same_file_are_recognized() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        std::os::unix::fs::symlink("a/b", at("link")).unwrap();
        std::os::unix::fs::symlink("new", at("to_new")).unwrap();
        for (one, other, is_same) in [
            ("x", "a/../x", true),
            ("a/b/x", "link/x", true),
            ("a/x", "link/../x", true),
            ("x", "link/../x", false),
            ("new/x", "new/y/../x", true),
            ("new", "to_new", true),
            ("x", "./x", true),
            ("x", "y", false),
        ] {
            assert_eq!(is_same_file(&at(one), &at(other)), is_same, "{one} and {other}");
        }
    }

    #[test]
    fn a_file_that_may_not_be_written_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        // The superuser may write it.
        if OpenOptions::new().write(true).open(&path).is_err() {
            let message = write(&path, "new").unwrap_err().to_string();
            assert!(message.starts_with(&format!("cannot write {}: ", path.display())), "{message}");
        }
    }

    #[test]
    fn errors_say_what_was_attempted() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "").unwrap();
        for (failed, message) in [
            (write(&at("none/x"), "new"), format!("cannot write {}: No such file", at("none/x").display())),
            (create_folder(&at("file/x")), format!("cannot create the folder {}: Not a", at("file/x").display())),
            (open(at("none")).map(drop), format!("{}: No such file", at("none").display())),
        ] {
            let found = failed.unwrap_err().to_string();
            assert!(found.starts_with(&message), "{found}");
        }
    }
}
