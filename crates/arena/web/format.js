/* Formatting numbers, times, moves and names for people. */

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const whole = (number) => (Number.isFinite(number) ? WHOLE.format(number) : "–");
export const short = (number) => (Number.isFinite(number) ? SHORT.format(number) : "–");

/** "1 move", "2 moves". */
export const count = (number, one, many = `${one}s`) => `${whole(number)} ${number === 1 ? one : many}`;

/** A clock: 0:07, 12:30, and tenths when it is short. */
export function clock(ms) {
  if (ms === null || ms === undefined) return "";
  const left = Math.max(0, ms);
  if (left < 10_000) return `${(Math.floor(left / 100) / 10).toFixed(1)} s`;
  const seconds = Math.ceil(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** A date from a number (seconds or milliseconds since 1970) or a text. */
export function moment(value) {
  if (value === null || value === undefined || value === "") return null;
  const number = typeof value === "number" ? value : /^\d+$/.test(value) ? Number(value) : null;
  const date = number === null ? new Date(value) : new Date(number < 1e11 ? number * 1000 : number);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** "just now", "5 minutes ago", or the day. */
export function ago(value) {
  const date = moment(value);
  if (!date) return "";
  const seconds = (Date.now() - date.getTime()) / 1000;
  if (seconds < 45) return "just now";
  if (seconds < 3600) return `${count(Math.max(1, Math.round(seconds / 60)), "minute")} ago`;
  if (seconds < 86_400) return `${count(Math.round(seconds / 3600), "hour")} ago`;
  return new Intl.DateTimeFormat("en", { dateStyle: "medium" }).format(date);
}

/** A move as written in the sheet, without its outer parentheses: `(mark 2 2)` is `mark 2 2`. */
export function formatMove(move) {
  const text = String(move ?? "");
  return text.startsWith("(") && text.endsWith(")") ? text.slice(1, -1) : text;
}

/** The moves of one step, without those of roles that only wait. */
export function formatJointMove(joint, roles) {
  if (!joint) return "";
  const acting = joint.map((move, role) => ({ move, role })).filter(({ move }) => !isNoop(move));
  const shown = acting.length > 0 ? acting : joint.map((move, role) => ({ move, role }));
  if (shown.length === 1) return formatMove(shown[0].move);
  return shown.map(({ move, role }) => `${roles?.[role] ?? role + 1}: ${formatMove(move)}`).join(", ");
}

/** A move that by its name does nothing. */
export function isNoop(move) {
  return /^\(?\s*(noop|no-op|pass|wait|none|nop)\s*\)?$/i.test(String(move ?? ""));
}

/** The index of a role that is given by index or by name; -1 where there is none. */
export function roleIndex(roles, role) {
  if (typeof role === "number") return role;
  return roles.indexOf(role);
}

/** Whether a tag only repeats the number of players. */
export const isPlayerCountTag = (tag) => /^(puzzle|(one|two|three|four|five|six|multi)-?players?)$/.test(tag);

export function formatPlayerCount(number) {
  if (number === 1) return "puzzle";
  return `${number} players`;
}
