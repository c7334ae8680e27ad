//! Natural order: `task 2` stands before `task 10`.

use std::cmp::Ordering;

/// Compares two texts with runs of digits taken as numbers; equal numbers of other widths
/// (`07`, `7`) and everything else fall back to the bytes, so the order is total.
#[must_use]
pub fn natural_cmp(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    while let (Some(x), Some(y)) = (left.first(), right.first()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (number_a, rest_a) = number(left);
            let (number_b, rest_b) = number(right);
            (left, right) = (rest_a, rest_b);
            number_a.len().cmp(&number_b.len()).then_with(|| number_a.cmp(number_b))
        } else {
            (left, right) = (left.get(1..).unwrap_or_default(), right.get(1..).unwrap_or_default());
            x.cmp(y)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// The digits at the start, without leading zeros, and what follows them.
fn number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    (digits.get(zeros..).unwrap_or_default(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_as_numbers() {
        let mut ids =
            ["tau2/retail/10", "tau2/retail/2", "tau2/airline/30", "a07", "a7", "a", "fs_2/1", "fs_10/0"];
        ids.sort_by(|a, b| natural_cmp(a, b));
        assert_eq!(
            ids,
            ["a", "a07", "a7", "fs_2/1", "fs_10/0", "tau2/airline/30", "tau2/retail/2", "tau2/retail/10"]
        );
        assert_eq!(natural_cmp("99999999999999999999998", "99999999999999999999999"), Ordering::Less);
    }
}
