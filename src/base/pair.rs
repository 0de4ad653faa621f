//! Two files that belong together: a text, such as a module or a spec, and the weights that it names.
use super::{
    Lock, Result,
    files::{self, Aside, NewFile},
};
use std::{fs::File, path::Path};

/// Both files while they are written beside their places, which are in one folder.
///
/// Readers find the old two or the new two. Both are complete on disk, without names, before the old ones are touched; then,
/// under a [`Lock`] on the folder that readers share, the old text is put aside, the weights are exchanged, and the new text
/// gets its name last. Whenever that stops, there is the old pair, the new pair, or no text.
pub struct NewPair {
    /// What names the weights.
    pub text: NewFile,
    /// What the text names.
    pub weights: NewFile,
}

impl NewPair {
    /// Begins both files. Nobody exchanges the old ones meanwhile, so that their permissions are seen, nor sweeps the new ones.
    ///
    /// # Errors
    /// As [`NewFile::create`], or others hold the lock for a minute.
    pub fn create(text: &Path, weights: &Path) -> Result<NewPair> {
        let _lock = Lock::shared(files::folder(text))?;
        Ok(NewPair { weights: NewFile::create(weights)?, text: NewFile::create(text)? })
    }
    /// Puts both in their places, or leaves both places as they were. What a kill left there goes too.
    ///
    /// # Errors
    /// They could not be written or renamed, or others hold the lock for a minute.
    pub fn put(self) -> Result<()> {
        self.weights.sync()?;
        self.text.sync()?;
        let folder = files::folder(self.text.path());
        let _lock = Lock::exclusive(folder)?;
        files::sweep(folder);
        let old_weights = Aside::linked(self.weights.target())?;
        let old_text = Aside::renamed(self.text.target())?;
        // Nobody shall find the old text beside the new weights, not even after the power failed.
        let _ = File::open(files::folder(self.text.target())).and_then(|f| f.sync_all());
        let put = self.weights.put().and_then(|()| self.text.put());
        if put.is_err() {
            [old_weights, old_text].into_iter().flatten().for_each(Aside::restore);
        }
        put
    }
}
