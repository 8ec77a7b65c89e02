// Answers on their way: first into this browser, then to the server, and out of the browser when it has them.
import * as kept from "./kept.js";
import { ask, base, isAway, Refused } from "./asking.js";
import { missing } from "./form.js";
import { answerNow, form, hold, isChanged, item, question, settled, show, shows, takeBack, told, version } from "./item.js";
import { enter, settle, typed } from "./pill.js";
import { t } from "./words.js";

const ahead = new Map();  // items fetched for a time without a server
let turn = Promise.resolve();  // requests that change something go one after the other
let held = false;              // something the user asked for is on its way
let conflicts = [];            // answers on the server that wait for a choice

// What the user asks for while something is on its way is dropped: it was meant for a page that is not there yet.
const alone = (work) => {
  if (held) return turn;
  held = true;
  hold(true);
  turn = turn.then(work, work).finally(() => {
    held = false;
    hold(false);
  });
  return turn;
};

export const isHeld = () => held;

const orThrow = (error) => {
  if (!(error instanceof Refused)) throw error;
  return error;
};

const send = ({ request, assignment, version: seen, answer, seconds }, go, position = null) =>
  ask(`/api/items/${assignment}/answer`, { request, version: seen, answer, seconds, go, position });

const rest = (error = null) => {
  const away = Boolean(error) && isAway(error);
  settle({ conflict: conflicts[0], away, refused: [401, 403].includes(error?.status) });
  if (item()) typed(isChanged());
};

// Save and go on, or only go on where nothing was changed. `asked` is the explicit "save and next", which says
// what is missing; asked for once more, it saves the answer as it is.
export const save = (go, { position = null, asked = false } = {}) => {
  if (!item() || held) return turn;
  const gaps = asked ? missing(form()) : [];
  if (asked && question()) gaps.push({ text: t("Your question to the lead is not sent."), field: document.getElementById("question-text"), isQuestion: true });
  const words = gaps.map((gap) => gap.text).join(" ");
  const open = gaps.filter((gap) => !gap.isQuestion);
  const final = (open.length > 0 && !isChanged()) || open.some((gap) => gap.must);
  if (gaps.length && (final || form().dataset.warned !== words)) {
    form().dataset.warned = words;
    const again = open.length ? t("To keep it unfinished, save again.") : t("Send it, or save again to go on without.");
    told(final ? words : `${words} ${again}`, "bad");
    gaps[0].field.focus();
    return turn;
  }
  return alone(async () => {
    // A suggestion is an answer once it is confirmed by saving, not by going past it.
    const confirmed = asked && item().dataset.suggested;
    if (!isChanged() && go !== "stay" && !confirmed) return move(go, position);
    const entry = answerNow();
    kept.keep(entry);
    kept.dropDraft(entry.assignment);
    ahead.delete(entry.assignment);
    enter("saving");
    try {
      // An earlier answer to the same item that waits here goes first: this one builds on it.
      for (const other of kept.waiting()) {
        if (other.assignment === entry.assignment && other.request !== entry.request) await sendOne(other);
      }
      const saved = await send(kept.find(entry.request) ?? entry, go, position);
      kept.acknowledged(entry, saved.version);
      show(saved.html);
      rest();
      lookAhead();
    } catch (error) {
      await failed(orThrow(error), entry, go, position);
    }
  });
};

const failed = async (error, entry, go, position) => {
  await leave(error, entry);
  if (error.clash) show(error.clash);
  rest(error);
  if (error.clash) return;
  if (!isAway(error)) told(error.message, "bad");
  else if (!showAhead(go, position, entry.position)) told(t("The server does not answer. Your answer is kept in this browser and will be sent."));
};

// An answer that was refused need not wait any longer: the server has it beside the one it met, or what is wrong
// with it has to be changed first.
const leave = async (error, entry) => {
  if (!error.clash && !error.final) return;
  kept.forget(entry);
  if (error.clash) await lookForConflicts();
  else kept.keepDraft(entry.assignment, entry);
};

const lookForConflicts = async () => {
  try {
    ({ conflicts } = await ask("/api/conflicts"));
  } catch (error) {
    orThrow(error);
  }
};

