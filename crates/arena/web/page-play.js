/* Playing a match: clickable board, move list, hints, taking back and resigning. */

import * as api from "./api.js";
import { h, icon, replace } from "./dom.js";
import { note, say } from "./announce.js";
import { Board } from "./board.js";
import { PlayerList } from "./player-list.js";
import { ask, offerLink } from "./dialog.js";
import { follow, newest } from "./events.js";
import { gauge } from "./gauge.js";
import { MoveList } from "./move-list.js";
import { link, remember } from "./router.js";
import { keepSecrets, secretsOf } from "./role-secrets.js";
import { positionLink } from "./share.js";
import { formatJointMove, roleIndex, short } from "./format.js";

export async function page({ main, params, query, signal, title }) {
  const [id] = params;
  if (query.get("seat")) {
    keepSecrets(id, [{ role: null, seat: query.get("seat") }]);
    remember(new URLSearchParams()); // the secret must not stay in an address that may be copied
  }
  const seats = secretsOf(id);
  if (seats.length === 0) {
    replace(main, noRole(id));
    return;
  }
  await new Play({ main, id, seats, signal, title }).open();
}

class Play {
  constructor({ main, id, seats, signal, title }) {
    Object.assign(this, { main, id, seats, signal, title });
    this.seat = seats[0].seat;
    this.now = null;
    this.chosen = null; // the move that was sent for this step
    this.joints = new Map();
    this.board = new Board({
      onMove: (move) => this.send(move),
      onSelect: (targets, candidates) => this.list.keep(targets.length > 0 ? candidates : null),
    });
    this.list = new MoveList({ onMove: (move) => this.send(move), onPoint: (clicks) => this.board.point(clicks) });
    this.players = new PlayerList(signal);
    this.status = h("p", { class: "status" });
    this.details = h("p", { class: "soft small" });
    this.hints = h("div", { class: "hints", hidden: true });
    this.facts = h("ul", { class: "facts" });
    this.factsBox = h("details", { class: "panel small" }, h("summary", null, "The position in words"), this.facts);
    this.history = h("ol", { class: "history" });
    this.connection = h("p", { class: "notice warn", hidden: true }, "The connection is interrupted; trying again …");
    this.refresh = newest(() => this.load());
    this.buttons = {
      hint: this.button("hint", "Hint", () => this.hint()),
      undo: this.button("undo", "Take back", () => this.undo()),
      resign: this.button("flag", "Resign", () => this.resign()),
      share: this.button("link", "Share position", () => this.share()),
    };
  }

  button(name, words, act) {
    return h("button", { type: "button", class: "button", on: { click: act } }, icon(name), words);
  }

  async open() {
    await this.load();
    const { game, title } = this.now;
    replace(
      this.main,
      h(
        "header",
        { class: "row spread" },
        h("div", null, h("p", { class: "crumbs" }, h("a", { href: "#/" }, "Library"), " / ", h("a", { href: link("game", game) }, title)), h("h1", { class: "smaller" }, title)),
        h("a", { class: "button quiet", href: link("watch", this.id) }, icon("chart"), "Analysis"),
      ),
      this.connection,
      h(
        "div",
        { class: "match-layout" },
        h("section", { class: "match-board", "aria-label": "Board" }, this.board.element),
        h(
          "div",
          { class: "match-side" },
          h("section", { class: "panel state", "aria-label": "State of the match" }, this.status, this.details, this.players.element),
          this.list.element,
          h("section", { class: "panel", "aria-label": "Help and more" }, h("div", { class: "tools" }, Object.values(this.buttons)), this.hints),
          h("section", { class: "panel", "aria-labelledby": "history-title" }, h("h2", { id: "history-title" }, "So far"), this.history),
          this.factsBox,
        ),
      ),
    );
    this.draw();
    this.listen();
  }

  listen() {
    follow(
      this.id,
      this.signal,
      (kind, data) => this.onEvent(kind, data),
      (state) => {
        this.connection.hidden = state === "open";
      },
    );
  }

  onEvent(kind, data) {
    if (kind === "step") {
      for (const step of [...this.joints.keys()]) if (step > data.step) this.joints.delete(step);
      if (data.joint) this.joints.set(data.step, data.joint);
      // A step has two events: when it is reached, and when its legal moves are known.
      this.drawHistory();
      this.refresh();
    } else if (kind === "clock") {
      if (data.step === this.now?.step) this.players.set(data.role, data.remaining_ms);
    } else if (kind === "error") {
      if (data.step >= (this.now?.step ?? 0) - 1) note(this.errorText(data), "bad");
    } else if (kind === "end") {
      this.refresh();
    }
  }

