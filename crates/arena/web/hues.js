/* The colour of a role: the one that it is called by, so that it agrees with the pieces; else the next of a row. */

const ROW = 6;
const COLOURS = ["red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "white", "black", "gray"];
const OTHERS = { grey: "gray", violet: "purple", magenta: "pink" };

/** `red`, `red-player`, `player_red` and `redPlayer` are called by a colour; `redoubt` is not. */
function colour(role) {
  const words = String(role ?? "").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z]+/);
  const named = words.map((word) => OTHERS[word] ?? word).filter((word) => COLOURS.includes(word));
  return named.length === 1 ? named[0] : null;
}

/** The class of a role by its name and place. */
export function roleClass(role, index) {
  const named = colour(role);
  return named ? `hue-${named}` : `r${index % ROW}`;
}
