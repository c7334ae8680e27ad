//! One small task per kind of difference, in which that difference is the lesson.

use palaestra_domain::packet::DifferenceKind;
use palaestra_domain::tool::Effect;
use serde_json::json;

use super::attempts::{Attempt, failed, passed};

/// All kinds, in order.
pub(crate) const KINDS: [DifferenceKind; 13] = [
    DifferenceKind::MissingWrite,
    DifferenceKind::ExtraWrite,
    DifferenceKind::WriteArgument,
    DifferenceKind::WriteCount,
    DifferenceKind::WriteOrder,
    DifferenceKind::ReadBeforeWrite,
    DifferenceKind::PagingToEnd,
    DifferenceKind::RepeatedReads,
    DifferenceKind::RecoveryAfterError,
    DifferenceKind::AskedBeforeWrite,
    DifferenceKind::StoppingPoint,
    DifferenceKind::SharedFailure,
    DifferenceKind::SharedError,
];

pub(crate) const REQUEST: &str =
    "Mei Kovacs (mei.kovacs@example.com) wants to cancel order #W7800651 and to change her address.";

/// The attempts at a task that shows the difference.
pub(crate) fn case(kind: DifferenceKind) -> Vec<Attempt> {
    let all = match kind {
        DifferenceKind::MissingWrite => two_each(|a| look(a).cancel("no longer needed"), look),
        DifferenceKind::ExtraWrite => {
            two_each(|a| look(a).cancel("no longer needed"), |a| look(a).cancel("no longer needed").refund())
        }
        DifferenceKind::WriteArgument => {
            two_each(|a| look(a).cancel("no longer needed"), |a| look(a).cancel("ordered by mistake"))
        }
        DifferenceKind::WriteCount => two_each(|a| look(a).cancel("a").cancel("b"), |a| look(a).cancel("a")),
        DifferenceKind::WriteOrder => {
            two_each(|a| look(a).address().cancel("a"), |a| look(a).cancel("a").address())
        }
        DifferenceKind::ReadBeforeWrite => two_each(|a| look(a).cancel("a"), |a| a.cancel("a")),
        DifferenceKind::PagingToEnd => {
            two_each(|a| a.page(1).page(2).page(3).cancel("a"), |a| a.page(1).cancel("a"))
        }
        DifferenceKind::RepeatedReads => {
            vec![look(passed("short")).cancel("a"), look(look(look(look(look(passed("long")))))).cancel("a")]
        }
        DifferenceKind::RecoveryAfterError => {
            two_each(|a| look(a.shipped()).cancel("a"), |a| a.shipped().says("It cannot be done."))
        }
        DifferenceKind::AskedBeforeWrite => {
            two_each(|a| look(a).says("Which order?").hears("The lamp.").cancel("a"), |a| look(a).cancel("a"))
        }
        DifferenceKind::StoppingPoint => two_each(|a| look(a).hands_over(), |a| look(a).says("Sorry.")),
        DifferenceKind::SharedFailure => nobody(|a| look(a).refund()),
        DifferenceKind::SharedError => nobody(|a| look(a).shipped()),
    };
    all.into_iter().map(|attempt| attempt.task("shop/orders/1", REQUEST)).collect()
}

fn two_each(pass: impl Fn(Attempt) -> Attempt, fail: impl Fn(Attempt) -> Attempt) -> Vec<Attempt> {
    vec![
        pass(passed("model-north")),
        pass(passed("model-south")),
        fail(failed("model-east")),
        fail(failed("model-west")),
    ]
}

fn nobody(fail: impl Fn(Attempt) -> Attempt) -> Vec<Attempt> {
    ["model-north", "model-south", "model-east"].map(|source| fail(failed(source))).into()
}

/// Reads the order; the answer shows the customer.
pub(crate) fn look(attempt: Attempt) -> Attempt {
    let order = r##"{"order_id": "#W7800651", "status": "pending", "name": "Mei Kovacs", "email": "mei.kovacs@example.com"}"##;
    attempt.read("shop.get_order", json!({ "order_id": "#W7800651" }), order)
}

impl Attempt {
    pub(crate) fn cancel(self, reason: &str) -> Self {
        self.write("shop.cancel_order", json!({ "order_id": "#W7800651", "reason": reason }))
    }

    pub(crate) fn refund(self) -> Self {
        self.write("shop.refund_order", json!({ "order_id": "#W7800651" }))
    }

    pub(crate) fn address(self) -> Self {
        self.write("shop.change_address", json!({ "order_id": "#W7800651", "city": "Denver" }))
    }

    pub(crate) fn page(self, page: u32) -> Self {
        let answer = r##"{"orders": [{"order_id": "#W7800651", "name": "Mei Kovacs"}], "page": 1}"##;
        self.read("shop.list_orders", json!({ "status": "pending", "page": page }), answer)
    }

    /// A cancellation that the shop refuses.
    pub(crate) fn shipped(self) -> Self {
        let arguments = json!({ "order_id": "#W7800651", "reason": "c" });
        self.refused(Effect::Write, "shop.cancel_order", arguments, "Error: the order was shipped")
    }
}
