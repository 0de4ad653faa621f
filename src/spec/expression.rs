//! Arithmetic on parameters.
use super::params::{Param, Variables};

/// The longest expression, in bytes, and the deepest nesting of one.
const LONGEST: usize = 1000;
const DEEPEST: usize = 50;

/// Computes an expression such as `2 * (N + 1)`.
///
/// Integers are exact: `/` is an integer if nothing remains, and otherwise a float; `//` rounds down. The operators bind as
/// in Python.
///
/// # Errors
/// Returns what is wrong with it.
pub(super) fn evaluate(text: &str, variables: &Variables) -> Result<Param, String> {
    if text.len() > LONGEST {
        return Err(format!("the expression has {} characters; at most {LONGEST} are read", text.len()));
    }
    let mut parser = Parser { rest: text, depth: 0, variables };
    let value = parser.sum()?;
    match parser.peek() {
        None => Ok(value),
        Some(next) => Err(format!("there is {next:?} where an operator is expected")),
    }
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
    variables: &'t Variables,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }
    /// Skips the first of these operators that comes next, and returns it.
    fn operator<'o>(&mut self, of: &[&'o str]) -> Option<&'o str> {
        self.peek();
        let found = of.iter().find(|o| self.rest.starts_with(**o))?;
        self.rest = &self.rest[found.len()..];
        Some(found)
    }
    fn sum(&mut self) -> Result<Param, String> {
        let mut value = self.product()?;
        while let Some(operator) = self.operator(&["+", "-"]) {
            value = arithmetic(value, operator, self.product()?)?;
        }
        Ok(value)
    }
    fn product(&mut self) -> Result<Param, String> {
        let mut value = self.signed()?;
        while let Some(operator) = self.operator(&["//", "*", "/", "%"]) {
            value = arithmetic(value, operator, self.signed()?)?;
        }
        Ok(value)
    }
    fn signed(&mut self) -> Result<Param, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("the expression is nested more than {DEEPEST} deep"));
        }
        let value = match self.operator(&["-"]) {
            Some(_) => arithmetic(Param::Int(0), "-", self.signed()?)?,
            None => {
                let base = self.operand()?;
                match self.operator(&["**"]) {
                    Some(operator) => arithmetic(base, operator, self.signed()?)?,
                    None => base,
                }
            }
        };
        self.depth -= 1;
        Ok(value)
    }
    fn operand(&mut self) -> Result<Param, String> {
        let Some(first) = self.peek() else {
            return Err("it ends where a number or a name is expected".into());
        };
        let length = |is_part: fn(char) -> bool| self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        if first == '(' {
            self.rest = &self.rest[1..];
            let value = self.sum()?;
            return self.operator(&[")"]).map(|_| value).ok_or_else(|| "a parenthesis is not closed".into());
        }
        if first.is_ascii_digit() || first == '.' {
            let mut length = length(|c| c.is_ascii_alphanumeric() || c == '.');
            // The exponent of `1e-5` has a sign.
            if self.rest[..length].ends_with(['e', 'E']) && self.rest[length..].starts_with(['-', '+']) {
                let digits = &self.rest[length + 1..];
                length += 1 + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            }
            let (number, rest) = self.rest.split_at(length);
            self.rest = rest;
            let is_integer = number.bytes().all(|b| b.is_ascii_digit());
            return match is_integer {
                true => number.parse().map(Param::Int).map_err(|_| format!("{number} is beyond 64 bits")),
                false => {
                    let value = number.parse::<f64>().ok().filter(|v| v.is_finite());
                    value.map(Param::Float).ok_or_else(|| format!("{number:?} is not a number"))
                }
            };
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let (name, rest) = self.rest.split_at(length(|c| c.is_ascii_alphanumeric() || c == '_'));
            self.rest = rest;
            return self.variables.get(name);
        }
        Err(format!("there is {first:?} where a number or a name is expected"))
    }
}

fn arithmetic(left: Param, operator: &str, right: Param) -> Result<Param, String> {
    let number = |value: &Param| match value {
        Param::Int(v) => Ok(*v as f64),
        Param::Float(v) => Ok(*v),
        other => Err(format!("{} is not a number, so it stands by itself, without {operator}", other.shown())),
    };
    let (a, b) = (number(&left)?, number(&right)?);
    if b == 0.0 && matches!(operator, "/" | "//" | "%") {
        return Err(format!("{} {operator} 0 is a division by zero", left.shown()));
    }
    let too_large = || format!("{} {operator} {} is beyond 64 bits", left.shown(), right.shown());
    if let (Param::Int(a), Param::Int(b)) = (&left, &right)
        && let Some(exact) = integers(*a, operator, *b)
    {
        return exact.map(Param::Int).ok_or_else(too_large);
    }
    let value = match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "//" => (a / b).floor(),
        "%" => a - b * (a / b).floor(),
        _ => a.powf(b),
    };
    match value.is_finite() {
        true => Ok(Param::Float(value)),
        false => Err(format!("{} {operator} {} is {value}", left.shown(), right.shown())),
    }
}

