// The annotator's page. Plain script of our own instead of a library: there is nothing of third parties to ship,
// to trust or to audit, and all it does is this: answers go out as JSON, the next item comes back as a piece of
// the page. Without script the same forms and links work as whole pages.
import { ask, base } from "./asking.js";
import { answerOf, chooseWords, fill, isWhole, nameWord, settleRendering } from "./form.js";
import { begin, form, item, keepDraft, say, told, uncover } from "./item.js";
import { keepQuestion, requestId } from "./kept.js";
import { advances, keysOn, listen, switchAdvance, switchKeys } from "./keys.js";
import { followLinks } from "./links.js";
import { followTimes } from "./times.js";
import { t } from "./words.js";
import { decide, isHeld, openConflict, save, sendWaiting, start, undo, visit } from "./saving.js";

const RETRY = 4000;

const openDialog = async (name) => {
  if (!document.getElementById("main").querySelector("[data-url]") && name === "guidelines") return location.assign(`${base}/guidelines`);
  const path = name === "history" ? `/api/items/${item().dataset.assignment}/history` : `/api/${name}`;
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", { guidelines: t("Guidelines"), history: t("History"), keys: t("Keys") }[name]);
  dialog.addEventListener("close", () => dialog.remove());
  try {
    dialog.innerHTML = (await ask(path)).html;
  } catch (error) {
    return told(error.message, "bad");
  }
  document.body.append(dialog);
  dialog.scrollTop = 0;
  const keys = document.getElementById("keys-switch");
  if (keys) keys.checked = keysOn();
  const advance = document.getElementById("advance-switch");
  if (advance) advance.checked = advances();
  dialog.showModal();
};

const showText = async (link) => {
  const answer = answerOf(form());
  try {
    document.getElementById("text").innerHTML = (await ask(`/api${link.getAttribute("href").slice(base.length)}`)).html;
    fill(form(), answer);
    say(t("More lines are shown."));
  } catch (error) {
    told(error.message, "bad");
  }
};

const askLead = async (target) => {
  const field = target.elements.text;
  if (!field.value.trim()) return told(t("Write your question first."), "bad");
  const path = `/api/items/${item().dataset.assignment}/questions`;
  try {
    const { html } = await ask(path, { request: requestId(), text: field.value });
    keepQuestion(item().dataset.assignment, "");
    document.getElementById("asking").innerHTML = html;
    told(t("Your question is sent to the lead."), "good");
  } catch (error) {
    told(error.message, "bad");
  }
};

const focusOn = (id) => () => {
  const field = document.getElementById(id);
  const folded = field?.closest("details");
  if (folded) folded.open = true;
  field?.focus();
  field?.select?.();
};

document.addEventListener("change", (event) => {
  if (event.target.id === "keys-switch") switchKeys(event.target.checked);
  if (event.target.id === "advance-switch") switchAdvance(event.target.checked);
  if (!form()?.contains(event.target)) return;
  if (["antecedent", "pronoun"].includes(event.target.name)) chooseWords(form(), event.target.name);
  if (event.target.name === "rendering") settleRendering(form(), event.target);
});
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => { if (form()?.contains(event.target)) keepDraft(); });
}
document.addEventListener("input", (event) => {
  if (event.target.id === "question-text" && item()) keepQuestion(item().dataset.assignment, event.target.value);
});
// After the answer that completes an item the page goes on, where the user or the campaign wants that.
document.addEventListener("change", (event) => {
  const answers = event.target.type === "radio" && event.target.checked && form()?.contains(event.target);
  if (answers && advances() && isWhole(form())) save("next", { asked: true });
});
document.addEventListener("submit", (event) => {
  const { submitter, target } = event;
  const go = submitter?.value ?? "next";
  const work = target.id === "answer" ? () => (submitter?.hasAttribute("data-undo") ? undo() : save(go, { asked: go !== "previous" }))
    : target.id === "jump" ? () => save("jump", { position: Number(target.elements.position.value) })
    : target.id === "question" ? () => askLead(target)
    : submitter?.dataset.keep ? () => decide(submitter.value)
    : null;
  if (!work) return;
  event.preventDefault();
  work();
});
// Any word of the translation can be named as what translates the pronoun; a framed one where the frame was corrected.
const nameClicked = (event) => {
  const word = event.target.closest?.("#text [data-at]");
  if (!word || !form()) return false;
  const corrected = word.closest(".text").classList.contains("corrected");
  if (!word.classList.contains("any") && !corrected) return false;
  if (!nameWord(form(), word.dataset.at)) return false;
  event.preventDefault();
  keepDraft();
  say(`${word.textContent.trim()}: ${word.classList.contains("renders") ? t("translates the pronoun") : t("taken back")}`);
  return true;
};
document.addEventListener("keydown", (event) => {
  if ((event.key === "Enter" || event.key === " ") && !event.ctrlKey && !event.metaKey && event.target.matches?.(".any")) nameClicked(event);
});
document.addEventListener("click", (event) => {
  if (nameClicked(event)) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const element = event.target.closest("[data-dialog], [data-text], [data-close], [data-conflict]");
  if (!element) return;
  event.preventDefault();
  if (element.dataset.dialog) openDialog(element.dataset.dialog);
  else if (element.hasAttribute("data-text")) showText(element);
  else if (element.dataset.conflict) openConflict(element.dataset.conflict);
  else element.closest("dialog").close();
});
addEventListener("popstate", () => visit(location.pathname.slice(base.length), { push: false }));
addEventListener("online", sendWaiting);
setInterval(sendWaiting, RETRY);

listen({
  // In the field of a question, the keys that send something send the question.
  Save: () => (document.activeElement?.id === "question-text" ? askLead(document.getElementById("question")) : save("next", { asked: true })),
  ArrowRight: () => save("next"), j: () => save("next"),
  ArrowLeft: () => save("previous"), k: () => save("previous"),
  g: focusOn("position"), t: focusOn("own-tags"), r: focusOn("remark"), a: focusOn("question-text"),
  p: () => {
    const framed = document.querySelector(".word.pronoun");
    const words = (framed ?? document.querySelector("mark.pronoun"))?.closest(".row")?.querySelectorAll(".target .any");
    (words?.[0] ?? document.querySelector("#text .any"))?.focus();
  },
  w: () => document.querySelector(".word input")?.focus(),
  z: undo, h: () => item() && openDialog("history"), "?": () => openDialog("guidelines"),
}, { say, rests: isHeld });
followLinks(say);
followTimes();
for (const element of document.querySelectorAll("[data-script]")) element.hidden = false;
begin();
uncover();
start();
document.documentElement.dataset.ready = "";
