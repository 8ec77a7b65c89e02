// Single keys. They rest while somebody types, while a dialog is open, and when switched off: people who
// speak to their computer or use other tools need the keys for themselves.
import { t } from "./words.js";

const SWITCH = "anaphor:keys";
const typing = "textarea, select, input:not([type=radio], [type=checkbox])";

export const keysOn = () => {
  try { return localStorage.getItem(SWITCH) !== "off"; } catch { return true; }
};

export const switchKeys = (on) => {
  try { localStorage.setItem(SWITCH, on ? "on" : "off"); } catch { /* the switch lasts until the page is left */ }
};

// Whether the page goes on by itself as soon as nothing is missing; the campaign says what it does at first.
const ADVANCE = "anaphor:advance";
export const advances = () => {
  const otherwise = document.querySelector("meta[name=advance]") ? "on" : "off";
  try { return (localStorage.getItem(ADVANCE) ?? otherwise) === "on"; } catch { return otherwise === "on"; }
};
export const switchAdvance = (on) => {
  try { localStorage.setItem(ADVANCE, on ? "on" : "off"); } catch { /* the switch lasts until the page is left */ }
};

// The arrows choose inside a group of radio buttons that has the focus.
const needsKey = (event) =>
  event.target.closest?.(typing) || (event.key.startsWith("Arrow") && event.target.closest?.("[type=radio]"));

const isFree = (event) =>
  keysOn() && !event.ctrlKey && !event.altKey && !event.metaKey && !needsKey(event) &&
  !document.querySelector("dialog[open]");

const press = (key, say) => {
  const input = document.querySelector(`#answer [data-key="${CSS.escape(key)}"]`);
  if (!input) return false;
  if (input.type === "radio" && input.checked) {  // the same key again takes the choice back
    input.checked = false;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  } else {
    input.click();
  }
  say(`${input.closest("label").firstChild.nextSibling.textContent.trim()}: ${input.checked ? t("chosen") : t("taken back")}`);
  return true;
};

// `rests` says whether an answer is on its way: then no key does anything, neither to the old item nor to the next.
export const listen = (actions, { say = () => {}, rests = () => false } = {}) => {
  document.addEventListener("keydown", (event) => {
    if (rests()) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      actions.Save();
      return;
    }
    if (!isFree(event)) return;
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    } else if (press(event.key, say)) {
      event.preventDefault();
    }
  });
};
