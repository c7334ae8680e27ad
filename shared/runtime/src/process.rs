//! Who this process is among others on the same machine and elsewhere.

/// A name that no other process has: the host's name, the process's number and a random part, so
/// that a process that starts again under the same number is told apart. At most 100 bytes of
/// letters, digits, `-` and `.`.
#[must_use]
pub fn unique_name() -> String {
    // A container's host name is its pod's name: what an operator looks for.
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let host: String = host.trim().chars().filter(plain).take(64).collect();
    let host = if host.is_empty() { "host" } else { &host };
    format!("{host}-{}-{:08x}", std::process::id(), fastrand::u32(..))
}

/// A random number, never 0, that tells one life of a process from another under the same name. Draw it once.
#[must_use]
pub fn incarnation() -> u64 {
    fastrand::u64(1..)
}

#[cfg(test)]
mod tests {
    #[test]
    fn two_lives_differ() {
        assert_ne!(super::incarnation(), super::incarnation());
    }

    #[test]
    fn two_names_of_one_process_differ_and_are_plain() {
        let (one, other) = (super::unique_name(), super::unique_name());
        assert_ne!(one, other);
        assert!(one.len() <= 100 && one.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.')));
    }
}
