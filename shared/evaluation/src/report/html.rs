//! The report as one HTML page: no script, nothing loaded, everything from elsewhere escaped.

use super::chart;
use super::value::Report;
use crate::tables::Table;

/// The page forbids itself to load or run anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem;\
color:#1b1f24;background:#fff}h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}\
p{color:#4a5159;max-width:60rem}table{border-collapse:collapse;font-size:13px;display:block;overflow-x:auto}\
th,td{padding:.25rem .6rem;border-bottom:1px solid #d9dde2;text-align:left;white-space:nowrap}\
th.n,td.n{text-align:right;font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}\
dl{display:grid;grid-template-columns:max-content auto;gap:.1rem 1rem}dt{color:#4a5159}dd{margin:0}";

pub(super) fn write(report: &Report) -> String {
    let title = escape(&report.title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    );
    write_report(&mut page, report);
    for part in &report.parts {
        write_report(&mut page, part);
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn write_report(page: &mut String, report: &Report) {
    page.push_str(&format!("<h1>{}</h1>\n", escape(&report.title)));
    if !report.facts.is_empty() {
        page.push_str("<dl>\n");
        for (name, value) in &report.facts {
            page.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value)));
        }
        page.push_str("</dl>\n");
    }
    page.push_str(&chart::success(&report.measures));
    page.push_str(&chart::flips(&report.measures));
    for table in report.tables() {
        write_table(page, &table);
    }
}

fn write_table(page: &mut String, table: &Table) {
    page.push_str(&format!("<h2>{}</h2>\n", escape(&table.title)));
    if !table.note.is_empty() {
        page.push_str(&format!("<p>{}</p>\n", escape(&table.note)));
    }
    let line = |tag: &str, cells: &[String]| {
        let cell = |(column, text): (usize, &String)| {
            let class = if column < table.names { "" } else { " class=\"n\"" };
            format!("<{tag}{class}>{}</{tag}>", escape(text))
        };
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(cell).collect::<String>())
    };
    page.push_str("<table>\n<thead>\n");
    page.push_str(&line("th", &table.header));
    page.push_str("</thead>\n<tbody>\n");
    for row in &table.rows {
        page.push_str(&line("td", row));
    }
    page.push_str("</tbody>\n</table>\n");
}

/// Text as HTML text or attribute value.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
