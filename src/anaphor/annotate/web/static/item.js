// The item that is shown: put into the page, compared with what the server has, timed.
import * as kept from "./kept.js";
import { answerOf, fill, same, showRanks, showRendering } from "./form.js";
import { typed } from "./pill.js";
import { t } from "./words.js";

const main = document.getElementById("main");
const status = document.getElementById("status");
let stored = null;  // the answer as the server has it, to know whether something was changed
let since = 0;      // when the item came into view
let spent = 0;      // milliseconds on it before the page was last hidden
let focused = null; // what had the focus before the item was held

export const item = () => document.getElementById("item");
export const form = () => document.getElementById("answer");
export const shows = (answer) => same(answerOf(form()), answer);
export const isChanged = () => !same(answerOf(form()), stored);
export const say = (text) => { status.textContent = text; };

export const told = (text, kind = "") => {
  say(text);
  const place = document.getElementById("told");
  if (!place) return;
  place.textContent = text;
  place.className = `notice ${kind}`;
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
};

// While an answer is on its way its item takes no input: a key meant for the next item must not change this one.
export const hold = (on) => {
  const shown = item();
  if (!shown) return;
  if (on) focused = document.activeElement;
  shown.inert = on;
  if (!on && focused?.isConnected && document.activeElement === document.body) focused.focus({ preventScroll: true });
  shown.setAttribute("aria-busy", String(on));
};

// A piece of the page from the server takes the place of the last one. The focus goes to its heading, or to
// its warnings, so that screen readers read on from there. A question that was left behind is not overlooked.
export const show = (html, { push = true, focus = true } = {}) => {
  const left = question() ? item().dataset : null;
  const template = document.createElement("template");
  template.innerHTML = html;
  main.replaceChildren(template.content);
  const place = main.querySelector("[data-url]");
  document.title = place.dataset.title;
  if (push && location.pathname !== place.dataset.url) history.pushState(null, "", place.dataset.url);
  begin();
  if (left && item() && item().dataset.assignment !== left.assignment) {
    told(t("Your question about item {n} is not sent; it is kept there.", { n: left.position }));
  }
  if (!focus) return;
  scrollTo(0, 0);
  (document.getElementById("warnings") ?? main.querySelector("h1")).focus({ preventScroll: true });
  uncover();
};

// On phones the questions cover the end of the text: the page scrolls until the lines of the pronoun are visible,
// unless there is something to read above them.
export const uncover = () => {
  const asked = main.querySelector(".ask");
  if (!asked || getComputedStyle(asked).position !== "sticky") return;
  if (main.querySelector("#warnings, #practice, #suggestion, #told:not([hidden])")) return;
  const boxes = [...main.querySelectorAll("#text .row:has(.pronoun)")].map((row) => row.getBoundingClientRect());
  const covered = Math.max(...boxes.map((box) => box.bottom)) - asked.getBoundingClientRect().top;
  if (covered > 0) scrollBy(0, Math.min(covered, Math.min(...boxes.map((box) => box.top))));
};

// What is in this browser goes into the form, if it is newer than what the server sent.
export const begin = () => {
  if (!item()) return;
  const { assignment } = item().dataset;
  const entry = kept.waitingFor(assignment);
  const draft = kept.draft(assignment);
  if (entry) fill(form(), entry.answer);
  stored = answerOf(form());
  if (draft && !same(draft.answer, stored)) {
    fill(form(), draft.answer);
    form().elements.version.value = draft.version;
    told(t("This is what you typed here before; it is not saved yet."));
  }
  const question = kept.question(assignment);
  if (question) showQuestion(question);
  sumUp();
  since = performance.now();
  spent = 0;
  typed(isChanged());
};

const questionField = () => document.getElementById("question-text");
export const question = () => questionField()?.value.trim() ?? "";

// A question that was typed here before and not sent is there again, and its place is open.
const showQuestion = (text) => {
  const field = questionField();
  if (!field) return;
  field.value = text;
  field.closest("details").open = true;
};

// The server has this answer now: what the form says is compared with it from here on.
export const settled = (answer, version) => {
  stored = answer;
  form().elements.version.value = version;
  keepDraft();
};

export const keepDraft = () => {
  const { assignment } = item().dataset;
  const changed = isChanged();
  if (changed) kept.keepDraft(assignment, { answer: answerOf(form()), version: version() });
  else kept.dropDraft(assignment);
  sumUp();
  typed(changed);
};

// Folded notes still show that there are some, and cards their rank.
const sumUp = () => {
  showRanks(form());
  showRendering(form());
  const { tags, remark } = answerOf(form());
  for (const [id, number] of [["tags-count", tags.length], ["remark-count", remark.trim() ? 1 : 0]]) {
    const place = document.getElementById(id);
    if (place) place.textContent = number ? ` · ${number}` : "";
  }
};

export const takeBack = () => {
  fill(form(), stored);
  kept.dropDraft(item().dataset.assignment);
  sumUp();
  typed(false);
};

export const version = () => Number(form().elements.version.value);

// An answer on its way: everything the server needs to take it once, and only on top of what was seen.
export const answerNow = () => ({
  request: kept.requestId(),
  assignment: item().dataset.assignment,
  position: Number(item().dataset.position),
  version: version(),
  answer: answerOf(form()),
  seconds: Math.min(3600, Math.round(spent + performance.now() - since) / 1000),
  at: Date.now(),
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) spent += performance.now() - since;
  since = performance.now();
});
