//! Failing disks and cut tails, from inside.
