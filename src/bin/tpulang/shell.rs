//! Words of the commands that are printed for a shell.
use std::ffi::OsStr;
use tpulang_base::escaped;

/// Returns an argument as one word of a shell's command, in quotes if it needs them.
pub fn shell_word(argument: impl AsRef<OsStr>) -> String {
    let argument = argument.as_ref();
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:,+@%".contains(c);
    match argument.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        Some(text) if escaped(text) == text => format!("'{}'", text.replace('\'', r"'\''")),
        _ => {
            let each = argument.as_encoded_bytes().iter().map(|byte| match byte {
                b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
                b' '..=b'~' => char::from(*byte).to_string(),
                _ => format!("\\{byte:03o}"),
            });
            format!("$'{}'", each.collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{os::unix::ffi::OsStrExt, process::Command};

    #[test]
    fn a_shell_reads_the_argument() {
        assert_eq!(shell_word("parts/net_1.json"), "parts/net_1.json");
        assert_eq!(shell_word("my net.json"), "'my net.json'");
        assert_eq!(shell_word("a\u{1b}[m"), r"$'a\033[m'");
        for bytes in
            [&b""[..], b"~/$HOME `x` \"*\"", b"it's", b"a\n\\'\x1b[m\xff1", "\u{202e}漢 é".as_bytes(), b"x=1;y&"]
        {
            let script = format!("printf %s {}", shell_word(OsStr::from_bytes(bytes)));
            let printed = Command::new("bash").args(["-c", &script]).output().unwrap().stdout;
            assert_eq!(printed, bytes, "{script}");
        }
    }
}
