//! How much of an item is shown.
//!
//! The person chooses it (`:density NAME`, Ctrl+O); views may say more or less by it; the host bounds what they say.

/// How much of an item is shown.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// A row an item.
    Overview,
    /// A bounded preview.
    #[default]
    Normal,
    /// Everything, bounded by the item's own limit.
    Detail,
}

impl Density {
    /// All of them, from least to most.
    pub const ALL: [Density; 3] = [Density::Overview, Density::Normal, Density::Detail];

    /// The name that a person types.
    pub fn name(self) -> &'static str {
        match self {
            Density::Overview => "overview",
            Density::Normal => "normal",
            Density::Detail => "detail",
        }
    }

    /// The density of that name.
    pub fn from_name(name: &str) -> Option<Density> {
        Density::ALL.into_iter().find(|density| density.name() == name)
    }
}
