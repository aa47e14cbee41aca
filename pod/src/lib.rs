//! The pod: the agent side of carpel.
//!
//! It streams a model's answer, runs the tools that the model calls, and tells its clients what happens. The worker
//! inside knows neither protocol nor screen; the controller bridges the two; the server carries lines.
//! It never draws and never sees a terminal. [`provider`] has the seam to models, [`tools`] what a model can do.

pub mod guide;
pub mod provider;
pub mod tools;
