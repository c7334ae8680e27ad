//! One file: opened, recognised, cut into records, converted in parallel.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use palaestra_domain::{SourceId, TaskId, Trajectory};
use rayon::prelude::*;

use super::decode::{self, Fault};
use super::detect::{self, HEAD};
use super::labels::Labels;
use super::options::{Format, ImportOptions, Input};
use super::records::{Layout, Records, Span};
use super::report::{FileReport, Refusal};
use super::{intercode, openai_chat, palaestra, scenario, tau1, tau2, tau2_trace};

/// A file to read.
#[derive(Debug)]
pub(super) struct Job<'a> {
    /// The file.
    pub path: PathBuf,
    /// The input that led to it.
    pub input: &'a Input,
    /// The input's labels.
    pub labels: Option<&'a Labels>,
    /// Whether a directory happened to hold it: then it may be something else entirely.
    pub found: bool,
}

/// What a record does not say itself.
#[derive(Debug)]
pub(super) struct Context<'a> {
    /// The caller's options.
    pub options: &'a ImportOptions,
    /// What the caller said about the input.
    pub input: &'a Input,
    /// The input's labels.
    pub labels: Option<&'a Labels>,
    /// The source that the file's or folder's name gives.
    pub run: String,
    /// The trial that the name gives (`<model>.t3`).
    pub run_trial: Option<u32>,
    /// The domain that the file gives, as a whole.
    pub domain: Option<String>,
    /// The source that the file gives, as a whole.
    pub model: Option<String>,
    /// The verdict's text, where it stands in a file of its own.
    pub verdict: Option<String>,
}

impl Context<'_> {
    /// The source of a record that names `own` as its model.
    pub(super) fn source(&self, own: Option<&str>) -> Result<SourceId, Fault> {
        let given = self.input.source.as_deref().or(own).or(self.model.as_deref()).unwrap_or(&self.run);
        SourceId::new(given).map_err(|error| Fault::new("model", error.to_string()))
    }

    /// The trial of a record that gives `own`: 1 when nothing tells.
    pub(super) fn trial(&self, own: Option<u32>) -> u32 {
        own.or(self.run_trial).unwrap_or(1)
    }
}

/// A trajectory's place in the import, with what the caller made of it.
#[derive(Debug)]
pub(super) struct Piece<T> {
    pub task: TaskId,
    pub source: SourceId,
    pub trial: u32,
    /// The scenario that the record shows, when it shows one.
    pub scenario: Option<String>,
    /// How the record is called in messages.
    pub record: String,
    pub value: T,
}

/// What one file gave.
#[derive(Debug)]
pub(super) struct FileOutcome<T> {
    pub report: FileReport,
    pub pieces: Vec<Piece<T>>,
    pub refused: Vec<Refusal>,
}

/// Reads one file.
pub(super) fn read<T: Send>(
    job: &Job<'_>,
    options: &ImportOptions,
    each: &(impl Fn(Trajectory) -> T + Sync),
) -> FileOutcome<T> {
    let report = FileReport { file: job.path.clone(), format: None, records: 0, imported: 0, skipped: None };
    let mut outcome = FileOutcome { report, pieces: Vec::new(), refused: Vec::new() };
    let (head, input) = match open(&job.path) {
        Ok(opened) => opened,
        Err(error) => {
            outcome.refuse("", Fault::new("", format!("cannot read the file: {error}")));
            return outcome;
        }
    };
    let Some((format, layout)) = detect::detect(&head, job.input.format) else {
        let message =
            if head.is_empty() { "the file is empty" } else { "no known trajectory format at its beginning" };
        if job.found {
            outcome.report.skipped = Some(message.to_owned());
        } else {
            outcome
                .refuse("", Fault::new("", format!("{message}: name the format if it holds trajectories")));
        }
        return outcome;
    };
    outcome.report.format = Some(format);
    let context = match context(job, options, format, &layout, &head) {
        Ok(context) => context,
        Err(fault) => {
            outcome.refuse("", fault);
            return outcome;
        }
    };
    outcome.read_records(Records::new(head, input, layout.clone()), format, &layout, &context, each);
    outcome
}

