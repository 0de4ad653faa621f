//! Suggestions for misspelled names.
use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
};

/// Maximum number of names that a message lists if none is similar.
pub const MAX_LISTED: usize = 8;

/// Maximum length of names that are compared, since comparing takes quadratic time.
const LONGEST: usize = 200;

/// Returns the most similar of the known names, or `None` if none is similar. Case is no difference.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    if name.len() > LONGEST {
        return None;
    }
    let nearest = known
        .filter(|k| k.len() <= LONGEST && k.len().max(name.len()) <= 3 * k.len().min(name.len()))
        .map(|k| (if k.eq_ignore_ascii_case(name) { 1.0 } else { strsim::jaro_winkler(name, k) }, k))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, k)| k);
    nearest.filter(|k| !differ_in_numbers(name, k)).map(str::to_owned)
}

/// Returns the most similar of the known names as the end of a message, `; did you mean "weight"?`, or nothing if none is similar.
pub fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean {near:?}?"))
}

/// Whether names differ in their numbers alone: `layer.0.weight` is another layer than `layer.1.weight`, not a misspelling.
fn differ_in_numbers(a: &str, b: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let (words_a, words_b) = (a.split(is_digit), b.split(is_digit));
    a != b
        && words_a.filter(|w| !w.is_empty()).eq(words_b.filter(|w| !w.is_empty()))
        && a.contains(is_digit)
        && b.contains(is_digit)
}

/// Like [`nearest`], but with a limit on the total work: suggestions for thousands of wrong names among thousands of known
/// ones would take minutes.
#[derive(Default)]
pub struct Suggestions(AtomicU64);

/// Maximum number of pairs of characters to compare, which takes less than a second.
const BUDGET: u64 = 1 << 27;

impl Suggestions {
    /// Returns the most similar of the known names, or `None` if none is similar or the limit is reached.
    pub fn nearest<'a>(&self, name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
        if name.len() > LONGEST || self.0.load(Ordering::Relaxed) > BUDGET {
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
/// Omits the count, so that graphs do not differ by it.
impl fmt::Debug for Suggestions {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Suggestions")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_another_thing_is_not_suggested() {
        let nearest = |name, known: &[&'static str]| nearest(name, known.iter().copied());
        assert_eq!(nearest("layer.1.q.weight", &["layer.0.q.weight", "layer.0.k.weight"]), None);
        assert_eq!(nearest("layer.10.wieght", &["layer.10.weight"]).as_deref(), Some("layer.10.weight"));
        assert_eq!(nearest("conv1", &["conv"]).as_deref(), Some("conv"));
        assert_eq!(nearest("opset_import", &["ops", "op"]), None);
    }

    #[test]
    fn the_work_is_limited() {
        let known: Vec<String> = (0..20_000).map(|i| format!("layer_{i}/weight")).collect();
        let suggestions = Suggestions::default();
        let first = suggestions.nearest("layer_7/weihgt", known.iter().map(String::as_str));
        assert_eq!(first.as_deref(), Some("layer_7/weight"));
        let suggested =
            (0..100).filter_map(|_| suggestions.nearest("layer_7/weihgt", known.iter().map(String::as_str)));
        assert!(suggested.count() < 99);
        // The limit also holds for a single long name.
        assert_eq!(suggestions.clone().nearest("x", std::iter::once("x")), None);
    }
}