const move = async (go, position) => {
  const here = Number(item().dataset.position);
  const wanted = position ?? here + (go === "next" ? 1 : -1);
  try {
    show((await ask(`/api/positions/${wanted}`)).html);
    lookAhead();
  } catch (error) {
    if (orThrow(error).final) told(go === "next" ? t("This is your last item.") : error.message);
    else if (!isAway(error)) told(error.message, "bad");
    else if (!showAhead(go, position, here)) told(t("The server does not answer; this item cannot be fetched now."));
  }
};

const showAhead = (go, position, here) => {
  const wanted = position ?? here + (go === "next" ? 1 : go === "previous" ? -1 : 0);
  // Where the server chooses what gains most, the next one is not the one with the next number.
  const current = item()?.dataset.assignment;
  const page = [...ahead.values()].find((one) => one.position === wanted)
    ?? (go === "next" && item()?.dataset.adaptive ? [...ahead.values()].find((one) => one.assignment !== current) : undefined);
  if (page) show(page.html);
  return Boolean(page);
};

export const lookAhead = async () => {
  if (!item()) return;
  const here = Number(item().dataset.position);
  const known = [...ahead.values()].filter((one) => one.position > here || item().dataset.adaptive).length;
  if (known >= Math.min(3, Number(item().dataset.total) - here)) return;
  try {
    const { pages } = await ask(`/api/positions/${here}/ahead`);
    ahead.clear();
    for (const page of pages) ahead.set(page.assignment, page);
    document.documentElement.dataset.ahead = ahead.size;
  } catch (error) {
    orThrow(error);
  }
};

// Send what waits, in order. Two windows may both try: the server knows an answer by its request.
export const sendWaiting = () => {
  if (!kept.waiting().length) return turn;
  const work = async () => {
    let trouble = null;
    try {
      for (const { request } of kept.waiting()) {
        const entry = kept.find(request);
        if (entry) await sendOne(entry);
      }
    } catch (error) {
      trouble = orThrow(error);
    }
    rest(trouble);
  };
  turn = turn.then(work, work);
  return turn;
};

const sendOne = async (entry) => {
  // The page that still shows this very answer is replaced by what the server has now.
  const isHere = () => item()?.dataset.assignment === entry.assignment;
  const isShown = isHere() && shows(entry.answer);
  try {
    const saved = await send(entry, isShown ? "stay" : "none");
    kept.acknowledged(entry, saved.version);
    if (isShown && isHere() && shows(entry.answer)) show(saved.html, { push: false, focus: false });
    else if (isHere()) settled(entry.answer, saved.version);
  } catch (error) {
    if (!error.clash && !error.final) throw error;
    await leave(error, entry);
  }
};

export const undo = () => alone(async () => {
  if (!item()) return;
  if (isChanged()) {
    takeBack();
    return told(t("Your change is undone; it had not been saved."));
  }
  const { assignment } = item().dataset;
  try {
    const back = await ask(`/api/items/${assignment}/undo`, { request: kept.requestId(), version: version() });
    ahead.delete(assignment);
    show(back.html, { focus: false });
    told(t("The last change is undone; the history keeps it."), "good");
  } catch (error) {
    if (orThrow(error).status === 409) await visit(`/items/${assignment}`, { focus: false });
    told(error.message, "bad");
  }
});

export const openConflict = (assignment) => alone(() => visit(`/items/${assignment}`));

// Which of two answers shall stand: the saved one, or one that met it. The server has both.
export const decide = (keep) => alone(async () => {
  const { assignment, version: seen } = document.getElementById("conflict").dataset;
  enter("saving");
  try {
    const saved = await ask(`/api/items/${assignment}/conflict`, { keep, request: kept.requestId(), version: Number(seen) });
    kept.dropDraft(assignment);
    await lookForConflicts();
    show(saved.html);
    told(t("Your choice is saved; the history has both answers."), "good");
    rest();
  } catch (error) {
    if (orThrow(error).clash) show(error.clash);
    else told(error.message, "bad");
    rest(error);
  }
});

export const visit = async (path, options) => {
  try {
    show((await ask(`/api${path}`)).html, options);
  } catch (error) {
    orThrow(error);
    location.assign(base + path);
  }
};

export const start = async () => {
  // Before people have agreed to the consent text, the server refuses everything else.
  if (document.querySelector("[name=agreed]")) return;
  await lookForConflicts();
  if (conflicts.length || kept.waiting().length) rest();
  sendWaiting();
  lookAhead();
};