impl<T: Send> FileOutcome<T> {
    fn refuse(&mut self, record: &str, fault: Fault) {
        let Fault { field, message } = fault;
        let file = self.report.file.clone();
        self.refused.push(Refusal { file, record: record.to_owned(), field, message });
    }

    fn read_records(
        &mut self,
        mut records: Records<impl Read + Send + Sync>,
        format: Format,
        layout: &Layout,
        context: &Context<'_>,
        each: &(impl Fn(Trajectory) -> T + Sync),
    ) {
        // The first line of our own files is their header.
        let header = usize::from(format == Format::Palaestra);
        loop {
            let spans = records.next_batch();
            if spans.is_empty() {
                break;
            }
            let spans: Vec<Span> = spans.into_iter().filter(|span| span.number > header).collect();
            let read = |span: &Span| {
                (name(span, layout), piece(records.bytes(span), span, format, layout, context, each))
            };
            let results: Vec<_> = spans.par_iter().map(read).collect();
            self.report.records += results.len();
            for (record, result) in results {
                match result {
                    Ok(piece) => self.pieces.push(piece),
                    Err(fault) => self.refuse(&record, fault),
                }
            }
        }
        self.report.imported = self.pieces.len();
        if let Some(fault) = records.fault() {
            self.refuse("", Fault::new("", fault));
        }
    }
}

/// How a record is called in messages.
fn name(span: &Span, layout: &Layout) -> String {
    match layout {
        Layout::Lines => format!("line {}", span.number),
        Layout::Nested(_) => format!("record {}", span.key),
        _ => format!("record {}", span.number),
    }
}

fn piece<T>(
    bytes: &[u8],
    span: &Span,
    format: Format,
    layout: &Layout,
    context: &Context<'_>,
    each: &impl Fn(Trajectory) -> T,
) -> Result<Piece<T>, Fault> {
    let mut notes = Vec::new();
    let text = decode::text(bytes, &mut notes);
    let mut trajectory = match format {
        Format::Tau1 => tau1::read(&text, context),
        Format::Tau2 => tau2::read(&text, context),
        Format::Tau2Trace => tau2_trace::read(&text, context),
        Format::InterCode => intercode::read(&text, &span.key, context),
        Format::OpenAiChat => openai_chat::read(&text, context),
        Format::Palaestra => palaestra::read(&text, context),
    }?;
    if trajectory.task.ability.is_none() {
        trajectory.task.ability.clone_from(&context.options.ability);
    }
    notes.append(&mut trajectory.decoding_notes);
    trajectory.decoding_notes = notes;
    let scenario = (trajectory.task.scenario != scenario::of_task_id(trajectory.task.id.as_str()))
        .then(|| trajectory.task.scenario.clone());
    Ok(Piece {
        task: trajectory.task.id.clone(),
        source: trajectory.source.clone(),
        trial: trajectory.trial,
        scenario,
        record: name(span, layout),
        value: each(trajectory),
    })
}

/// A file's first bytes and the rest of it, unpacked when it is gzip by content.
fn open(path: &Path) -> io::Result<(Vec<u8>, Box<dyn Read + Send + Sync>)> {
    let mut file = File::open(path)?;
    let mut magic = Vec::with_capacity(2);
    (&mut file).take(2).read_to_end(&mut magic)?;
    let packed = magic == [0x1f, 0x8b];
    let raw = io::Cursor::new(magic).chain(file);
    let mut input: Box<dyn Read + Send + Sync> = if packed {
        Box::new(MultiGzDecoder::new(BufReader::with_capacity(64 * 1024, raw)))
    } else {
        Box::new(raw)
    };
    let mut head = Vec::new();
    // What a damaged file gives before its error is judged by whoever reads on.
    match (&mut input).take(HEAD as u64).read_to_end(&mut head) {
        Err(error) if head.is_empty() => Err(error),
        Err(error) => Ok((head, Box::new(Broken(Some(error))))),
        Ok(_) => Ok((head, input)),
    }
}

/// The rest of a file that could not be read to the end of its head.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

