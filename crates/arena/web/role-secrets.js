/* Secrets of the roles that this browser plays, in local storage, so that a reload continues the match. */

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

/** The roles of a match with their secrets, `{ role, seat }`, oldest first. */
export function secretsOf(match) {
  const seats = read()[match];
  return Array.isArray(seats) ? seats : [];
}

export function keepSecrets(match, seats) {
  const all = read();
  const known = secretsOf(match).filter(({ seat }) => !seats.some((other) => other.seat === seat));
  delete all[match];
  all[match] = [...known, ...seats];
  const names = Object.keys(all);
  for (const name of names.slice(0, Math.max(0, names.length - KEPT))) delete all[name];
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // Without storage a reload loses the secret; the match itself goes on.
  }
}
