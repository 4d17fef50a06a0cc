/* The colour of a role: the one in its name, so that it agrees with the pieces, else one by its index. */

const ROW = 6;
const COLOURS = ["red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "white", "black", "gray"];
const OTHERS = { grey: "gray", violet: "purple", magenta: "pink" };

/** `red`, `red-player`, `player_red` and `redPlayer` contain the colour red; `redoubt` does not. */
function colour(role) {
  const words = String(role ?? "").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/);
  const named = words.map((word) => OTHERS[word] ?? word).filter((word) => COLOURS.includes(word));
  return named.length === 1 ? named[0] : null;
}

/** The CSS class of a role by its name and index. */
export function roleClass(role, index) {
  const named = colour(role);
  return named ? `hue-${named}` : `r${index % ROW}`;
}
