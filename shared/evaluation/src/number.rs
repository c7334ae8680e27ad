//! The few sums that every measure needs.

/// A quotient of counts; none where the denominator is zero.
pub(crate) fn ratio(numerator: u64, denominator: u64) -> Option<f64> {
    (denominator > 0).then(|| numerator as f64 / denominator as f64)
}

/// The arithmetic mean; none for no values.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The mean of values that must all be there; none when one is missing or there are none.
pub(crate) fn mean_of_all(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    let values: Option<Vec<f64>> = values.into_iter().collect();
    mean(&values?)
}

/// The mean's standard error: sample standard deviation (n - 1) over √n; none below two values.
pub(crate) fn standard_error(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let n = values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt())
}
