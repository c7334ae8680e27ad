//! From text to a run file, or to the list of everything that is wrong with it.

use serde_json::Value;

use super::check;
use super::mistake::{Mistake, Mistakes};
use super::names;
use super::spec::{EnvironmentName, RunFile, SourceSpec};
use super::tree;

/// The JSON Schema of a run file.
#[must_use]
pub fn schema() -> Value {
    schemars::schema_for!(RunFile).to_value()
}

/// Reads a run file.
///
/// # Errors
/// [`Mistakes`]: every unknown or missing field, wrong type, unknown name and contradiction, each
/// with its line; a syntax error stands alone.
pub fn read(file: &str, text: &str) -> Result<RunFile, Mistakes> {
    let fail = |mut mistakes: Vec<Mistake>| {
        mistakes.sort();
        Mistakes { file: file.to_owned(), mistakes }
    };
    let root = tree::parse(text).map_err(|mistake| fail(vec![mistake]))?;
    let value = root.to_value();
    let place = |(path, message): (String, String)| Mistake { line: root.line_of(&path), path, message };
    let mut mistakes = check::check(&root, &schema());
    mistakes.extend(names::wrong(&value).into_iter().map(place));
    if !mistakes.is_empty() {
        return Err(fail(mistakes));
    }
    let run: RunFile = serde_json::from_value(value).map_err(|error| {
        fail(vec![Mistake { line: root.line, path: String::new(), message: error.to_string() }])
    })?;
    let mistakes = contradictions(&run);
    if mistakes.is_empty() {
        return Ok(run);
    }
    Err(fail(mistakes.into_iter().map(place).collect()))
}

/// What a schema cannot say: (path, message).
fn contradictions(run: &RunFile) -> Vec<(String, String)> {
    let spec = &run.spec;
    let mut found = Vec::new();
    if spec.sources.is_empty() {
        found.push(("spec.sources".to_owned(), "at least one source is needed".to_owned()));
    }
    for (index, source) in spec.sources.iter().enumerate() {
        found.extend(
            source_contradictions(source, spec.environment.name)
                .into_iter()
                .map(|(field, message)| (format!("spec.sources[{index}]{field}"), message)),
        );
    }
    found.extend(repeated_scripts(&spec.sources));
    let construction = &spec.construction;
    if construction.model.provider != "builtin" && !spec.providers.contains_key(&construction.model.provider)
    {
        found.push((
            "spec.construction.model".to_owned(),
            format!(
                "`{}` names the provider `{}`, which `spec.providers` does not describe",
                construction.model, construction.model.provider
            ),
        ));
    }
    if construction.model.provider == "builtin" && construction.model.model != "contrast-miner" {
        found.push((
            "spec.construction.model".to_owned(),
            format!(
                "there is no builtin model `{}`; the one that exists is `contrast-miner`",
                construction.model.model
            ),
        ));
    }
    if !construction.function_cards && !construction.skill_cards {
        found.push((
            "spec.construction".to_owned(),
            "with both kinds of cards off there is nothing to build".to_owned(),
        ));
    }
    if !(1..=3).contains(&construction.max_deltas) {
        found.push(("spec.construction.maxDeltas".to_owned(), "must be 1 to 3".to_owned()));
    }
    if spec.environment.held_out_percent > 90 {
        found.push(("spec.environment.heldOutPercent".to_owned(), "must be 0 to 90".to_owned()));
    }
    for (name, provider) in &spec.providers {
        if provider.api_key_env.is_some() && provider.api_key_file.is_some() {
            found.push((
                format!("spec.providers.{name}"),
                "give apiKeyEnv or apiKeyFile, not both".to_owned(),
            ));
        }
    }
    if spec.budget.usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
        found.push(("spec.budget.usd".to_owned(), "must be a number of dollars, 0 or more".to_owned()));
    }
    found
}

/// A scripted agent that stands twice would make every attempt twice.
fn repeated_scripts(sources: &[SourceSpec]) -> Vec<(String, String)> {
    let mut named = std::collections::BTreeSet::new();
    let mut found = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        if source.scripted.as_ref().is_some_and(|name| !named.insert(name)) {
            let message = "stands twice; give it once, with `trials` for more attempts".to_owned();
            found.push((format!("spec.sources[{index}].scripted"), message));
        }
    }
    found
}

fn source_contradictions(source: &SourceSpec, environment: EnvironmentName) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    match (&source.scripted, &source.recorded) {
        (None, None) | (Some(_), Some(_)) => {
            found.push(("", "give exactly one of `scripted` and `recorded`".to_owned()));
        }
        (Some(name), None) if environment == EnvironmentName::Recorded => found.push((
            ".scripted",
            format!(
                "the scripted agent `{name}` needs the workshop world, but the environment is `recorded`"
            ),
        )),
        (None, Some(path)) if environment != EnvironmentName::Recorded => found
            .push((".recorded", format!("recordings (`{path}`) need `environment: {{ name: recorded }}`"))),
        _ => {}
    }
    if source.trials == Some(0) {
        found.push((".trials", "must be at least 1".to_owned()));
    }
    if !source.pass_threshold.is_finite() {
        found.push((".passThreshold", "must be a finite number".to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
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
