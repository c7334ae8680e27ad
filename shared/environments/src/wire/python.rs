//! The environment's side of the protocol, which is installed beside every adapter.

/// File name and text of the Python module that every adapter imports.
pub(crate) const PYTHON_SIDE: (&str, &str) = ("palaestra_wire.py", include_str!("python/palaestra_wire.py"));
