//! The C table: that `carpel.h` and `plugin::c` say the same, and that a library made by `export!` keeps to it.
