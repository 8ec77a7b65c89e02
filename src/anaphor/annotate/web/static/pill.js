// Where the save path stands, and the pill in the header that shows it. docs/annotate/annotator.md draws the states.
import * as kept from "./kept.js";
import { t } from "./words.js";

const pill = document.getElementById("pill");

// From each state to those that may follow it.
const MOVES = {
  idle: ["saving", "saved", "offline", "conflict", "refused"],
  saving: ["idle", "saved", "offline", "conflict", "refused"],
  saved: ["idle", "saving", "offline", "conflict", "refused"],
  offline: ["saving", "saved", "conflict", "refused"],
  conflict: ["saving", "saved", "offline", "refused"],
  refused: ["saving", "saved", "offline", "conflict"],
};
let state = "idle";
let changed = false;
let away = false;
let conflict = null;  // the first answer on the server that waits for a choice

const kepts = (number) => (number === 1 ? t("1 answer kept in this browser") : t("{n} answers kept in this browser", { n: number }));

const WORDS = {
  idle: () => (changed ? t("Not saved yet") : t("Ready")),
  saving: () => t("Saving…"),
  saved: () => t("All answers saved"),
  offline: (entries) => `${away ? t("Not connected") : t("Waiting")} · ${kepts(entries.length)}`,
  refused: (entries) => `${t("Signed out")} · ${kepts(entries.length)}`,
  conflict: () => t("Two answers to item {n}: choose", { n: conflict.position }),
};

export const enter = (next) => {
  if (!pill) return;
  if (next !== state && !MOVES[state].includes(next)) throw new Error(`save path: ${state} to ${next}`);
  state = next;
  const entries = kept.waiting();
  pill.dataset.state = state;
  const text = kept.works ? WORDS[state](entries) : `${WORDS[state](entries)} · ${t("this browser stores nothing")}`;
  if (state === "conflict") {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.conflict = conflict.assignment;
    button.textContent = text;
    pill.replaceChildren(button);
  } else if (pill.textContent !== text) {
    pill.textContent = text;
  }
};

// The state that follows from what still waits here, after an error or without one.
export const settle = ({ conflict: found = null, away: gone = false, refused = false } = {}) => {
  const entries = kept.waiting();
  [conflict, away] = [found, gone];
  if (conflict) enter("conflict");
  else if (refused && entries.length) enter("refused");
  else if (entries.length) enter("offline");
  else enter("saved");
};

// What is typed and not saved yet; it never hides an answer that waits.
export const typed = (now) => {
  changed = now;
  if (state === "idle" || (changed && state === "saved")) enter("idle");
};
