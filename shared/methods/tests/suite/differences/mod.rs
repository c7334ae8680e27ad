//! Each detector on small attempts: what it finds, what it must not find, and where it begins.

mod failures;
mod ranking;
mod reads;
mod writes;

use palaestra_domain::packet::{Difference, DifferenceKind};

use crate::support::attempts::{Attempt, failed, found, passed};

/// `pass` attempts of one kind against `fail` attempts of another.
fn against(
    kind: DifferenceKind,
    (passing, pass): (usize, impl Fn(Attempt) -> Attempt),
    (failing, fail): (usize, impl Fn(Attempt) -> Attempt),
) -> Vec<Difference> {
    let passing = (0..passing).map(|n| pass(passed(&format!("p{n}"))));
    let failing = (0..failing).map(|n| fail(failed(&format!("f{n}"))));
    found(kind, passing.chain(failing))
}

/// Functions, direction and supports of a difference, short enough to compare.
fn short(difference: &Difference) -> String {
    let names: Vec<&str> = difference.functions.iter().map(|f| f.function()).collect();
    let sign = if difference.more { "+" } else { "-" };
    let (p, f) = (difference.passing, difference.failing);
    format!("{sign} {} {}/{} {}/{}", names.join(","), p.with, p.of, f.with, f.of)
}

fn all(differences: &[Difference]) -> Vec<String> {
    differences.iter().map(short).collect()
}
