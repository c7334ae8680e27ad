//! From text to a run file, or to the list of everything that is wrong with it.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::check;
use super::contradictions;
use super::evaluation::EvaluationRun;
use super::mistake::{Mistake, Mistakes};
use super::names;
use super::spec::RunFile;
use super::tree::{self, Node};

/// The JSON Schema of a run file.
#[must_use]
pub fn schema() -> Value {
    schemars::schema_for!(RunFile).to_value()
}

/// The JSON Schema of an evaluation's run file.
#[must_use]
pub fn evaluation_schema() -> Value {
    schemars::schema_for!(EvaluationRun).to_value()
}

/// Reads the run file of one construction.
///
/// # Errors
/// [`Mistakes`]: every unknown or missing field, wrong type, unknown name and contradiction, each
/// with its line; a syntax error stands alone.
pub fn read(file: &str, text: &str) -> Result<RunFile, Mistakes> {
    let root = tree::parse(text).map_err(|mistake| fail(file, vec![mistake]))?;
    let rules = Rules { schema: schema(), names: names::wrong, contradictions: contradictions::of };
    rules.read(&root).map_err(|mistakes| fail(file, mistakes))
}

/// The mistakes of a file in the order of its lines.
pub(super) fn fail(file: &str, mut mistakes: Vec<Mistake>) -> Mistakes {
    mistakes.sort();
    Mistakes { file: file.to_owned(), mistakes }
}

/// Mistakes by the path of their field, with its meaning in words.
type Placed = Vec<(String, String)>;

/// What a document of one kind is held against.
pub(super) struct Rules<T> {
    pub(super) schema: Value,
    pub(super) names: fn(&Value) -> Placed,
    pub(super) contradictions: fn(&T) -> Placed,
}

impl<T: DeserializeOwned> Rules<T> {
    /// Reads one document, or says everything that is wrong with it.
    pub(super) fn read(&self, root: &Node) -> Result<T, Vec<Mistake>> {
        let value = root.to_value();
        let place = |(path, message): (String, String)| Mistake { line: root.line_of(&path), path, message };
        let mut mistakes = check::check(root, &self.schema);
        mistakes.extend((self.names)(&value).into_iter().map(place));
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let run: T = serde_json::from_value(value).map_err(|error| {
            vec![Mistake { line: root.line, path: String::new(), message: error.to_string() }]
        })?;
        let mistakes: Vec<Mistake> = (self.contradictions)(&run).into_iter().map(place).collect();
        if mistakes.is_empty() { Ok(run) } else { Err(mistakes) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model_ref::ModelRef;
    use super::*;

    const GOOD: &str = "\
apiVersion: palaestra.dev/v1alpha1
kind: ConstructionRun
metadata: { name: quickstart }
spec:
  environment: { name: workshop }
  sources:
    - scripted: hasty
";

    #[test]
    fn a_short_file_gets_the_documented_defaults() {
        let run = read("run.yaml", GOOD).unwrap();
        assert_eq!(run.spec.environment.seed, 20_260_610);
        assert_eq!(run.spec.construction.model.to_string(), "builtin/contrast-miner");
        assert_eq!(run.spec.construction.max_deltas, 3);
        let json = serde_json::to_value(&run).unwrap();
        assert_eq!(serde_json::from_value::<RunFile>(json).unwrap(), run);
    }

    #[test]
    fn all_mistakes_come_at_once_with_their_lines() {
        let bad = "\
apiVersion: palaestra.dev/v1
kind: ConstructionRun
metadata: { nam: x }
spec:
  environment: { name: wokshop, seed: -3 }
  sources: scripted
  construcion: {}
";
        let report = read("run.yaml", bad).unwrap_err().to_string();
        insta::assert_snapshot!(report);
    }

    #[test]
    fn wrong_names_come_with_the_other_mistakes() {
        let bad = GOOD
            .replace("quickstart", "Quick Start")
            .replace("- scripted: hasty", "- { only: [a, ''], trials: x }");
        let report = read("run.yaml", &bad).unwrap_err().to_string();
        for line in [
            "run.yaml:3: metadata.name: ",
            "run.yaml:7: spec.sources[0].only[1]: ",
            "run.yaml:7: spec.sources[0].trials: ",
        ] {
            assert!(report.contains(line), "{line}: {report}");
        }
    }

    #[test]
    fn a_model_alone_is_a_live_source() {
        let providers = "  providers: { acme: { protocol: openai, baseUrl: 'http://localhost/v1' } }\n";
        let live = GOOD.replace("scripted: hasty", "{ model: acme/models/large, trials: 2 }") + providers;
        let source = &read("run.yaml", &live).unwrap().spec.sources[0];
        assert_eq!(source.live_model(), Some(ModelRef::parse("acme/models/large").unwrap()));

        let recorded = live.replace("workshop", "recorded").replace("model:", "recorded: runs, model:");
        let source = &read("run.yaml", &recorded).unwrap().spec.sources[0];
        assert_eq!(source.live_model(), None, "a recording's model is only a name");
    }

    #[test]
    fn a_live_source_that_cannot_be_asked_is_a_mistake() {
        let file = |environment: &str, sources: &str| {
            format!(
                "apiVersion: palaestra.dev/v1alpha1\nkind: ConstructionRun\nmetadata: {{ name: x }}\nspec:\n  \
                 environment: {{ name: {environment} }}\n  \
                 providers: {{ acme: {{ protocol: openai, baseUrl: 'http://localhost/v1' }} }}\n  sources:\n{sources}"
            )
        };
        let sources = "    - model: acme/large\n    - model: large\n    - model: other/large\n    \
                       - { scripted: hasty, model: acme/large }\n    - trials: 2\n    - model: acme/large\n";
        let workshop = read("run.yaml", &file("workshop", sources)).unwrap_err();
        let recorded = read("run.yaml", &file("recorded", "    - model: acme/large\n")).unwrap_err();
        insta::assert_snapshot!(format!("{workshop}\n{recorded}"));
    }

    #[test]
    fn contradictions_name_their_place() {
        let bad = "\
apiVersion: palaestra.dev/v1alpha1
kind: ConstructionRun
metadata: { name: x }
spec:
  environment: { name: workshop }
  sources:
    - scripted: hasty
      recorded: runs
    - trials: 0
      recorded: runs
  construction:
    model: acme/large
    functionCards: false
    skillCards: false
  budget:
    usd: -1.0
";
        let report = read("run.yaml", bad).unwrap_err().to_string();
        insta::assert_snapshot!(report);
    }
}
