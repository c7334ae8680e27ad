//! The report as Markdown. Names come from elsewhere and are escaped.

use super::value::Report;
use crate::tables::Table;

pub(super) fn write(report: &Report) -> String {
    let mut text = format!("# {}\n", escape(&report.title));
    if !report.facts.is_empty() {
        text.push('\n');
    }
    for (name, value) in &report.facts {
        text.push_str(&format!("- {}: {}\n", escape(name), escape(value)));
    }
    for table in report.tables() {
        write_table(&mut text, &table);
    }
    for part in &report.parts {
        text.push('\n');
        text.push_str(&write(part));
    }
    text
}

fn write_table(text: &mut String, table: &Table) {
    text.push_str(&format!("\n## {}\n\n", escape(&table.title)));
    if !table.note.is_empty() {
        text.push_str(&format!("{}\n\n", escape(&table.note)));
    }
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    text.push_str(&line(&table.header));
    let rule = |column: usize| if column < table.names { "---" } else { "---:" };
    let rules: Vec<&str> = (0..table.header.len()).map(rule).collect();
    text.push_str(&format!("| {} |\n", rules.join(" | ")));
    for row in &table.rows {
        text.push_str(&line(row));
    }
}

/// Text that Markdown prints as it stands, on one line.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '\\' | '|' | '`' | '*' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
