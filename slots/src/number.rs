//! Numbers as a person reads them, so that every view writes them alike.
//!
//! Digits only; a noun and its plural are the caller's.

/// Digits in groups of three.
///
/// ```
/// assert_eq!(carpel_slots::number::grouped(1_250_000), "1,250,000");
/// assert_eq!(carpel_slots::number::grouped(999), "999");
/// ```
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
