//! House rules as tests; the crate itself is empty.
