//! A coordinator and its workers in one process, with every part that a user has: whoever dies in the
//! middle, the frozen bank is that of an undisturbed run, byte for byte.

#[cfg(test)]
mod banks;
#[cfg(test)]
mod house;
