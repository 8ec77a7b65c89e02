// The annotator's page. Plain script of our own instead of a library: there is nothing of third parties to ship,
// to trust or to audit, and all it does is this: answers go out as JSON, the next item comes back as a piece of
// the page. Without script the same forms and links work as whole pages.
import { ask } from "./asking.js";
import { answerOf, chooseWords, fill } from "./form.js";
import { begin, form, item, keepDraft, say, told } from "./item.js";
import { keysOn, listen, switchKeys } from "./keys.js";
import { followLinks } from "./links.js";
import { decide, lookAhead, lookForConflicts, save, sendWaiting, undo, visit } from "./saving.js";

const RETRY = 4000;

const openDialog = async (name) => {
  if (!item() && name === "guidelines") return location.assign("/guidelines");
  const path = name === "history" ? `/api/items/${item().dataset.assignment}/history` : `/api/${name}`;
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", name);
  dialog.addEventListener("close", () => dialog.remove());
  try {
    dialog.innerHTML = (await ask(path)).html;
  } catch (error) {
    return told(error.message, "bad");
  }
  document.body.append(dialog);
  const keys = document.getElementById("keys-switch");
  if (keys) keys.checked = keysOn();
  dialog.showModal();
};

const showText = async (link) => {
  const answer = answerOf(form());
  try {
    document.getElementById("text").innerHTML = (await ask(`/api${link.getAttribute("href")}`)).html;
    fill(form(), answer);
    say("More lines are shown.");
  } catch (error) {
    told(error.message, "bad");
  }
};

const focusOn = (id) => () => {
  const field = document.getElementById(id);
  field?.focus();
  field?.select?.();
};

document.addEventListener("change", (event) => {
  if (event.target.id === "keys-switch") switchKeys(event.target.checked);
  if (!form()?.contains(event.target)) return;
  if (["antecedent", "pronoun"].includes(event.target.name)) chooseWords(form(), event.target.name);
});
for (const kind of ["input", "change"]) {
  document.addEventListener(kind, (event) => { if (form()?.contains(event.target)) keepDraft(); });
}
document.addEventListener("submit", (event) => {
  const { submitter, target } = event;
  const work = target.id === "answer" ? () => (submitter?.hasAttribute("data-undo") ? undo() : save(submitter?.value ?? "next"))
    : target.id === "jump" ? () => save("jump", Number(target.elements.position.value))
    : submitter?.dataset.keep ? () => decide(submitter.value)
    : null;
  if (!work) return;
  event.preventDefault();
  work();
});
document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const element = event.target.closest("[data-dialog], [data-text], [data-close]");
  if (!element) return;
  event.preventDefault();
  if (element.dataset.dialog) openDialog(element.dataset.dialog);
  else if (element.hasAttribute("data-text")) showText(element);
  else element.closest("dialog").close();
});
addEventListener("popstate", () => visit(location.pathname, { push: false }));
addEventListener("online", sendWaiting);
setInterval(sendWaiting, RETRY);

listen({
  Save: () => save("next"),
  ArrowRight: () => save("next"), j: () => save("next"),
  ArrowLeft: () => save("previous"), k: () => save("previous"),
  g: focusOn("position"), t: focusOn("own-tags"), r: focusOn("remark"),
  w: () => document.querySelector(".word input")?.focus(),
  z: undo, h: () => item() && openDialog("history"), "?": () => openDialog("guidelines"),
}, say);
followLinks(say);
for (const element of document.querySelectorAll("[data-script]")) element.hidden = false;
begin();
lookAhead();
lookForConflicts();
sendWaiting();
document.documentElement.dataset.ready = "";
