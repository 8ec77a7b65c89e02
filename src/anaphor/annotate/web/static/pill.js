// Where the save path stands, and the pill in the header that shows it. docs/annotate/annotator.md draws the states.
import * as kept from "./kept.js";

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

const counted = (number) => `${number} ${number === 1 ? "answer" : "answers"}`;

const WORDS = {
  idle: () => (changed ? "Not saved yet" : "Ready"),
  saving: () => "Saving…",
  saved: () => "All answers saved",
  offline: (entries) => `${away ? "Not connected" : "Waiting"} · ${counted(entries.length)} kept in this browser`,
  refused: (entries) => `Signed out · ${counted(entries.length)} kept in this browser`,
  conflict: () => `Two answers to item ${conflict.position}: choose`,
};

export const enter = (next) => {
  if (!pill) return;
  if (next !== state && !MOVES[state].includes(next)) throw new Error(`save path: ${state} to ${next}`);
  state = next;
  const entries = kept.waiting();
  pill.dataset.state = state;
  const text = kept.works ? WORDS[state](entries) : `${WORDS[state](entries)} · this browser stores nothing`;
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
