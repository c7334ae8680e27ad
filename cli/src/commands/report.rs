//! `palaestra report`: the report of an evaluation, finished or not.

use anyhow::{Context as _, Result};
use palaestra_domain::RunName;
use palaestra_methods::evaluation_run::{Artefact, EvaluationView};
use palaestra_runtime::Exit;

use crate::args::{OutputForm, ReportArgs, ReportForm};
use crate::cluster::connect::Client;
use crate::cluster::fetch;
use crate::exit::InvalidInput;
use crate::output::Printer;
use crate::run::evaluation_report::Reported;
use crate::state;

/// Prints or writes a report.
///
/// # Errors
/// When there is no such evaluation, or it cannot be read or written.
pub fn report(printer: &Printer, output: OutputForm, request: &ReportArgs) -> Result<Exit> {
    let artefact = state::runtime(Some(1))?.block_on(artefact(request))?;
    if artefact.episodes.is_empty() {
        let message = format!("no episode of run `{}` has ended yet", request.run);
        return Err(InvalidInput(message).into());
    }
    let reported = Reported::new(&artefact)?;
    let form = request.format.or((output == OutputForm::Json).then_some(ReportForm::Json));
    match (&request.to, form) {
        (None, None) => printer.text(&reported.human())?,
        (None, Some(form)) => printer.text(&reported.to_form(form)?)?,
        (Some(path), form) => {
            let text = reported.to_form(form.unwrap_or(ReportForm::Md))?;
            std::fs::write(path, text)
                .with_context(|| format!("cannot write the report to {}", path.display()))?;
        }
    }
    Ok(Exit::Success)
}

async fn artefact(request: &ReportArgs) -> Result<Artefact> {
    if request.submitted {
        return fetch::artefact(&Client::new(request.connect.link()?), &request.run).await;
    }
    let run = RunName::new(request.run.as_str()).map_err(|error| InvalidInput(error.to_string()))?;
    let store = state::place_of(&request.store, &run).open_read_only().await?;
    Ok(EvaluationView::read(store, &run).await?.artefact()?)
}
