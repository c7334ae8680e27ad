//! One report value, printed in three forms: Markdown, HTML with inline charts and no scripts, CSV.

mod chart;
mod html;
mod markdown;
mod record;
mod records;
mod value;

pub use value::{Report, ReportOptions};
