// Answers on their way: first into this browser, then to the server, and out of the browser when it has them.
import * as kept from "./kept.js";
import { ask, Refused } from "./asking.js";
import { answerNow, form, isChanged, item, say, show, takeBack, told, version } from "./item.js";

const status = document.getElementById("status");
const ahead = new Map();  // items fetched for a time without a server
let busy = false;
let conflicts = [];         // answers on the server that wait for a choice

const alone = async (work) => {
  if (busy) return;
  busy = true;
  try {
    await work();
  } finally {
    busy = false;
  }
};

const orThrow = (error) => {
  if (!(error instanceof Refused)) throw error;
  return error;
};

const send = ({ request, assignment, version: seen, answer, seconds }, go, position = null) =>
  ask(`/api/items/${assignment}/answer`, { request, version: seen, answer, seconds, go, position });

const tellWaiting = () => {
  const entries = kept.waiting();
  const clash = conflicts[0] ?? entries.find((entry) => entry.clash);
  status.classList.toggle("kept", entries.length + conflicts.length > 0 || !kept.works);
  if (!kept.works) say("This browser stores nothing: answers are lost while the server cannot be reached.");
  else if (clash) say(`Your answer to item ${clash.position} is in conflict with another one: open it to choose.`);
  else if (entries.length) say(`Not connected. ${entries.length} ${entries.length === 1 ? "answer is" : "answers are"} kept in this browser and will be sent.`);
  else say("All answers are saved.");
};

export const lookForConflicts = async () => {
  try {
    ({ conflicts } = await ask("/api/conflicts"));
    if (conflicts.length) tellWaiting();
  } catch (error) {
    orThrow(error);
  }
};

export const save = (go, position = null) => alone(async () => {
  if (!item()) return;
  if (!isChanged() && go !== "stay") return move(go, position);
  const entry = answerNow();
  kept.keep(entry);
  kept.dropDraft(entry.assignment);
  ahead.delete(entry.assignment);
  try {
    const saved = await send(entry, go, position);
    kept.acknowledged(entry, saved.version);
    show(saved.html);
    tellWaiting();
    lookAhead();
  } catch (error) {
    failed(orThrow(error), entry, go, position);
  }
});

const failed = (error, entry, go, position) => {
  if (error.clash) {
    kept.forget(entry);  // the server has it now, beside the other one
    show(error.clash);
    lookForConflicts();
  } else if (error.final) {
    kept.forget(entry);
    kept.keepDraft(entry.assignment, entry);
    told(error.message, "bad");
  } else {
    tellWaiting();
    if (error.status === 401 || error.status === 403) told(error.message, "bad");
    else if (!showAhead(go, position, entry.position)) told("The server does not answer. Your answer is kept in this browser and will be sent.");
  }
};

const move = async (go, position) => {
  const here = Number(item().dataset.position);
  const wanted = position ?? here + (go === "next" ? 1 : -1);
  try {
    show((await ask(`/api/positions/${wanted}`)).html);
    lookAhead();
  } catch (error) {
    if (orThrow(error).final) told(go === "next" ? "This is your last item." : error.message);
    else if (!showAhead(go, position, here)) told("The server does not answer; this item cannot be fetched now.");
  }
};

const showAhead = (go, position, here) => {
  const wanted = position ?? here + (go === "next" ? 1 : go === "previous" ? -1 : 0);
  const page = [...ahead.values()].find((one) => one.position === wanted);
  if (page) show(page.html);
  return Boolean(page);
};

export const lookAhead = async () => {
  if (!item()) return;
  const here = Number(item().dataset.position);
  const known = [...ahead.values()].filter((one) => one.position > here).length;
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
export const sendWaiting = () => alone(async () => {
  const had = kept.waiting();
  if (!had.length) return;
  try {
    for (const { request } of had) {
      const entry = kept.waiting().find((one) => one.request === request && !one.clash);
      if (entry) await sendOne(entry);
    }
  } catch (error) {
    orThrow(error);
  }
  tellWaiting();
});

const sendOne = async (entry) => {
  try {
    const saved = await send(entry, "none");
    kept.acknowledged(entry, saved.version);
    if (item()?.dataset.assignment === entry.assignment) form().elements.version.value = saved.version;
  } catch (error) {
    if (!error.clash && !error.final) throw error;
    if (error.clash) {
      kept.forget(entry);  // the server has it now, beside the other one
      await lookForConflicts();
    } else {
      kept.keep({ ...kept.lastOnly(entry), clash: true });
    }
  }
};

export const undo = () => alone(async () => {
  if (!item()) return;
  if (isChanged()) {
    takeBack();
    return told("Your change is undone; it had not been saved.");
  }
  const { assignment } = item().dataset;
  try {
    const back = await ask(`/api/items/${assignment}/undo`, { request: kept.requestId(), version: version() });
    ahead.delete(assignment);
    show(back.html, { focus: false });
    told("The last change is undone; the history keeps it.", "good");
  } catch (error) {
    if (orThrow(error).status === 409) await visit(`/items/${assignment}`, { focus: false });
    told(error.message, "bad");
  }
});

// Which of two answers shall stand: the saved one, or one that met it. The server has both.
export const decide = (keep) => alone(async () => {
  const { assignment, version: seen } = document.getElementById("conflict").dataset;
  try {
    const saved = await ask(`/api/items/${assignment}/conflict`, { keep, request: kept.requestId(), version: Number(seen) });
    show(saved.html);
    await lookForConflicts();
    tellWaiting();
  } catch (error) {
    if (orThrow(error).clash) show(error.clash);
    else told(error.message, "bad");
  }
});

export const visit = async (path, options) => {
  try {
    show((await ask(`/api${path}`)).html, options);
  } catch (error) {
    orThrow(error);
    location.assign(path);
  }
};
