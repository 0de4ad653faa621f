//! Which arrays of two files belong together, by their names.
use std::{collections::HashMap, fmt, str::FromStr};

/// Two arrays to be compared, by their names; one may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The name in the first file.
    pub first: Option<String>,
    /// The name in the second file.
    pub second: Option<String>,
    /// Why they belong together.
    pub by: Match,
}

/// Why two arrays belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// They have the same name, or one is missing.
    Name,
    /// A [`Rename`] says so.
    Rename,
    /// One name is the other with suffixes that the tool chain adds: `_f32` for a cast, `_r_Relu` for a rewritten operator,
    /// `_Conv` for the op of an ONNX model.
    Suffix,
}

impl Pair {
    /// The name to show: that in the first file, if it has one.
    pub fn name(&self) -> &str {
        self.first.as_deref().or(self.second.as_deref()).unwrap_or_default()
    }
}

/// A rule `A=B`: the array `A` of the first file is `B` in the second. `A` and `B` may each have one `*`, which stands for
/// the same text.
///
/// ```
/// use tpulang::exec::Rename;
/// let rename: Rename = "model.*=*_out".parse()?;
/// assert_eq!(rename.apply("model.fc").as_deref(), Some("fc_out"));
/// assert_eq!(rename.apply("fc"), None);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    from: Pattern,
    to: Pattern,
}

/// A name, or the texts before and after a `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Name(String),
    Around(String, String),
}

impl FromStr for Pattern {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split('*').collect::<Vec<_>>()[..] {
            _ if text.is_empty() => Err("expected A=B, names of the first and the second file".into()),
            [name] => Ok(Pattern::Name(name.into())),
            [before, after] => Ok(Pattern::Around(before.into(), after.into())),
            _ => Err(format!("{text:?} has several *; expected at most one")),
        }
    }
}

impl FromStr for Rename {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = text.split_once('=').ok_or("expected A=B, names of the first and the second file")?;
        let (from, to): (Pattern, Pattern) = (from.parse()?, to.parse()?);
        match (&from, &to) {
            (Pattern::Name(_), Pattern::Around(..)) => Err("A needs a * if B has one".into()),
            _ => Ok(Rename { from, to }),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Pattern::Name(name) => f.write_str(name),
            Pattern::Around(before, after) => write!(f, "{before}*{after}"),
        }
    }
}
/// As it was given: `A=B`.
impl fmt::Display for Rename {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}={}", self.from, self.to)
    }
}

impl Rename {
    /// Returns the name in the second file, if the rule is about this name of the first.
    pub fn apply(&self, name: &str) -> Option<String> {
        let part = match &self.from {
            Pattern::Name(from) => (name == from).then_some("")?,
            Pattern::Around(before, after) => name.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?,
        };
        Some(match &self.to {
            Pattern::Name(to) => to.clone(),
            Pattern::Around(before, after) => format!("{before}{part}{after}"),
        })
    }
}

/// Pairs the arrays of two files: those that a rule renames, then those of the same name, then those whose names differ by
/// suffixes of the tool chain, if there is only one candidate for which `fits` returns true. The pairs are in the order of the
/// first file; arrays that only the second has come last.
///
/// ```
/// use tpulang::exec::{Match, pair_names};
/// let pairs = pair_names(&["x", "y"], &["y_f32", "x"], &[], |_, _| true);
/// assert_eq!(pairs[1].second.as_deref(), Some("y_f32"));
/// assert_eq!((pairs.len(), pairs[1].by), (2, Match::Suffix));
/// ```
pub fn pair_names(first: &[&str], second: &[&str], renames: &[Rename], fits: impl Fn(&str, &str) -> bool) -> Vec<Pair> {
    let position: HashMap<&str, usize> = second.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let mut taken = vec![false; second.len()];
    let mut found: Vec<Option<(usize, Match)>> = vec![None; first.len()];
    let mut take = |found: &mut Option<(usize, Match)>, at: usize, by: Match| {
        if !taken[at] && found.is_none() {
            (taken[at], *found) = (true, Some((at, by)));
        }
    };
    for (name, found) in first.iter().zip(&mut found) {
        let renamed = renames.iter().find_map(|rename| rename.apply(name));
        renamed.and_then(|to| position.get(to.as_str())).into_iter().for_each(|at| take(found, *at, Match::Rename));
    }
    for (name, found) in first.iter().zip(&mut found) {
        position.get(name).into_iter().for_each(|at| take(found, *at, Match::Name));
    }
    let open = |found: &[Option<(usize, Match)>], taken: &[bool]| {
        let of_first: Vec<usize> = (0..first.len()).filter(|i| found[*i].is_none()).collect();
        let of_second: Vec<usize> = (0..second.len()).filter(|i| !taken[*i]).collect();
        by_suffix(first, second, &of_first, &of_second, &fits)
    };
    for (i, at) in open(&found, &taken) {
        (taken[at], found[i]) = (true, Some((at, Match::Suffix)));
    }
    let of_first = first.iter().zip(found).map(|(name, found)| Pair {
        first: Some((*name).to_owned()),
        second: found.map(|(at, _)| second[at].to_owned()),
        by: found.map_or(Match::Name, |(_, by)| by),
    });
    let left = second.iter().zip(taken).filter(|(_, taken)| !taken);
    let of_second = left.map(|(name, _)| Pair { first: None, second: Some((*name).to_owned()), by: Match::Name });
    of_first.chain(of_second).collect()
}

