//! Deliberate defects around the machine, so that the checker can be seen to find them.

use palaestra_coordinator::state::{Command, Payer, State, UnitState};
use palaestra_domain::Spend;

/// A defect. All of them sit at the machine's borders, so that the product has no switch for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// A result of any epoch is taken for one of the present epoch.
    AcceptStaleEpochs,
    /// No lease ever runs out.
    NeverExpire,
    /// A call is reserved for nothing.
    ReserveNothing,
    /// The store says that it has appended, and at times has not.
    LoseAppends,
    /// Packets reach their bank as they arrive.
    CurateOnArrival,
    /// What a curator of any term says is taken for the word of the present one.
    AcceptStaleTerms,
    /// A worker is believed to obey a smaller share at once.
    BelieveInstantShares,
}

impl Mutation {
    /// Every defect.
    pub const ALL: [Self; 7] = [
        Self::AcceptStaleEpochs,
        Self::NeverExpire,
        Self::ReserveNothing,
        Self::LoseAppends,
        Self::CurateOnArrival,
        Self::AcceptStaleTerms,
        Self::BelieveInstantShares,
    ];

    /// What the defect makes of a command.
    pub fn distort(self, state: &State, command: Command) -> Option<Command> {
        match (self, command) {
            (Self::NeverExpire, Command::Tick) => None,
            (Self::ReserveNothing, Command::Reserve { payer, call, .. }) => {
                Some(Command::Reserve { payer, call, most: Spend::default() })
            }
            (Self::AcceptStaleTerms, Command::Settle { payer, call, used }) => {
                Some(Command::Settle { payer: present(state, payer), call, used })
            }
            (Self::AcceptStaleEpochs, Command::Result { mut lease, result, tally }) => {
                if let Ok((_, unit)) = state.unit(&lease.unit)
                    && let UnitState::Leased { epoch, .. } = unit.state
                {
                    lease.epoch = epoch;
                }
                Some(Command::Result { lease, result, tally })
            }
            (Self::BelieveInstantShares, Command::RequestShare { worker, key, want, .. }) => {
                let grant = state.limits().get(&key).and_then(|limit| limit.shares.get(&worker));
                let seen = grant.map_or(0, |share| share.grant);
                Some(Command::RequestShare { worker, key, want, seen })
            }
            (_, command) => Some(command),
        }
    }
}

/// The curator whose turn it is, whoever speaks.
fn present(state: &State, payer: Payer) -> Payer {
    match payer {
        Payer::Curation { run, term } => {
            let term = state.runs().get(&run).map_or(term, palaestra_coordinator::state::Run::term);
            Payer::Curation { run, term }
        }
        lease @ Payer::Lease(_) => lease,
    }
}
