//! Waits that many pods must not all wait alike: each a little shorter or longer than it is set.
//!
//! Owns how waits before a retry are spread, and where the chance in it comes from. A test takes none, or a seed. It
//! refuses to know what is waited for. Read next: `turn.rs`, which waits.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// How waits are spread around what is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spread {
    /// As they are set.
    None,
    /// Between three and five quarters of it, the same for the same seed.
    Seed(u64),
    /// The same by chance.
    #[default]
    Random,
}

impl Spread {
    pub fn over(self, waits: &[Duration]) -> Vec<Duration> {
        let seed = match self {
            Self::None => return waits.to_vec(),
            Self::Seed(seed) => seed,
            // The standard library seeds each of these anew; waits need no better chance.
            Self::Random => RandomState::new().hash_one(()),
        };
        (0_u64..).zip(waits).map(|(number, wait)| wait.mul_f64(0.75 + 0.5 * share(seed, number))).collect()
    }
}

/// A number from 0 to 1: one step of a linear congruence, whose upper bits are what is good in it.
fn share(seed: u64, number: u64) -> f64 {
    let mixed = seed.wrapping_add(number).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    f64::from((mixed >> 32) as u32) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_wait_stays_near_what_is_set(seed: u64, set in 0_u64..100_000) {
            let set = Duration::from_millis(set);
            prop_assert_eq!(Spread::None.over(&[set]), [set]);
            let waits = Spread::Seed(seed).over(&[set, set]);
            prop_assert_eq!(&waits, &Spread::Seed(seed).over(&[set, set]));
            for wait in waits {
                prop_assert!(set.mul_f64(0.74) <= wait && wait <= set.mul_f64(1.26), "{:?}", wait);
            }
        }
    }

    #[test]
    fn seeds_differ() {
        let second = [Duration::from_secs(1)];
        assert_ne!(Spread::Seed(1).over(&second), Spread::Seed(2).over(&second));
    }
}