fn context<'a>(
    job: &'a Job<'_>,
    options: &'a ImportOptions,
    format: Format,
    layout: &Layout,
    head: &[u8],
) -> Result<Context<'a>, Fault> {
    let (run, run_trial) = run_name(&job.path, layout);
    let mut context = Context {
        options,
        input: job.input,
        labels: job.labels,
        run,
        run_trial,
        domain: job.input.domain.clone(),
        model: None,
        verdict: None,
    };
    match format {
        Format::Palaestra => palaestra::check_header(head)?,
        Format::Tau1 => {
            let domain = context.domain.take();
            context.domain = domain.or_else(|| tau1::domain(head, &job.path));
        }
        Format::Tau2 if *layout == Layout::Member("simulations") => {
            let (domain, model) = results_info(&job.path)?;
            context.domain = context.domain.take().or(domain);
            context.model = model;
        }
        Format::Tau2Trace => context.verdict = companion(&job.path)?,
        _ => {}
    }
    Ok(context)
}

/// What the `info` of a tau2-bench results file says, wherever in the file it stands.
fn results_info(path: &Path) -> Result<(Option<String>, Option<String>), Fault> {
    let (head, input) =
        open(path).map_err(|error| Fault::new("", format!("cannot read the file: {error}")))?;
    let mut records = Records::new(head, input, Layout::Key("info"));
    let spans = records.next_batch();
    match spans.first() {
        Some(span) => tau2::info(&decode::text(records.bytes(span), &mut Vec::new())),
        None => Ok((None, None)),
    }
}

/// The verdict beside a trace: `evaluations/x.json` for `traces/x.json`.
fn companion(path: &Path) -> Result<Option<String>, Fault> {
    let Some(folder) = path.parent().filter(|folder| folder.ends_with("traces")) else { return Ok(None) };
    let (Some(run), Some(name)) = (folder.parent(), path.file_name()) else { return Ok(None) };
    let verdict = run.join("evaluations").join(name);
    if !verdict.is_file() {
        return Ok(None);
    }
    let unreadable = |error: io::Error| {
        Fault::new("evaluation", format!("cannot read the verdict in {}: {error}", verdict.display()))
    };
    let (mut bytes, mut input) = open(&verdict).map_err(unreadable)?;
    input.read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(Some(decode::text(&bytes, &mut Vec::new()).into_owned()))
}

/// The source and trial that a name gives, for records that name neither: the file's name, or its
/// folder's where every record has a file of its own. `<model>.t<n>` is trial n of the model.
fn run_name(path: &Path, layout: &Layout) -> (String, Option<u32>) {
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = file.strip_suffix(".gz").unwrap_or(&file);
    let single = match layout {
        Layout::Whole => true,
        Layout::Lines => file.ends_with(".json"),
        _ => false,
    };
    let folder = || {
        let folder = path.parent()?;
        let folder = if folder.ends_with("traces") { folder.parent()? } else { folder };
        Some(folder.file_name()?.to_string_lossy().into_owned())
    };
    let stem = [".jsonl", ".ndjson", ".json"].iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file);
    let name = if single { folder() } else { None }.unwrap_or_else(|| stem.to_owned());
    match name.rsplit_once(".t") {
        Some((model, trial)) if !model.is_empty() => match trial.parse() {
            Ok(trial) => (model.to_owned(), Some(trial)),
            Err(_) => (name, None),
        },
        _ => (name, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_the_source_and_the_trial() {
        for (path, layout, name) in [
            ("runs/gpt-4.1-mini.jsonl.gz", Layout::Lines, ("gpt-4.1-mini", None)),
            ("runs/Qwen3-Next.t4.jsonl.gz", Layout::Lines, ("Qwen3-Next", Some(4))),
            ("runs/grok-4.json", Layout::Elements, ("grok-4", None)),
            ("data/my run/task_5.json", Layout::Whole, ("my run", None)),
            ("data/my run/task_5.json", Layout::Lines, ("my run", None)),
            ("raw/Qwen3-Next.t1/traces/retail_14.json.gz", Layout::Whole, ("Qwen3-Next", Some(1))),
            ("x.tar", Layout::Elements, ("x.tar", None)),
        ] {
            let (found, trial) = run_name(Path::new(path), &layout);
            assert_eq!((found.as_str(), trial), name, "{path}");
        }
    }
}
