//! Durations as a person reads them.
//!
//! Short and of few digits: a running timer may change once a second without moving what stands beside it. Tokens are
//! here too, as the other figure that is rounded for the eye. Nothing here reads a clock.

use std::time::Duration;

/// A call's time: `0.1s`, `4s`, `1m23s`, `1h02m`.
pub fn elapsed(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        let tenths = time.as_millis() / 100;
        return format!("0.{tenths}s");
    }
    seconds(time)
}

/// Whole seconds: `0s`, `12s`, `1m23s`, `1h02m`.
pub fn seconds(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// A number of tokens: `950`, `1,250`, `12k`, `1.2M`.
pub fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..10_000 => format!("{},{:03}", count / 1_000, count % 1_000),
        10_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let rows = [
            (0, "0.0s", "0s"),
            (149, "0.1s", "0s"),
            (999, "0.9s", "0s"),
            (4_900, "4s", "4s"),
            (12_000, "12s", "12s"),
            (59_999, "59s", "59s"),
            (83_000, "1m23s", "1m23s"),
            (3_720_000, "1h02m", "1h02m"),
        ];
        for (ms, call, whole) in rows {
            let time = Duration::from_millis(ms);
            assert_eq!((elapsed(time).as_str(), seconds(time).as_str()), (call, whole), "{ms} ms");
        }
    }

    #[test]
    fn tokens_are_rounded() {
        for (count, want) in [
            (7, "7"),
            (999, "999"),
            (1_000, "1,000"),
            (9_999, "9,999"),
            (10_000, "10k"),
            (21_400, "21k"),
            (1_260_000, "1.2M"),
        ] {
            assert_eq!(tokens(count), want);
        }
    }
}