/// Pairs names of which one is the other with suffixes, if each is the only candidate of the other.
fn by_suffix(
    first: &[&str],
    second: &[&str],
    of_first: &[usize],
    of_second: &[usize],
    fits: &impl Fn(&str, &str) -> bool,
) -> Vec<(usize, usize)> {
    // Candidates share what is left without any suffixes.
    let mut by_stem: HashMap<&str, Vec<usize>> = HashMap::new();
    of_second.iter().for_each(|i| by_stem.entry(stem(second[*i])).or_default().push(*i));
    let mut pairs = Vec::new();
    let mut wanted: HashMap<usize, usize> = HashMap::new();
    for i in of_first {
        let name = first[*i];
        let alike = |other: &str| (is_suffixed(name, other) || is_suffixed(other, name)) && fits(name, other);
        let candidates = by_stem.get(stem(name)).into_iter().flatten().take(MAX_CANDIDATES);
        let candidates: Vec<usize> = candidates.copied().filter(|at| alike(second[*at])).collect();
        if let [only] = candidates[..] {
            pairs.push((*i, only));
            *wanted.entry(only).or_default() += 1;
        }
    }
    pairs.retain(|(_, at)| wanted[at] == 1);
    pairs
}

/// Names of one stem that are looked at. More of them are no candidates of anything.
const MAX_CANDIDATES: usize = 16;

/// Element types as the tool chain writes them behind the name of a tensor that it casts.
const CASTS: [&str; 13] =
    ["f32", "f16", "bf16", "f8E4M3", "f8E5M2", "si8", "ui8", "i8", "si16", "ui16", "si32", "ui32", "i32"];

/// Removes the last suffix of a name: `_f32`, `_r_Relu` or `_Conv`.
fn without_suffix(name: &str) -> Option<&str> {
    let (rest, suffix) = name.rsplit_once('_').filter(|(rest, _)| !rest.is_empty())?;
    let is_word = !suffix.is_empty() && suffix.bytes().all(|b| b.is_ascii_alphanumeric());
    match rest.strip_suffix("_r") {
        Some(stem) if is_word && !stem.is_empty() => Some(stem),
        _ if CASTS.contains(&suffix) => Some(rest),
        _ if is_word && suffix.len() > 1 && suffix.starts_with(|c: char| c.is_ascii_uppercase()) => Some(rest),
        _ => None,
    }
}

fn stem(name: &str) -> &str {
    std::iter::successors(Some(name), |name| without_suffix(name)).last().unwrap_or(name)
}

/// Whether `long` is `short` with suffixes.
fn is_suffixed(short: &str, long: &str) -> bool {
    std::iter::successors(Some(long), |name| without_suffix(name)).skip(1).any(|name| name == short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(first: &[&str], second: &[&str], renames: &[&str]) -> Vec<String> {
        let renames: Vec<Rename> = renames.iter().map(|r| r.parse().unwrap()).collect();
        let text = |name: &Option<String>| name.clone().unwrap_or("-".into());
        let pairs = pair_names(first, second, &renames, |_, _| true);
        pairs.iter().map(|pair| format!("{} {} {:?}", text(&pair.first), text(&pair.second), pair.by)).collect()
    }

    #[test]
    fn names_are_paired() {
        assert_eq!(paired(&["b", "a"], &["a", "c", "b"], &[]), ["b b Name", "a a Name", "- c Name"]);
        assert_eq!(paired(&["m.a", "m.b", "b"], &["a", "b"], &["m.*=*"]), ["m.a a Rename", "m.b b Rename", "b - Name"]);
        // As model_deploy names the output of an F16 model; as model_transform names ONNX's tensors.
        assert_eq!(paired(&["/fc/out"], &["/fc/out_Gemm_f32"], &[]), ["/fc/out /fc/out_Gemm_f32 Suffix"]);
        assert_eq!(paired(&["x_r_Relu"], &["x"], &[]), ["x_r_Relu x Suffix"]);
        assert_eq!(paired(&["p", "p_f32"], &["p_f32"], &[]), ["p - Name", "p_f32 p_f32 Name"]);
    }

    #[test]
    fn names_are_not_guessed() {
        // Neither is the other with a suffix, or there are several candidates.
        for (first, second) in [
            (&["layer_Query"][..], &["layer_Key"][..]),
            (&["x"], &["x_f32", "x_Relu"]),
            (&["x", "x_Relu"], &["x_Relu_f32"]),
            (&["x"], &["x_out"]),
            (&["x"], &["x_Q"]),
            (&["_f32"], &[""]),
        ] {
            assert!(paired(first, second, &[]).iter().all(|pair| pair.ends_with(" Name")), "{first:?} {second:?}");
        }
        assert_eq!(pair_names(&["x"], &["x_f32"], &[], |_, _| false).len(), 2);
    }

    #[test]
    fn wrong_rules_are_refused() {
        for (rule, problem) in [
            ("ab", "expected A=B, names of the first and the second file"),
            ("=b", "expected A=B, names of the first and the second file"),
            ("a*b*=c", "\"a*b*\" has several *; expected at most one"),
            ("a=b*", "A needs a * if B has one"),
        ] {
            assert_eq!(rule.parse::<Rename>().unwrap_err(), problem, "{rule}");
        }
        let one: Rename = "a*=b".parse().unwrap();
        assert_eq!((one.apply("ax").as_deref(), one.apply("xa")), (Some("b"), None));
    }
}
