// Words that translate each other light up together, under the pointer and under the focus.
import { t } from "./words.js";

let lit = [];

const named = (element) => element?.closest?.("[data-links]");

const text = (element) => (element.querySelector("input")?.nextSibling ?? element).textContent;

const light = (element, say) => {
  for (const other of lit) other.classList.remove("lit");
  lit = [];
  if (!element) return;
  const partners = element.dataset.links.split(" ").map((id) => document.getElementById(id)).filter(Boolean);
  lit = [element, ...partners];
  for (const other of lit) other.classList.add("lit");
  if (say) say(`${text(element)}: ${partners.length ? t("linked to {words}", { words: partners.map(text).join(", ") }) : t("linked to nothing")}`);
};

// From a word that has the focus the arrows go through the other words of its line.
const move = (element, step) => {
  const words = [...element.closest("p").querySelectorAll("[data-links]")];
  const next = words[words.indexOf(element) + step];
  if (!next) return;
  const target = next.querySelector("input") ?? next;
  if (target === next && !next.hasAttribute("tabindex")) next.tabIndex = -1;
  target.focus();
};

export const followLinks = (say) => {
  document.addEventListener("pointerover", (event) => light(named(event.target)));
  document.addEventListener("focusin", (event) => light(named(event.target), say));
  document.addEventListener("keydown", (event) => {
    const element = named(document.activeElement);
    if (!element || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    event.preventDefault();
    event.stopPropagation();
    const leftwards = (event.key === "ArrowLeft") !== (getComputedStyle(element).direction === "rtl");
    move(element, leftwards ? -1 : 1);
  }, { capture: true });
};
