//! The events of one append as one value: each as its length in four bytes, big-endian, and its bytes.

/// The value; lengths are far below what four bytes hold, see the writer's limit.
pub(super) fn pack(events: &[Vec<u8>]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(events.iter().map(|event| event.len() + 4).sum());
    for event in events {
        packed.extend_from_slice(&u32::try_from(event.len()).unwrap_or(u32::MAX).to_be_bytes());
        packed.extend_from_slice(event);
    }
    packed
}

/// The events; none when the value is not a whole number of them.
pub(super) fn unpack(mut packed: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut events = Vec::new();
    while !packed.is_empty() {
        let (length, rest) = packed.split_first_chunk::<4>()?;
        let (event, rest) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
        events.push(event.to_vec());
        packed = rest;
    }
    Some(events)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_back_and_a_torn_value_does_not() {
        let events = vec![b"a".to_vec(), Vec::new(), vec![7; 300]];
        let packed = pack(&events);
        assert_eq!(unpack(&packed), Some(events));
        assert_eq!(unpack(&[]), Some(Vec::new()));
        for cut in [1, 3, 4, 7, packed.len() - 1] {
            assert_eq!(unpack(&packed[..cut]), None, "cut at {cut}");
        }
    }
}
