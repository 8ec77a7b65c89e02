// Answers and drafts in the storage of this browser, so that nothing typed depends on the server being there.
// Every answer has a key of its own: two windows cannot overwrite each other's.
const name = document.querySelector("meta[name=keep]")?.content ?? "nobody";
const answers = `anaphor:${name}:answer:`;
const drafts = `anaphor:${name}:draft:`;

// The storage may be full or forbidden; then the page still works, and says that nothing is kept.
export let works = true;
const write = (key, value) => {
  try { localStorage.setItem(key, JSON.stringify(value)); } catch { works = false; }
};
const read = (key) => {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
};
const drop = (key) => {
  try { localStorage.removeItem(key); } catch { works = false; }
};
const keys = () => {
  try { return Object.keys(localStorage); } catch { works = false; return []; }
};

export const requestId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// In the order in which they were given.
export const waiting = () =>
  keys().filter((key) => key.startsWith(answers)).map(read).filter(Boolean).sort((a, b) => a.at - b.at);

export const waitingFor = (assignment) => waiting().findLast((entry) => entry.assignment === assignment);

export const find = (request) => read(answers + request);

export const keep = (entry) => write(answers + entry.request, entry);

export const forget = (entry) => drop(answers + entry.request);

// The server has this answer. Later ones to the same item follow it, so they build on its version.
export const acknowledged = (entry, version) => {
  forget(entry);
  for (const other of waiting()) {
    if (other.assignment === entry.assignment) keep({ ...other, version });
  }
};

// A question that is typed and not sent; it is no part of the answer.
const questions = `anaphor:${name}:question:`;
export const question = (assignment) => read(questions + assignment) ?? "";
export const keepQuestion = (assignment, text) => (text.trim() ? write(questions + assignment, text) : drop(questions + assignment));

export const draft = (assignment) => read(drafts + assignment);
export const keepDraft = (assignment, content) => write(drafts + assignment, content);
export const dropDraft = (assignment) => drop(drafts + assignment);
