//! Label files: one verdict per transcript, as CSV with a header or as JSON lines.
//!
//! Columns: `task` (or `task_uid`, `task_id`), `model` (or `source`), `trial`, `reward`, `passed`,
//! `scenario` (or `split_unit`); others are ignored. A row without a model or trial holds for all.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::Error;

/// The verdict of one transcript.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Label {
    /// The reward, when the file gives one.
    pub reward: Option<f64>,
    /// Whether it passed, when the file says so; it comes before the reward.
    pub passed: Option<bool>,
    /// The scenario, when the file gives one.
    pub scenario: Option<String>,
}

/// All verdicts of a file, by task, source and trial.
#[derive(Debug)]
pub(super) struct Labels(BTreeMap<Key, Label>);

/// Task, source and trial; what a row leaves out holds for all.
type Key = (String, Option<String>, Option<u32>);

/// One row: its line and its columns that are not empty, all as text.
type Row = (usize, BTreeMap<String, String>);

impl Labels {
    /// Reads a label file.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let fail = |message: String| Error::Labels { path: path.to_owned(), message };
        let text = fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        let rows = if text.trim_start().starts_with('{') { json_rows(&text) } else { csv_rows(&text) };
        let mut labels = BTreeMap::new();
        for (line, row) in rows.map_err(&fail)? {
            let (key, label) = label(&row).map_err(|message| fail(format!("line {line}: {message}")))?;
            if labels.insert(key, label).is_some() {
                return Err(fail(format!("line {line} labels a transcript that an earlier line labels")));
            }
        }
        Ok(Self(labels))
    }

    /// The verdict of one transcript: the row that says most about it.
    pub(super) fn get(&self, task: &str, source: &str, trial: u32) -> Option<&Label> {
        let (task, source) = (task.to_owned(), source.to_owned());
        [
            (task.clone(), Some(source.clone()), Some(trial)),
            (task.clone(), Some(source), None),
            (task.clone(), None, Some(trial)),
            (task, None, None),
        ]
        .iter()
        .find_map(|key| self.0.get(key))
    }
}

fn json_rows(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let values: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))?;
            let columns = values.into_iter().filter(|(_, value)| !value.is_null());
            let text = columns.map(|(name, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                (name, value)
            });
            Ok((index + 1, text.collect()))
        })
        .collect()
}

fn csv_rows(text: &str) -> Result<Vec<Row>, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let names = reader.headers().map_err(|error| error.to_string())?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line =
            record.position().map_or(0, |position| usize::try_from(position.line()).unwrap_or(usize::MAX));
        let values = names.iter().zip(&record).filter(|(_, value)| !value.is_empty());
        rows.push((line, values.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()));
    }
    Ok(rows)
}

fn label(row: &BTreeMap<String, String>) -> Result<(Key, Label), String> {
    let first = |names: &[&str]| names.iter().find_map(|name| row.get(*name));
    let task = first(&["task", "task_uid", "task_id"]).ok_or("no column `task` with a value")?;
    let trial = row
        .get("trial")
        .map(|text| text.parse::<u32>().map_err(|_| format!("trial {text:?} is no whole number")));
    let reward = row.get("reward").map(|text| match text.parse::<f64>() {
        Ok(reward) if reward.is_finite() => Ok(reward),
        _ => Err(format!("reward {text:?} is no number")),
    });
    let passed = row.get("passed").map(|text| match text.to_ascii_lowercase().as_str() {
        "1" | "1.0" | "true" | "yes" => Ok(true),
        "0" | "0.0" | "false" | "no" => Ok(false),
        _ => Err(format!("passed {text:?} is neither true nor false")),
    });
    let (reward, passed) = (reward.transpose()?, passed.transpose()?);
    if reward.is_none() && passed.is_none() {
        return Err("neither `reward` nor `passed` has a value".to_owned());
    }
    let key = (task.clone(), first(&["model", "source"]).cloned(), trial.transpose()?);
    Ok((key, Label { reward, passed, scenario: first(&["scenario", "split_unit"]).cloned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Labels, Error> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        Labels::read(file.path())
    }

    #[test]
    fn csv_and_json_lines_say_the_same() {
        for text in [
            "task_uid,split_unit,model,trial,reward,passed,n\n\"a,1\",c:x,m,2,0.5,0,9\nb,,,,,1,9\n",
            "{\"task\":\"a,1\",\"scenario\":\"c:x\",\"source\":\"m\",\"trial\":2,\"reward\":0.5,\"passed\":false}\n\n{\"task\":\"b\",\"passed\":1}",
        ] {
            let labels = read(text).unwrap();
            let label = Label { reward: Some(0.5), passed: Some(false), scenario: Some("c:x".to_owned()) };
            assert_eq!(labels.get("a,1", "m", 2), Some(&label));
            assert_eq!(labels.get("a,1", "m", 1), None);
            assert_eq!(labels.get("b", "any", 7).and_then(|label| label.passed), Some(true));
        }
    }

    #[test]
    fn a_bad_row_is_named_with_its_line() {
        for (text, part) in [
            ("task,passed\na,1\nb,perhaps\n", "line 3: passed \"perhaps\""),
            ("task,passed\na,1\na,0\n", "line 3 labels a transcript"),
            ("task,passed\na,\n", "line 2: neither"),
            ("name,passed\na,1\n", "line 2: no column `task`"),
            ("{\"task\":\"a\",\"reward\":\"x\"}", "line 1: reward"),
            ("{\"task\"", "line 1: EOF"),
            ("task,trial,passed\na,-1,1", "line 2: trial"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
