//! The report as CSV: every measure on a line of its own, for scripts.

use super::record::Record;
use super::value::Report;
use crate::efficiency::{Efficiency, RoleTotal};
use crate::error::Error;
use crate::intervals::Interval;
use crate::measures::{Arm, Comparison, Control, Measures, TargetMean};
use crate::success::{Estimate, MacroMean, Rate};

pub(super) fn write(report: &Report) -> Result<String, Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    write_part(&mut writer, report, "")?;
    for part in &report.parts {
        write_part(&mut writer, part, &part.title)?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write_part(writer: &mut csv::Writer<Vec<u8>>, report: &Report, part: &str) -> Result<(), Error> {
    for record in records(&report.measures) {
        writer.serialize(Record { part, ..record })?;
    }
    for (judge, verdicts) in &report.judges {
        let of = |measure, value| Record {
            measure,
            role: judge,
            value,
            resolved: Some(verdicts.total()),
            requested: Some(verdicts.total()),
            part,
            ..Record::default()
        };
        writer.serialize(of("cohens_kappa", verdicts.kappa()))?;
        writer.serialize(of("judge_precision", verdicts.precision()))?;
        writer.serialize(of("judge_recall", verdicts.recall()))?;
    }
    Ok(())
}

fn records(measures: &Measures) -> Vec<Record<'_>> {
    let mut found = Vec::new();
    measures.arms.iter().for_each(|arm| success(&mut found, arm));
    measures.target_means.iter().for_each(|mean| means(&mut found, mean));
    measures.comparisons.iter().for_each(|one| comparison(&mut found, one));
    measures.controls.iter().for_each(|one| control(&mut found, one));
    measures.arms.iter().for_each(|arm| efficiency(&mut found, arm));
    found
}

fn success<'a>(found: &mut Vec<Record<'a>>, arm: &'a Arm) {
    let of = Record { condition: &arm.condition, target: arm.target.as_str(), ..Record::default() };
    for (ability, rate) in &arm.abilities {
        found.push(rated("success_rate", &Record { ability: ability.as_str(), ..of.clone() }, *rate));
    }
    found.push(meant("macro_success", &of, arm.overall));
    found.push(rated("tgc", &of, arm.goals.tasks));
    found.push(rated("sgc", &of, arm.goals.scenarios));
    found.extend(arm.msr.map(|estimate| estimated("msr", &of, estimate)));
    found.extend(arm.pass_k.map(|estimate| estimated("pass_hat_k", &of, estimate)));
    for (measure, count) in [
        ("failed", arm.tally.failed),
        ("no_result", arm.tally.no_result),
        ("unresolved", arm.tally.unresolved),
    ] {
        found.push(Record { measure, value: Some(f64::from(count)), ..of.clone() });
    }
}

fn means<'a>(found: &mut Vec<Record<'a>>, mean: &'a TargetMean) {
    let of = Record { condition: &mean.condition, ..Record::default() };
    for (ability, rate) in &mean.abilities {
        let of = Record { ability: ability.as_str(), ..of.clone() };
        found.push(meant("target_mean_success_rate", &of, *rate));
    }
    found.push(meant("target_mean_macro_success", &of, mean.overall));
    found.push(meant("target_mean_tgc", &of, mean.tasks));
    found.push(meant("target_mean_sgc", &of, mean.scenarios));
}

fn comparison<'a>(found: &mut Vec<Record<'a>>, one: &'a Comparison) {
    let flips = one.flips;
    let of = Record {
        condition: &one.other,
        base: &one.base,
        target: one.target.as_ref().map_or("", |target| target.as_str()),
        resolved: Some(flips.pairs()),
        requested: Some(flips.pairs() + flips.unpaired),
        ..Record::default()
    };
    let mut push = |measure, value, interval: Option<Interval>| {
        let (low, high) = (interval.map(|i| i.low), interval.map(|i| i.high));
        found.push(Record { measure, value, low, high, ..of.clone() });
    };
    push("fail_to_pass", Some(flips.gained as f64), None);
    push("pass_to_fail", Some(flips.lost as f64), None);
    push("mcnemar_chi2", flips.chi2(), None);
    push("exact_p", Some(flips.exact_p()), None);
    push("paired_difference", flips.difference(), one.interval);
    push("paired_pass_hat_k_difference", one.pass_k_difference, one.pass_k_interval);
    for events in &one.events {
        let of = Record {
            ability: events.ability.as_str(),
            resolved: Some(events.pairs),
            requested: None,
            ..of.clone()
        };
        for (measure, value) in [("events_before", events.base), ("events_after", events.other)] {
            found.push(Record { measure, value: Some(value), ..of.clone() });
        }
    }
}

