//! One contract, many worlds: the workshop and recorded trajectories.
