//! Tasks whose score depends on an order that means nothing.
//!
//! The retail tool `modify_pending_order_items` writes the last replacement's price and options into
//! every item that it modifies. The reference of these tasks modifies several items in one call, so
//! the same pairs in another order leave another state and score 0. Results are reported with and
//! without them.

use palaestra_domain::TaskId;

/// All tasks whose reference has such a call.
const TASKS: [&str; 5] =
    ["tau2/retail/20", "tau2/retail/21", "tau2/retail/36", "tau2/retail/37", "tau2/retail/100"];

/// Whether a task's score depends on the order of the items in one call.
#[must_use]
pub fn depends_on_argument_order(task: &TaskId) -> bool {
    TASKS.contains(&task.as_str())
}
