//! Numbers of many numbers: median, percentiles, shares of a series.
//!
//! Owns how a percentile is taken (the nearest rank, so that each is a value that was measured) and how a counter that
//! was read now and then is split over a time. It refuses to know what the numbers are.

/// The value that so many percent of all are not above; absent where there is none.
pub fn percentile(values: &[f64], percent: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

pub fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 50.0)
}

/// How much a counter grew in each of so many equal parts of the time from `start` to `end`. `series` holds the time and the
/// counter, in order of time; between two readings it grows evenly.
pub fn growth(series: &[(f64, f64)], start: f64, end: f64, parts: usize) -> Vec<f64> {
    let at = |part: usize| reading(series, start + (end - start) * part as f64 / parts as f64);
    (0..parts).map(|part| at(part + 1) - at(part)).collect()
}

/// What the counter showed at a time.
fn reading(series: &[(f64, f64)], time: f64) -> f64 {
    let after = series.partition_point(|(at, _)| *at <= time);
    match (after.checked_sub(1).map(|before| series[before]), series.get(after)) {
        (Some((t0, v0)), Some((t1, v1))) => v0 + (v1 - v0) * (time - t0) / (t1 - t0),
        (Some((_, value)), None) => value,
        (None, first) => first.map_or(0.0, |(_, value)| *value),
    }
}

#[cfg(test)]
mod tests {
    use super::{growth, median, percentile};

    #[test]
    fn percentiles_are_values_of_the_list() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        for (values, percent, expected) in [
            (&[][..], 50.0, None),
            (&[7.0], 99.0, Some(7.0)),
            (&[3.0, 1.0, 2.0], 50.0, Some(2.0)),
            (&[4.0, 1.0, 2.0, 3.0], 50.0, Some(2.0)),
            (&hundred, 99.0, Some(99.0)),
            (&hundred, 100.0, Some(100.0)),
            (&hundred, 0.0, Some(1.0)),
        ] {
            assert_eq!(percentile(values, percent), expected, "{values:?} {percent}");
        }
        assert_eq!(median(&[5.0, 9.0, 1.0]), Some(5.0));
    }

    #[test]
    fn growth_is_read_between_readings() {
        let series = [(0.0, 10.0), (1.0, 20.0), (3.0, 20.0), (4.0, 30.0)];
        for (start, end, parts, expected) in [
            (0.0, 4.0, 1, vec![20.0]),
            (0.0, 4.0, 2, vec![10.0, 10.0]),
            (0.5, 1.5, 2, vec![5.0, 0.0]),
            (-2.0, 0.0, 1, vec![0.0]),
            (4.0, 9.0, 1, vec![0.0]),
        ] {
            assert_eq!(growth(&series, start, end, parts), expected, "{start} {end}");
        }
        assert_eq!(growth(&[], 0.0, 1.0, 3), [0.0, 0.0, 0.0]);
    }
}
