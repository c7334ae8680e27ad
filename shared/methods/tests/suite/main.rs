//! ContraMem's steps on small hand-made attempts, and on real recordings where they are at hand.

#[cfg(test)]
mod construct;
#[cfg(test)]
mod curation;
#[cfg(test)]
mod differences;
#[cfg(test)]
mod evaluation;
#[cfg(test)]
mod function_cards;
#[cfg(test)]
mod language;
#[cfg(test)]
mod miner;
#[cfg(test)]
mod miner_curation;
#[cfg(test)]
mod normalize;
#[cfg(test)]
mod observations;
#[cfg(test)]
mod packets;
#[cfg(test)]
mod recordings;
#[cfg(test)]
mod retrieval;
#[cfg(test)]
mod run;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod support;
