//! Which warnings are printed, and which are errors.
use std::str::FromStr;
use tpulang::base::WarningCode;

/// The value of `--allow` and `--deny`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Selection {
    All,
    Code(WarningCode),
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "warnings" {
            return Ok(Selection::All);
        }
        WarningCode::from_name(text).map(Selection::Code).map_err(|e| e.to_string())
    }
}

/// What happens to each warning. An option about one code precedes what the model allows, which precedes an option about all
/// of them. Denying precedes allowing.
pub struct Levels {
    allowed: Vec<Selection>,
    denied: Vec<Selection>,
}

impl Levels {
    pub fn new(allowed: &[Selection], denied: &[Selection]) -> Levels {
        Levels { allowed: allowed.to_vec(), denied: denied.to_vec() }
    }
    /// Returns whether a warning is an error. `is_accepted` tells whether the model allows it.
    pub fn denies(&self, code: WarningCode, is_accepted: bool) -> bool {
        let one = Selection::Code(code);
        let is_exempt = is_accepted || self.allowed.contains(&one);
        self.denied.contains(&one) || self.denied.contains(&Selection::All) && !is_exempt
    }
    /// Returns whether a warning is not printed.
    pub fn allows(&self, code: WarningCode, is_accepted: bool) -> bool {
        let listed = [Selection::All, Selection::Code(code)].iter().any(|each| self.allowed.contains(each));
        (listed || is_accepted) && !self.denies(code, is_accepted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_code_precedes_all_of_them() {
        let (input, weight) = (WarningCode::UnusedInput, WarningCode::UnusedWeight);
        let levels = |allow: &[&str], deny: &[&str]| {
            let parse = |all: &[&str]| all.iter().map(|s| s.parse().unwrap()).collect::<Vec<_>>();
            let levels = Levels::new(&parse(allow), &parse(deny));
            [input, weight].map(|code| (levels.allows(code, false), levels.denies(code, false)))
        };
        assert_eq!(levels(&[], &[]), [(false, false); 2]);
        assert_eq!(levels(&["unused-input"], &["warnings"]), [(true, false), (false, true)]);
        assert_eq!(levels(&["warnings"], &["unused-input"]), [(false, true), (true, false)]);
        assert_eq!(levels(&["unused-input"], &["unused-input"]), [(false, true), (false, false)]);
        let of_accepted = |deny: &[Selection]| {
            let levels = Levels::new(&[], deny);
            (levels.allows(input, true), levels.denies(input, true))
        };
        assert_eq!(of_accepted(&[]), (true, false));
        assert_eq!(of_accepted(&[Selection::All]), (true, false));
        assert_eq!(of_accepted(&[Selection::Code(input)]), (false, true));
        let unknown = "unused-inptu".parse::<Selection>().unwrap_err();
        assert_eq!(unknown, "there is no warning \"unused-inptu\"; did you mean unused-input?");
    }
}
