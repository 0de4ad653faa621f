//! Explanations of warnings: the sections of docs/warnings.md.
use super::super::{Outcome, print};
use tpulang::base::WarningCode;

/// Explain a warning, with an example and what to do
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  tpulang explain\n  tpulang explain unused-input")]
pub struct Args {
    /// The code, as in warning[unused-input]. Without it, all codes are listed
    #[arg(value_parser = parse)]
    code: Option<WarningCode>,
}

const PAGE: &str = include_str!("../../../../docs/warnings.md");

fn parse(text: &str) -> Result<WarningCode, String> {
    match text.parse()? {
        super::Selection::Code(code) => Ok(code),
        super::Selection::All => Err("expected the code of one warning; `tpulang explain` lists them".to_owned()),
    }
}

pub fn main(args: Args) -> Outcome {
    let text = match args.code {
        Some(code) => format!("{code}\n\n{}\n", section(code)),
        None => list(),
    };
    print(&text)?;
    Ok(true)
}

/// Returns the text about a code.
pub fn section(code: WarningCode) -> &'static str {
    let heading = format!("\n## {code}\n");
    let rest = PAGE.split_once(&heading).map_or("", |(_, rest)| rest);
    rest.split("\n## ").next().unwrap_or(rest).trim()
}

fn list() -> String {
    let width = WarningCode::all().map(|code| code.name().len()).max().unwrap_or(0);
    let row = |code: WarningCode| {
        let first = section(code).lines().next().unwrap_or_default();
        format!("{:width$}  {first}\n", code.name())
    };
    WarningCode::all().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_with_an_example() {
        for code in WarningCode::all() {
            let text = section(code);
            assert!(
                text.lines().next().is_some_and(|first| first.ends_with('.') && first.len() < 100),
                "{code}: {text}"
            );
            assert!(text.contains("\n```"), "{code} has no example: {text}");
        }
        let headings =
            PAGE.lines().filter_map(|line| line.strip_prefix("## ")).filter(|h| h.parse::<WarningCode>().is_ok());
        assert!(
            headings.eq(WarningCode::all().map(WarningCode::name)),
            "the sections are not in the order of the codes"
        );
    }
}
