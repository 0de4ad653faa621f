//! Two files that belong together: a text, such as a module or a spec, and the weights that it names.
//!
//! # Protocol
//!
//! At every instant the text of the model, old or new, is at its path, and the weights that it names exist. A process
//! that is killed, or a machine that loses power, leaves a complete model, which needs no repair.
//!
//! Two files cannot be renamed at once, so an *interim text* bridges the gap. It is the new text, but names the new
//! weights by a hidden name. Both files are written and synced first. Then, under an exclusive [`Lock`] on the folder,
//! which readers share:
//!
//! 1. The new weights get the hidden name, as a hard link. The old text is linked as a backup.
//! 2. The interim text replaces the old one: the new model is complete.
//! 3. The new weights replace the old ones, which no text names any more.
//! 4. The final text replaces the interim text.
//! 5. The hidden weights and the backup are removed.
//!
//! If step 3 fails, the backup replaces the interim text. If step 4 fails, the interim text and its weights stay.
//! If there was no old text, only steps 3 and 4 are needed.
//!
//! The hidden weights have one of two names, `.tpulang-weights0-TEXT.npz` and `.tpulang-weights1-TEXT.npz`. The writer uses
//! the one that the old text does not mention, and removes both in the end. Since they contain the name of the text, they
//! belong to this pair alone.
use super::{
    Error, Lock, Result,
    files::{self, NewFile},
    new_file::{Backup, hidden_name},
};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// The new files of a pair, in the same folder, while they are written.
pub struct NewPair {
    /// The file that names the weights. It is empty until [`NewPair::commit`].
    text: NewFile,
    /// The file that the text names.
    pub weights: NewFile,
}

impl NewPair {
    /// Creates two empty files, which [`NewPair::commit`] will rename to these paths.
    ///
    /// # Errors
    /// Returns an error if either cannot be created (see [`NewFile::create`]), or another process locks the folder for a
    /// minute.
    pub fn create(text: &Path, weights: &Path) -> Result<NewPair> {
        // While no pair is exchanged, so that the old files are there and their permissions are kept.
        let _lock = Lock::shared(files::folder(text))?;
        Ok(NewPair { weights: NewFile::create(weights)?, text: NewFile::create(text)? })
    }
    /// Writes the text and replaces the old pair. `text` returns the text for a given name of the weights.
    ///
    /// # Errors
    /// Returns an error if a file could not be written or renamed, or another process locks the folder for a minute. The
    /// old model is still there then, or, if only the last step failed, the new one with a hidden weights file.
    pub fn commit(self, text: impl Fn(&str) -> Result<String>) -> Result<()> {
        let NewPair { text: mut last, weights } = self;
        write(&mut last, &text(&name(weights.path()))?)?;
        weights.sync()?;
        let _lock = Lock::exclusive(files::folder(last.path()))?;
        let Some(old_text) = Backup::of(last.target())? else {
            weights.commit()?;
            return last.commit();
        };
        let hidden = HiddenWeights::new(last.path(), weights.path())?;
        let mut interim = NewFile::create(last.path())?;
        write(&mut interim, &text(&name(&hidden.next))?)?;
        let link = weights.link_to(hidden.next.clone())?;

        interim.commit()?;
        if let Err(error) = weights.commit() {
            if old_text.restore().is_err() {
                let _ = link.keep();
            }
            return Err(error);
        }
        if let Err(error) = last.commit() {
            let _ = link.keep();
            return Err(error);
        }
        hidden.remove_other();
        Ok(())
    }
}

fn write(file: &mut NewFile, text: &str) -> Result<()> {
    file.write_all(text.as_bytes()).map_err(Error::io(file.path()))?;
    file.sync()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The hidden names of a pair's weights.
struct HiddenWeights {
    /// The name for the new weights.
    next: PathBuf,
    /// The name that a killed process may have left in the old text.
    other: PathBuf,
}

impl HiddenWeights {
    fn new(text: &Path, weights: &Path) -> Result<HiddenWeights> {
        let named = |number: usize| {
            let mut name = hidden_name(&format!("weights{number}"), text).into_os_string();
            name.push(weights.extension().map_or(".npz".into(), |e| format!(".{}", e.display())));
            PathBuf::from(name)
        };
        let old = files::read(text, files::MAX_MODULE.max(files::MAX_SPEC))?;
        let first = named(0);
        let mentioned = std::str::from_utf8(&old).is_ok_and(|old| old.contains(&name(&first)));
        let (next, other) = if mentioned { (named(1), first) } else { (first, named(1)) };
        // Left by a killed process, and not mentioned. If it stays, linking reports why.
        let _ = fs::remove_file(&next);
        Ok(HiddenWeights { next, other })
    }
    /// Removes the weights of the text that was replaced.
    fn remove_other(self) {
        let _ = fs::remove_file(self.other);
    }
}
