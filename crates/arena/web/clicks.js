/*
 * From clicks to moves. Each legal move lists the targets to click in order; the clicks so far
 * select the moves that begin with them. It works without the DOM.
 */

export class Clicks {
  /** `legal` is the list of a snapshot: `{ move, words, clicks }`. */
  constructor(legal) {
    this.legal = legal;
    this.chosen = [];
  }

  /** The moves that begin with the clicks so far. */
  candidates(chosen = this.chosen) {
    return this.legal.filter(({ clicks }) => clicks && chosen.every((target, index) => clicks[index] === target));
  }

  /** The candidates that need no further click. */
  complete() {
    return this.chosen.length === 0 ? [] : this.candidates().filter(({ clicks }) => clicks.length === this.chosen.length);
  }

  /** What can be clicked next. */
  next() {
    const targets = this.candidates().map(({ clicks }) => clicks[this.chosen.length]);
    return new Set(targets.filter((target) => target !== undefined));
  }

  /** What can be clicked first. */
  first() {
    return new Set(this.candidates([]).map(({ clicks }) => clicks[0]).filter((target) => target !== undefined));
  }

  /**
   * Takes a click. The answer: "move" (with the one move it completes), "choose" (several are
   * complete, or one is and others go on), "selected", "cleared", or "nothing".
   */
  click(target) {
    if (this.next().has(target)) {
      this.chosen = [...this.chosen, target];
    } else if (this.chosen.at(-1) === target) {
      this.chosen = this.chosen.slice(0, -1);
      return { kind: "cleared" };
    } else if (this.first().has(target)) {
      this.chosen = [target];
    } else if (this.chosen.length > 0) {
      this.chosen = [];
      return { kind: "cleared" };
    } else {
      return { kind: "nothing" };
    }
    const complete = this.complete();
    if (complete.length === 0) return { kind: "selected" };
    if (complete.length === 1 && this.next().size === 0) return { kind: "move", move: complete[0] };
    return { kind: "choose", moves: complete };
  }

  clear() {
    this.chosen = [];
  }
}
