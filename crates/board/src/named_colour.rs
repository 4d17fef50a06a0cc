//! Named colours.

/// A colour with a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NamedColour {
    pub(crate) name: &'static str,
    pub(crate) fill: &'static str,
    pub(crate) edge: &'static str,
    /// The text colour on it.
    pub(crate) ink: &'static str,
}

macro_rules! named_colours {
    ($($name:literal $fill:literal $edge:literal $ink:literal;)*) => {
        &[$(NamedColour { name: $name, fill: $fill, edge: $edge, ink: $ink }),*]
    };
}

/// Medium tones, which contrast with light and dark cells.
pub(crate) static NAMED_COLOURS: &[NamedColour] = named_colours! {
    "white" "#fbf8f0" "#5f584c" "#2b2823";
    "light" "#fbf1dc" "#6b5f4a" "#2b2823";
    "black" "#2f2c2a" "#8b847a" "#f5f1e8";
    "dark" "#4a3b33" "#9a8d80" "#f5f1e8";
    "red" "#d5433f" "#8e2522" "#fff";
    "blue" "#3c78c8" "#234b85" "#fff";
    "green" "#3f9d57" "#256337" "#fff";
    "yellow" "#eec22f" "#96770f" "#2b2823";
    "orange" "#e8862e" "#97520f" "#2b2823";
    "purple" "#8a55b8" "#563175" "#fff";
    "violet" "#8a55b8" "#563175" "#fff";
    "magenta" "#c948a4" "#822966" "#fff";
    "pink" "#eb93b5" "#a04e72" "#2b2823";
    "teal" "#2aa1a1" "#146464" "#fff";
    "cyan" "#43bfd6" "#1e7a8b" "#2b2823";
    "brown" "#94653c" "#5b3b1f" "#fff";
    "gray" "#96928c" "#5d5a55" "#fff";
    "grey" "#96928c" "#5d5a55" "#fff";
    "gold" "#dfb043" "#8c6a16" "#2b2823";
    "silver" "#c4c4c8" "#75757c" "#2b2823";
};

/// The colour with a name.
pub(crate) fn named_colour(name: &str) -> Option<&'static NamedColour> {
    NAMED_COLOURS.iter().find(|swatch| swatch.name == name)
}