fn control<'a>(found: &mut Vec<Record<'a>>, control: &'a Control) {
    let Some(null) = &control.null else { return };
    let of = Record {
        condition: &control.condition,
        base: &control.condition,
        target: control.target.as_ref().map_or("", |target| target.as_str()),
        resolved: Some(null.flips.pairs()),
        requested: Some(null.flips.pairs() + null.flips.unpaired),
        ..Record::default()
    };
    for (measure, value) in [
        ("null_comparisons", Some(null.comparisons as f64)),
        ("null_flip_share", null.flips.discordant_share()),
        ("null_largest_difference", Some(null.largest_difference)),
        ("null_smallest_p", Some(null.smallest_p)),
    ] {
        found.push(Record { measure, value, ..of.clone() });
    }
}

fn efficiency<'a>(found: &mut Vec<Record<'a>>, arm: &'a Arm) {
    let of = Record { condition: &arm.condition, target: arm.target.as_str(), ..Record::default() };
    for (ability, sums) in &arm.efficiency {
        per_episode(found, &Record { ability: ability.as_str(), ..of.clone() }, sums);
    }
    per_episode(found, &of, &arm.resolved);
    for (role, total) in &arm.paid.roles {
        spent(found, &Record { role, ..of.clone() }, *total);
    }
    spent(found, &of, arm.paid.total());
}

fn per_episode<'a>(found: &mut Vec<Record<'a>>, of: &Record<'a>, sums: &Efficiency) {
    for (measure, sum) in [
        ("memory_tokens_per_episode", sums.memory_tokens),
        ("events_per_episode", sums.agent_events),
        ("writes_per_episode", sums.writes),
        ("calls_per_episode", sums.total().calls),
        ("tokens_per_episode", sums.total().usage.total()),
    ] {
        let resolved = Some(sums.episodes);
        found.push(Record { measure, value: sums.per_episode(sum), resolved, ..of.clone() });
    }
}

fn spent<'a>(found: &mut Vec<Record<'a>>, of: &Record<'a>, total: RoleTotal) {
    for (measure, value) in [
        ("calls", Some(total.calls)),
        ("input_tokens", Some(total.usage.input)),
        ("cached_input_tokens", Some(total.usage.cached_input)),
        ("output_tokens", Some(total.usage.output)),
        ("cost_nano_usd", total.known_cost().map(|cost| cost.0)),
    ] {
        found.push(Record { measure, value: value.map(|value| value as f64), ..of.clone() });
    }
}

fn rated<'a>(measure: &'static str, of: &Record<'a>, rate: Rate) -> Record<'a> {
    let interval = rate.interval();
    Record {
        measure,
        value: rate.value(),
        low: interval.map(|interval| interval.low),
        high: interval.map(|interval| interval.high),
        passed: Some(rate.passed),
        resolved: Some(rate.resolved),
        requested: Some(rate.requested),
        ..of.clone()
    }
}

fn meant<'a>(measure: &'static str, of: &Record<'a>, mean: MacroMean) -> Record<'a> {
    Record {
        measure,
        value: mean.value,
        resolved: Some(mean.resolved),
        requested: Some(mean.requested),
        ..of.clone()
    }
}

fn estimated<'a>(measure: &'static str, of: &Record<'a>, estimate: Estimate) -> Record<'a> {
    Record {
        measure,
        value: Some(estimate.mean),
        standard_error: estimate.standard_error,
        resolved: Some(estimate.used),
        requested: Some(estimate.requested),
        ..of.clone()
    }
}
