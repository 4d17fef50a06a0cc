/* The seats that this browser holds: secret tokens of matches, kept so that a reload goes on where it was. */

const KEY = "ludorum.seats";
const KEPT = 50;

function read() {
  try {
    const value = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return value && typeof value === "object" ? value : {};
  } catch {
    return {};
  }
}

/** The seats of a match, `{ role, seat }`, oldest first. */
export function seatsOf(match) {
  const seats = read()[match];
  return Array.isArray(seats) ? seats : [];
}

export function keepSeats(match, seats) {
  const all = read();
  const known = seatsOf(match).filter(({ seat }) => !seats.some((other) => other.seat === seat));
  delete all[match];
  all[match] = [...known, ...seats];
  const names = Object.keys(all);
  for (const name of names.slice(0, Math.max(0, names.length - KEPT))) delete all[name];
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // Without storage a reload forgets the seat; the match itself goes on.
  }
}
