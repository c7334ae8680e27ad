//! What one answer of the model means. A function of the answer alone.

use palaestra_models::{Finish, ModelResponse};

use crate::conversation::Fault;

/// One turn of the model.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// It writes a cell.
    Cell {
        /// The answer up to the end of its first block.
        text: String,
        /// The code in that block.
        code: String,
    },
    /// It only says something.
    Words(String),
    /// Nothing can be made of it.
    Unusable(Fault),
}

impl Reply {
    /// Reads an answer.
    pub(super) fn of(response: ModelResponse) -> Self {
        if response.finish == Finish::ContentFilter {
            return Self::Unusable(Fault::Withheld);
        }
        let cut = response.finish == Finish::Length;
        match first_block(&response.text) {
            Some(block) if block.closed || !cut => Self::Cell { text: block.text, code: block.code },
            _ if cut => Self::Unusable(Fault::CutOff),
            _ if response.text.trim().is_empty() => Self::Unusable(Fault::Empty),
            _ => Self::Words(response.text),
        }
    }
}

/// What to tell the model before it is asked again; none when asking again is of no use.
pub(super) fn instead(fault: Fault) -> Option<&'static str> {
    match fault {
        Fault::Empty => {
            Some("Your last turn was empty. Go on with the task: write one block of Python code.")
        }
        Fault::CutOff => Some(
            "Your last turn was too long and was cut off; nothing of it was executed. Take a shorter turn \
             instead: a few words and one short block of Python code.",
        ),
        Fault::Withheld => None,
    }
}

/// The first fenced block of a text.
struct Block {
    /// The text up to its end, with a closing fence.
    text: String,
    code: String,
    /// Whether the model itself has closed it.
    closed: bool,
}

/// The first block whose fence says Python, or no language at all.
fn first_block(text: &str) -> Option<Block> {
    let mut block: Option<Block> = None;
    let mut before = String::new();
    // Within a block of another language: its closing fence opens nothing.
    let mut elsewhere = false;
    for line in text.lines() {
        match &mut block {
            None => {
                before.push_str(line);
                before.push('\n');
                let fence = line.trim().starts_with("```");
                if elsewhere {
                    elsewhere = line.trim() != "```";
                } else if fence && !opens(line) {
                    elsewhere = true;
                } else if fence {
                    block = Some(Block { text: String::new(), code: String::new(), closed: false });
                }
            }
            Some(block) if line.trim() == "```" => {
                block.closed = true;
                break;
            }
            Some(block) => {
                block.code.push_str(line);
                block.code.push('\n');
            }
        }
    }
    let mut block = block?;
    block.text = format!("{before}{}```", block.code);
    Some(block)
}

fn opens(line: &str) -> bool {
    let language = line.trim().strip_prefix("```").map(str::to_ascii_lowercase);
    language.is_some_and(|language| matches!(language.trim(), "" | "python" | "python3" | "py"))
}