/// Returns the result on integers, `Some(None)` if it overflows, or `None` if it is not an integer.
fn integers(a: i64, operator: &str, b: i64) -> Option<Option<i64>> {
    let floor = || {
        let quotient = a.checked_div(b)?;
        Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
    };
    Some(match operator {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" if a.checked_rem(b).unwrap_or(0) != 0 => return None,
        "/" | "//" => floor(),
        "%" => floor().map(|_| a.wrapping_sub(b.wrapping_mul(floor().unwrap_or(0)))),
        _ if b < 0 => return None,
        _ => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)).or(match a {
            0 | 1 => Some(a),
            -1 => Some(if b % 2 == 0 { 1 } else { -1 }),
            _ => None,
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    fn variables() -> Rc<Variables> {
        let with = |v: &Rc<Variables>, name: &str, value: Param| Variables::with(v, vec![(name.to_owned(), value)]);
        let all = with(&Rc::default(), "N", Param::Int(6));
        with(&with(&all, "eps", Param::Float(0.5)), "name", Param::Text("x".into()))
    }

    #[test]
    fn integers_are_exact_and_bind_as_in_python() {
        for (text, expected) in [
            ("N", 6),
            ("2*N+1", 13),
            ("2 * (N + 1)", 14),
            ("N/2", 3),
            ("7//2", 3),
            ("-7//2", -4),
            ("-7 % 3", 2),
            ("7 % -3", -2),
            ("2**10", 1024),
            ("-2**2", -4),
            ("2**3**2", 512),
            ("10-2-3", 5),
            ("64/4/2", 8),
            ("9007199254740993*1", 9_007_199_254_740_993),
            ("(-1)**99999999999", -1),
            ("--5", 5),
        ] {
            assert_eq!(evaluate(text, &variables()), Ok(Param::Int(expected)), "{text}");
        }
        for (text, expected) in [
            ("1/N", 1.0 / 6.0),
            ("N*eps", 3.0),
            ("64**-0.5", 0.125),
            ("2**-1", 0.5),
            ("1e-5", 1e-5),
            (".5", 0.5),
            ("7.5//2", 3.0),
        ] {
            assert_eq!(evaluate(text, &variables()), Ok(Param::Float(expected)), "{text}");
        }
        assert_eq!(evaluate(" name ", &variables()), Ok(Param::Text("x".into())));
    }

    #[test]
    fn mistakes_are_told() {
        for (text, expected) in [
            ("", "it ends where a number or a name is expected"),
            ("2*", "it ends where a number or a name is expected"),
            ("2 3", "there is '3' where an operator is expected"),
            ("(2", "a parenthesis is not closed"),
            ("2)", "there is ')' where an operator is expected"),
            ("M", "unknown parameter \"M\"; there are N, eps, name"),
            ("nam", "unknown parameter \"nam\"; did you mean \"name\"?"),
            ("name+1", "\"x\" is not a number, so it stands by itself, without +"),
            ("N/0", "6 / 0 is a division by zero"),
            ("N%(3-3)", "6 % 0 is a division by zero"),
            ("9223372036854775807+1", "9223372036854775807 + 1 is beyond 64 bits"),
            ("9223372036854775808", "9223372036854775808 is beyond 64 bits"),
            ("(-9223372036854775807-1)//-1", "-9223372036854775808 // -1 is beyond 64 bits"),
            ("(-9223372036854775807-1)%-1", "-9223372036854775808 % -1 is beyond 64 bits"),
            ("(-9223372036854775807-1)/-1", "-9223372036854775808 / -1 is beyond 64 bits"),
            ("10**99", "10 ** 99 is beyond 64 bits"),
            ("1e308*10", "1e308 * 10 is inf"),
            ("1e999", "\"1e999\" is not a number"),
            ("1x", "\"1x\" is not a number"),
            ("(-1)**0.5", "-1 ** 0.5 is NaN"),
            ("a[0]", "unknown parameter \"a\"; there are N, eps, name"),
            ("$", "there is '$' where a number or a name is expected"),
        ] {
            assert_eq!(evaluate(text, &variables()), Err(expected.into()), "{text}");
        }
        for text in ["(".repeat(900), "-".repeat(900), "2**".repeat(300), "1".repeat(2000)] {
            let error = evaluate(&text, &variables()).unwrap_err();
            assert!(error.contains("more than 50 deep") || error.contains("at most 1000"), "{error}");
        }
    }
}
