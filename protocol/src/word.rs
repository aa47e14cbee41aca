//! Small vocabularies of the wire: states, outcomes, modes.
//!
//! Each is a set of fixed words. A word from a newer version is kept as it is in the `Other` variant, so that it
//! survives a round trip and a client can still show it. None of them carries data beyond the word.

macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)*
            /// A word that this version does not know.
            Other(String),
        }

        impl $name {
            /// Every word that this version knows, in the order of the reference.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The word as it stands on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $word,)*
                    $name::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> $name {
                match word {
                    $($word => $name::$variant,)*
                    other => $name::Other(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let word = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                Ok($name::from(word.as_ref()))
            }
        }
    };
}

words! {
    /// What the pod does now.
    pub enum PodState {
        /// Nothing runs; a prompt starts a turn.
        Idle = "idle",
        /// A turn runs.
        Running = "running",
        /// The turn waits, after the calls that were running when `pause` came.
        Paused = "paused",
        /// The turn is being ended by `cancel`.
        Cancelling = "cancelling",
        /// The history is being compacted.
        Compacting = "compacting",
        /// The pod itself leaves.
        Stopping = "stopping",
    }
}

words! {
    /// What a tool does in general, for views and permissions when its name says nothing.
    pub enum ToolKind {
        /// Reads a file or data.
        Read = "read",
        /// Changes a file.
        Edit = "edit",
        /// Removes something.
        Delete = "delete",
        /// Moves or renames something.
        Move = "move",
        /// Looks for something.
        Search = "search",
        /// Runs a program.
        Execute = "execute",
        /// Works without effects, a sub-agent for instance.
        Think = "think",
        /// Fetches from outside.
        Fetch = "fetch",
        /// None of these.
        Unspecified = "other",
    }
}

words! {
    /// How a call ended.
    pub enum Outcome {
        /// It did what it was asked.
        Ok = "ok",
        /// It failed; the result says why.
        Error = "error",
        /// The turn was cancelled before it ended.
        Cancelled = "cancelled",
        /// A person or a rule said no; it never ran.
        Rejected = "rejected",
        /// Its pod went away before it ended.
        Interrupted = "interrupted",
    }
}

words! {
    /// Why a turn ended.
    pub enum TurnEndReason {
        /// The model had nothing more to do.
        Completed = "completed",
        /// A person ended it.
        Cancelled = "cancelled",
        /// An error ended it; `message` says which.
        Failed = "failed",
        /// A bound (steps, tokens) ended it.
        Limit = "limit",
    }
}

words! {
    /// How a prompt enters.
    pub enum RunMode {
        /// Starts a turn; refused while one runs, queued while the history is compacted.
        Now = "now",
        /// Enters the running turn after the results of the current step; starts a turn where none runs.
        Steer = "steer",
        /// Waits for the end of the running turn; starts one where none runs.
        FollowUp = "follow_up",
    }
}

words! {
    /// A person's answer to an approval, or its withdrawal.
    pub enum Decision {
        /// Allowed this once.
        Once = "once",
        /// Allowed for the rest of the session.
        Session = "session",
        /// Refused.
        Deny = "deny",
        /// Taken back by the pod, as a cancel does.
        Withdrawn = "withdrawn",
    }
}

words! {
    /// What started a compaction.
    pub enum CompactTrigger {
        /// The window was nearly full.
        Auto = "auto",
        /// A person asked for it.
        Manual = "manual",
    }
}

words! {
    /// How grave a notice is.
    pub enum NoticeLevel {
        /// Worth knowing.
        Info = "info",
        /// Something is not as it should be; work goes on.
        Warning = "warning",
        /// Something failed.
        Error = "error",
    }
}
