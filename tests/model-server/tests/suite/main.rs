//! The service as agents, construction models and scripts see it.

#[cfg(test)]
mod binary;
#[cfg(test)]
mod constructor;
#[cfg(test)]
mod live;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tau2;
