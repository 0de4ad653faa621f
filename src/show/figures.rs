//! Counts and sizes in three digits.

/// Formats a count: `512`, `4.10 k`, `23.5 M`.
pub(crate) fn count(n: u64) -> String {
    scaled(n, "")
}

/// Formats a number of bytes: `512 B`, `4.10 kB`, `23.5 MB`.
pub(crate) fn bytes(n: u64) -> String {
    scaled(n, "B")
}

fn scaled(n: u64, unit: &str) -> String {
    let mut value = n as f64;
    let mut prefix = "";
    for next in ["k", "M", "G", "T", "P", "E"] {
        // What would be rounded to four digits.
        if value < 999.5 {
            break;
        }
        (value, prefix) = (value / 1000.0, next);
    }
    let digits = match value {
        _ if prefix.is_empty() || value >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {prefix}{unit}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{bytes, count};

    #[test]
    fn three_digits() {
        let all = [0, 7, 999, 1000, 9994, 9996, 23_456, 99_949, 99_950, 999_499, 999_500, 1_234_567, u64::MAX];
        let shown = all.map(count);
        let expected = [
            "0", "7", "999", "1.00 k", "9.99 k", "10.0 k", "23.5 k", "99.9 k", "100 k", "999 k", "1.00 M", "1.23 M",
            "18.4 E",
        ];
        assert_eq!(shown, expected);
        assert_eq!([bytes(12), bytes(90_868_608)], ["12 B", "90.9 MB"]);
    }
}
