//! What the tests share: fixtures, and events and refusals in a form that compares at a glance.

use std::path::{Path, PathBuf};

use palaestra_domain::outcome::UnresolvedClass;
use palaestra_domain::trajectory::{Arguments, EventBody};
use palaestra_domain::{Outcome, Trajectory};
use palaestra_environments::recorded::{ImportOptions, Imported, Input, import};

/// The path of a fixture.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recorded").join(name)
}

pub fn read(input: Input) -> Imported {
    import(&[input], &ImportOptions::default()).unwrap()
}

pub fn find<'a>(imported: &'a Imported, key: &str) -> &'a Trajectory {
    let keys: Vec<String> = imported.trajectories.iter().map(Trajectory::key).collect();
    let place = keys.iter().position(|found| found == key);
    &imported.trajectories[place.unwrap_or_else(|| panic!("{key} is not among {keys:?}"))]
}

/// One line per event, short enough to compare.
pub fn lines(trajectory: &Trajectory) -> Vec<String> {
    let line = |body: &EventBody| match body {
        EventBody::Message { text } => format!("says {text}"),
        EventBody::Call { call, function, arguments, effect, unknown } => {
            let arguments = match arguments {
                Arguments::Object(map) => serde_json::to_string(map).unwrap(),
                Arguments::Malformed { text, .. } => format!("malformed {text}"),
            };
            let unknown = if *unknown { " unknown" } else { "" };
            format!("{call} {effect:?} {function} {arguments}{unknown}")
        }
        EventBody::Observation { call, content, error } => {
            format!("{call} -> {content}{}", if *error { " !" } else { "" })
        }
        EventBody::Notification { text } => format!("news {text}"),
        EventBody::FinalResponse { text } => format!("ends {text}"),
    };
    trajectory.events.iter().map(|event| format!("{:?} {}", event.source, line(&event.body))).collect()
}

/// What was refused, one line each, without the folder.
pub fn refused(imported: &Imported) -> Vec<String> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    imported
        .refused
        .iter()
        .map(|r| format!("{} | {} | {} | {}", name(&r.file), r.record, r.field, r.message))
        .collect()
}

pub fn unresolved(trajectory: &Trajectory) -> Option<UnresolvedClass> {
    match &trajectory.outcome {
        Outcome::Unresolved { class, reason } => {
            assert!(!reason.is_empty());
            Some(*class)
        }
        _ => None,
    }
}
