//! Durable state: event log, call journal, blobs.
