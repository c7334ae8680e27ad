//! The memory bank as a value: guarded edits, validation, retrieval, rendering.
