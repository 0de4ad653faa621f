//! Which warnings are printed, and which are errors.
use std::str::FromStr;
use tpulang::base::WarningCode;
use tpulang_base::nearest;

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
        text.parse().map(Selection::Code).map_err(|_| match nearest(text, WarningCode::all().map(WarningCode::name)) {
            Some(near) => format!("there is no warning with this code; did you mean {near}?"),
            None => "there is no warning with this code; `tpulang explain` lists them".to_owned(),
        })
    }
}

/// What happens to each warning. An option about one code precedes one about all, and denying precedes allowing.
pub struct Levels {
    allowed: Vec<Selection>,
    denied: Vec<Selection>,
}

impl Levels {
    pub fn new(allowed: &[Selection], denied: &[Selection]) -> Levels {
        Levels { allowed: allowed.to_vec(), denied: denied.to_vec() }
    }
    pub fn denies(&self, code: WarningCode) -> bool {
        let one = Selection::Code(code);
        self.denied.contains(&one) || self.denied.contains(&Selection::All) && !self.allowed.contains(&one)
    }
    pub fn allows(&self, code: WarningCode) -> bool {
        let listed = [Selection::All, Selection::Code(code)].iter().any(|each| self.allowed.contains(each));
        listed && !self.denies(code)
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
            [input, weight].map(|code| (levels.allows(code), levels.denies(code)))
        };
        assert_eq!(levels(&[], &[]), [(false, false); 2]);
        assert_eq!(levels(&["unused-input"], &["warnings"]), [(true, false), (false, true)]);
        assert_eq!(levels(&["warnings"], &["unused-input"]), [(false, true), (true, false)]);
        assert_eq!(levels(&["unused-input"], &["unused-input"]), [(false, true), (false, false)]);
        let unknown = "unused-inptu".parse::<Selection>().unwrap_err();
        assert_eq!(unknown, "there is no warning with this code; did you mean unused-input?");
    }
}
