//! The pause that a service asks for: seconds, milliseconds or an HTTP date, also under the names
//! that gateways give to their upstream's headers.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use reqwest::header::{DATE, HeaderMap};

const MILLIS_HEADERS: [&str; 2] = ["retry-after-ms", "llm_provider-retry-after-ms"];
const HEADERS: [&str; 2] = ["retry-after", "llm_provider-retry-after"];

/// The longest pause that the headers ask for. A date is measured from the answer's own `Date`, so
/// that a wrong clock on either side does not matter; without one, from `now`.
pub(super) fn floor(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let servers_own = text(DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok());
    // A time that the system cannot hold leaves only relative pauses readable.
    let from = servers_own.or_else(|| SystemTime::try_from(now).ok());
    let millis = MILLIS_HEADERS.iter().filter_map(|name| seconds(text(name)?, 0.001));
    let other = HEADERS.iter().filter_map(|name| {
        let value = text(name)?;
        seconds(value, 1.0).or_else(|| {
            let until = httpdate::parse_http_date(value).ok()?;
            Some(until.duration_since(from?).unwrap_or_default())
        })
    });
    millis.chain(other).max()
}

fn seconds(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number * unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floor_of(pairs: &[(&'static str, &str)]) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, value.parse().unwrap());
        }
        // Sun, 06 Nov 1994 08:49:37 GMT.
        floor(&headers, Timestamp::from_second(784_111_777).unwrap())
    }

    #[test]
    fn seconds_milliseconds_dates_and_gateway_names_are_read() {
        let secs = |s| Some(Duration::from_secs(s));
        assert_eq!(floor_of(&[]), None);
        assert_eq!(floor_of(&[("retry-after", "7")]), secs(7));
        assert_eq!(floor_of(&[("retry-after", "0.5")]), Some(Duration::from_millis(500)));
        assert_eq!(floor_of(&[("retry-after-ms", "1500")]), Some(Duration::from_millis(1_500)));
        assert_eq!(floor_of(&[("llm_provider-retry-after", "9")]), secs(9));
        assert_eq!(floor_of(&[("llm_provider-retry-after-ms", "2500")]), Some(Duration::from_millis(2_500)));
        // LiteLLM gives its own guess beside its upstream's word; the longer one holds.
        assert_eq!(floor_of(&[("retry-after", "1"), ("llm_provider-retry-after", "9")]), secs(9));
        assert_eq!(floor_of(&[("retry-after", "Sun, 06 Nov 1994 08:50:00 GMT")]), secs(23));
        assert_eq!(floor_of(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]), secs(0));
        assert_eq!(floor_of(&[("retry-after-ms", "500"), ("retry-after", "1")]), secs(1));
        for nonsense in ["soon", "-3", "NaN", "inf"] {
            assert_eq!(floor_of(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
    }

    #[test]
    fn the_servers_own_date_is_the_origin() {
        let skewed =
            [("date", "Sun, 06 Nov 1994 10:00:00 GMT"), ("retry-after", "Sun, 06 Nov 1994 10:00:05 GMT")];
        assert_eq!(floor_of(&skewed), Some(Duration::from_secs(5)));
    }
}