  errorText({ role, text, kind }) {
    const index = roleIndex(this.now?.roles ?? [], role);
    return `${this.now?.roles[index] ?? role}: ${text || kind}`;
  }

  /** Loads the position as the role that has to move; with several roles in this browser it changes. */
  async load() {
    try {
      let now = await api.snapshot(this.id, this.seat, this.signal);
      const awaited = (snapshot) => !snapshot.finished && snapshot.waiting_for.includes(snapshot.you);
      if (!awaited(now) && !now.finished) {
        for (const { seat } of this.seats) {
          if (seat === this.seat) continue;
          const other = await api.snapshot(this.id, seat, this.signal);
          if (awaited(other) && !isForced(other)) {
            this.seat = seat;
            now = other;
            break;
          }
        }
      }
      if (this.signal.aborted) return;
      const before = this.now;
      this.now = now;
      if (before && before.step !== now.step) this.hints.hidden = true;
      if (!before || before.step !== now.step || before.you !== now.you) this.chosen = null;
      if (now.joint) this.joints.set(now.step, now.joint);
      if (!before) return;
      // A selection on the board is kept while the position is unchanged.
      if (isSame(before, now)) this.players.show(now);
      else this.draw();
      this.announce(before, now);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!this.now) throw error;
      note(error.message, "bad");
    }
  }

  announce(before, now) {
    if (now.finished) {
      if (!before.finished) say(`The game is over. ${this.result(now)}`, "assertive");
      return;
    }
    if (now.step > before.step) say(`${formatJointMove(now.joint, now.roles)}. ${this.statusText(now)}`);
    else if (now.step < before.step) say(`Taken back to step ${now.step}. ${this.statusText(now)}`);
  }

  get mayMove() {
    const { now } = this;
    return !now.finished && now.waiting_for.includes(now.you) && this.chosen === null;
  }

  draw() {
    const { now } = this;
    const open = this.mayMove;
    const legal = now.finished ? [] : now.legal;
    this.board.show(now.board, open ? legal : []);
    this.list.show(open ? legal : [], open);
    this.list.element.hidden = now.finished;
    this.players.show(now);
    this.status.textContent = this.statusText(now);
    const yours = open && !isForced(now);
    this.status.classList.toggle("yours", yours);
    this.title(yours ? `Your turn: ${now.title}` : now.title);
    this.details.textContent = this.detailsText(now);
    replace(this.facts, now.board.facts.map((fact) => h("li", null, fact)));
    this.factsBox.hidden = now.board.facts.length === 0;
    this.buttons.hint.disabled = !open || isForced(now);
    this.buttons.resign.disabled = now.finished;
    this.buttons.undo.disabled = now.finished || now.step === 0;
    this.drawHistory();
    if (now.finished) this.drawEnd();
  }

  drawHistory() {
    if (!this.now) return;
    const steps = [...this.joints.keys()].sort((a, b) => b - a);
    const scrolled = this.history.scrollTop;
    replace(
      this.history,
      steps.map((step) => h("li", { value: String(step) }, formatJointMove(this.joints.get(step), this.now.roles))),
      steps.length === 0 && h("li", { class: "soft none" }, "Nothing has been played."),
    );
    this.history.setAttribute("reversed", "");
    this.history.scrollTop = scrolled;
  }

  statusText(now) {
    if (now.finished) return this.result(now);
    if (this.chosen !== null) return "Your choice is made";
    if (!now.waiting_for.includes(now.you)) return now.words || "Waiting for the others";
    const mine = now.to_move.includes(now.you);
    if (!mine && now.to_move.length > 0) return now.words || "The others are choosing";
    const role = this.seats.length > 1 ? `${now.roles[now.you]}: it is your turn` : "It is your turn";
    return now.to_move.length > 1 ? "Choose your move" : role;
  }

  detailsText(now) {
    if (now.finished) return now.goals ? now.words : "";
    const others = now.waiting_for.filter((role) => role !== now.you).map((role) => now.roles[role]);
    if (now.to_move.length > 1) {
      const waiting = this.chosen !== null && others.length > 0 ? ` Still choosing: ${others.join(", ")}.` : "";
      return `All choose at the same time; your choice is hidden until all have chosen.${waiting}`;
    }
    return `Step ${now.step}. You play ${now.roles[now.you] ?? "nothing"}.`;
  }

  result({ goals, you, roles, words }) {
    if (!goals || you === null || you === undefined) return words || "The match is over";
    const own = goals[you];
    if (goals.length === 1) return own === 100 ? "Solved: 100 points" : `Over, with ${own ?? 0} points`;
    const others = goals.filter((_, role) => role !== you);
    const best = Math.max(...others);
    if (own > best) return `You win, ${own} to ${best}`;
    if (own < best) return `${roles[goals.indexOf(best)]} wins, ${best} to ${own}`;
    return `A draw, ${own} each`;
  }

  drawEnd() {
    const { now } = this;
    replace(
      this.hints,
      h(
        "div",
        { class: "row" },
        h("a", { class: "button main", href: link("game", now.game) }, icon("again"), "Play again"),
        h("a", { class: "button", href: link("watch", this.id) }, icon("chart"), "Replay"),
      ),
    ).hidden = false;
  }

  async send(move) {
    if (!this.mayMove) return;
    this.chosen = move;
    const { step } = this.now;
    this.draw();
    this.details.textContent = this.now.to_move.length > 1 ? this.detailsText(this.now) : `You chose ${move.words}.`;
    try {
      await api.playMove(this.id, this.seat, step, move.move);
      if (this.seats.length > 1 && this.now.step === step) this.refresh();
    } catch (error) {
      if (this.now.step !== step) return; // the step has passed meanwhile
      this.chosen = null;
      note(error.message, "bad");
      await this.refresh();
    }
  }

  async hint() {
    const { step } = this.now;
    this.buttons.hint.disabled = true;
    replace(this.hints, h("p", { class: "soft small" }, "Thinking …")).hidden = false;
    try {
      const { moves } = await api.hint(this.id, this.seat, 1, this.signal);
      if (this.now.step !== step) return;
      this.drawHints(moves);
    } catch (error) {
      if (error.name !== "AbortError") replace(this.hints, h("p", { class: "small" }, error.message));
    }
    this.buttons.hint.disabled = !this.mayMove;
  }

  drawHints(moves) {
    const shown = moves.slice(0, 5);
    if (shown.length === 0) {
      replace(this.hints, h("p", { class: "soft small" }, "There is nothing to advise here."));
      return;
    }
    const rows = shown.map((hint) => {
      const legal = this.now.legal.find(({ move }) => move === hint.move);
      const value = Math.max(0, Math.min(100, hint.value ?? 0));
      const point = () => this.board.point(legal?.clicks);
      const away = () => this.board.point(null);
      return h(
        "li",
        null,
        h(
          "button",
          { type: "button", class: "move hint", disabled: !legal, on: { click: () => this.send(legal), mouseenter: point, mouseleave: away, focus: point, blur: away } },
          h("span", null, hint.words ?? hint.move),
          gauge(value, "expected points"),
          h("span", { class: "number small" }, Math.round(value)),
          h("span", { class: "number small soft", title: "simulations" }, short(hint.visits)),
        ),
      );
    });
    replace(this.hints, h("p", { class: "small soft" }, "Expected points and simulations; press one to play it."), h("ul", { class: "moves" }, rows));
    this.board.point(this.now.legal.find(({ move }) => move === shown[0].move)?.clicks);
    say(`The best move seems to be ${shown[0].words ?? shown[0].move}.`);
  }

  async undo() {
    try {
      await api.undo(this.id, this.seat);
      this.chosen = null;
      this.hints.hidden = true;
      await this.refresh();
    } catch (error) {
      note(error.message, "bad");
    }
  }

  async resign() {
    if (!(await ask("Give up?", "The match ends, and the others win.", "Resign"))) return;
    try {
      await api.resign(this.id, this.seat);
      await this.refresh();
    } catch (error) {
      note(error.message, "bad");
    }
  }

  async share() {
    try {
      const joints = [];
      for (let step = 1; step <= this.now.step; step += 1) {
        if (!this.joints.has(step)) this.joints.set(step, (await api.stepOf(this.id, step, this.seat, this.signal)).joint);
        joints.push(this.joints.get(step));
      }
      const address = positionLink(this.now.game, joints);
      offerLink("Share this position", "The link opens the position, and a match can be started from it.", address);
    } catch (error) {
      if (error.name !== "AbortError") note(error.message, "bad");
    }
  }
}

/** Whether two snapshots show the same position. */
function isSame(before, now) {
  const essence = ({ step, you, finished, terminal, legal, waiting_for: waiting, words }) => JSON.stringify([step, you, finished, terminal, legal, waiting, words]);
  return essence(before) === essence(now);
}

/** Whether there is at most one move: the server plays it. */
function isForced({ legal, to_move: choosing, you }) {
  return legal.length <= 1 && !choosing.includes(you);
}

function noRole(id) {
  return h(
    "section",
    { class: "empty" },
    h("h1", null, "You play no role in this match"),
    h("p", null, "A role belongs to the browser that started the match, or to the person with its link. Everyone may watch."),
    h("p", { class: "row" }, h("a", { class: "button main", href: link("watch", id) }, "Watch the match"), h("a", { class: "button", href: "#/" }, "To the library")),
  );
}
