//! The measures against the papers' published values, against their own definitions, and in print.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod anytime;
#[cfg(test)]
mod bootstrap;
#[cfg(test)]
mod efficiency;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod paired;
#[cfg(test)]
mod report;
#[cfg(test)]
mod success;
