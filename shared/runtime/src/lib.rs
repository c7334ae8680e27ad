//! The edge of a process: clock, retry, shutdown, tasks, telemetry, exit codes.
