//! The two charts, as inline SVG: success with its intervals, and flips.

use super::html::escape;
use crate::measures::{Comparison, Measures};
use crate::tables::format;

/// Where bars begin, how wide the whole scale is, and how high a row is, in pixels.
const LEFT: f64 = 320.0;
const SCALE: f64 = 420.0;
const ROW: f64 = 26.0;
const TOP: f64 = 8.0;

/// Characters of a row's name that fit beside the bars.
const LABEL: usize = 44;

/// Colours that people with any colour vision can tell apart, in the order of the conditions.
const COLOURS: [&str; 6] = ["#9aa3ad", "#2a6f97", "#d1701f", "#5b8c3a", "#8a4f9e", "#b8952b"];

/// One bar per target and condition: passed of resolved, with the 95 % Wilson interval.
pub(super) fn success(measures: &Measures) -> String {
    let mut rows = String::new();
    let mut drawn = 0;
    for arm in &measures.arms {
        let (Some(value), Some(interval)) = (arm.rate.value(), arm.rate.interval()) else { continue };
        let y = TOP + ROW * f64::from(drawn);
        drawn += 1;
        let place = measures.conditions.iter().position(|condition| *condition == arm.condition);
        let colour = COLOURS.iter().cycle().nth(place.unwrap_or_default()).copied().unwrap_or_default();
        let label = format!("{} · {}", arm.target, arm.condition);
        let (low, high) = (LEFT + SCALE * interval.low, LEFT + SCALE * interval.high);
        rows.push_str(&label_at(y, &label));
        rows.push_str(&bar(LEFT, y, SCALE * value, colour));
        let middle = y + ROW / 2.0;
        rows.push_str(&format!(
            "<path d=\"M{low:.1} {middle:.1}H{high:.1}\" stroke=\"#1b1f24\" stroke-width=\"1.5\"/>\n"
        ));
        rows.push_str(&text_at(high + 8.0, y, "start", &format::rate(arm.rate)));
    }
    let about = "Passed of resolved attempts in percent, with passed/resolved of requested and the 95 % Wilson \
                 interval.";
    figure("Success by target and condition", about, drawn, &rows)
}

/// One row per comparison over all targets: what was lost to the left, what was gained to the right.
pub(super) fn flips(measures: &Measures) -> String {
    let pooled = |one: &&Comparison| one.target.is_none() || measures.targets.len() == 1;
    let shown: Vec<&Comparison> = measures.comparisons.iter().filter(pooled).collect();
    let most = shown.iter().map(|one| one.flips.gained.max(one.flips.lost)).max().unwrap_or_default().max(1);
    let unit = (SCALE / 2.0 - 40.0) / most as f64;
    let axis = LEFT + SCALE / 2.0;
    let mut rows = String::new();
    let mut drawn = 0;
    for one in &shown {
        let y = TOP + ROW * f64::from(drawn);
        drawn += 1;
        let (gained, lost) = (unit * one.flips.gained as f64, unit * one.flips.lost as f64);
        rows.push_str(&label_at(y, &format!("{} → {}", one.base, one.other)));
        rows.push_str(&bar(axis - lost, y, lost, "#d1701f"));
        rows.push_str(&bar(axis, y, gained, "#2a6f97"));
        rows.push_str(&text_at(axis - lost - 6.0, y, "end", &one.flips.lost.to_string()));
        let right = format!("{} (p = {})", one.flips.gained, format::p_value(one.flips.exact_p()));
        rows.push_str(&text_at(axis + gained + 6.0, y, "start", &right));
    }
    let about = "Pairs that both conditions resolved, over all targets: pass→fail to the left, fail→pass to the \
                 right, with the exact two-sided p-value.";
    figure("Flips", about, drawn, &rows)
}

fn figure(title: &str, about: &str, rows: u32, body: &str) -> String {
    if rows == 0 {
        return String::new();
    }
    let width = LEFT + SCALE + 180.0;
    let height = TOP * 2.0 + ROW * f64::from(rows);
    let (title, about) = (escape(title), escape(about));
    format!(
        "<h2>{title}</h2>\n<p>{about}</p>\n\
         <svg role=\"img\" aria-label=\"{title}\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-size=\"13\" fill=\"#1b1f24\">\n{body}</svg>\n"
    )
}

/// A row's name; one that does not fit is cut, and a reader finds the whole name in the tables.
fn label_at(y: f64, text: &str) -> String {
    let cut = text.chars().count() > LABEL;
    let shown: String = text.chars().take(if cut { LABEL - 1 } else { LABEL }).collect();
    text_at(LEFT - 10.0, y, "end", &if cut { shown + "…" } else { shown })
}

fn text_at(x: f64, y: f64, anchor: &str, text: &str) -> String {
    let base = y + ROW / 2.0 + 4.5;
    format!("<text x=\"{x:.1}\" y=\"{base:.1}\" text-anchor=\"{anchor}\">{}</text>\n", escape(text))
}

fn bar(x: f64, y: f64, width: f64, colour: &str) -> String {
    let (y, height) = (y + 4.0, ROW - 8.0);
    format!(
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>\n"
    )
}
