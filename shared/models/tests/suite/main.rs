//! The models crate against real HTTP servers on loopback and a real store.

#[cfg(test)]
mod anthropic_wire;
#[cfg(test)]
mod budget;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod limiter;
#[cfg(test)]
mod openai_actions;
#[cfg(test)]
mod openai_wire;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod secrets;
#[cfg(test)]
mod structured;
#[cfg(test)]
mod support;
