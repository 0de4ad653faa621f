//! What was probably meant by a name that nothing has.
use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

/// Longer names resemble nothing, and comparing them would take quadratic time.
const LONGEST: usize = 200;

/// The most similar of the known names, if any is similar enough to suggest.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    if name.len() > LONGEST {
        return None;
    }
    known
        .filter(|k| k.len() <= LONGEST)
        .map(|k| (strsim::jaro_winkler(name, k), k))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, k)| k.to_owned())
}

/// As [`nearest`], until enough was compared: who has thousands of wrong names among thousands of right ones does not
/// need a suggestion for each, and would wait for minutes.
#[derive(Default)]
pub struct Suggestions(AtomicU64);

/// Pairs of characters that may be compared: less than a second.
const PATIENCE: u64 = 1 << 27;

impl Suggestions {
    /// The most similar of the known names, if any is similar enough to suggest, and there is patience left.
    pub fn nearest<'a>(&self, name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
        if name.len() > LONGEST || self.0.load(Ordering::Relaxed) > PATIENCE {
            return None;
        }
        let mut spent = 0;
        let counted = known.inspect(|k| spent += (name.len() * k.len().min(LONGEST) + 64) as u64);
        let found = nearest(name, counted);
        self.0.fetch_add(spent, Ordering::Relaxed);
        found
    }
}
impl Clone for Suggestions {
    fn clone(&self) -> Self {
        Suggestions(AtomicU64::new(self.0.load(Ordering::Relaxed)))
    }
}
/// Without its count, by which graphs shall not be told apart.
impl fmt::Debug for Suggestions {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Suggestions")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends() {
        let known: Vec<String> = (0..20_000).map(|i| format!("layer_{i}/weight")).collect();
        let suggestions = Suggestions::default();
        let first = suggestions.nearest("layer_7/weihgt", known.iter().map(String::as_str));
        assert_eq!(first.as_deref(), Some("layer_7/weight"));
        let told = (0..100).filter_map(|_| suggestions.nearest("layer_7/weihgt", known.iter().map(String::as_str)));
        assert!(told.count() < 99);
        // A single long text among the known is no reason to look on.
        assert_eq!(suggestions.clone().nearest("x", std::iter::once("x")), None);
    }
}
