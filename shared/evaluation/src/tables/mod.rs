//! The measures in the shapes of the papers' tables. Cells are text that is ready to print; nothing is
//! computed here but differences and roundings.

mod agreement;
mod comparison;
mod coverage;
mod efficiency;
pub(crate) mod format;
mod goals;
mod repeats;
mod success;
mod table;

pub use agreement::agreement;
pub use comparison::{comparison, null_control};
pub use coverage::coverage;
pub use efficiency::{efficiency, paired_events, roles};
pub use goals::goals;
pub use repeats::repeats;
pub use success::success;
pub use table::Table;
