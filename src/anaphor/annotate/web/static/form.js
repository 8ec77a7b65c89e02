// The form of an item as an answer, and an answer as its form.
import { t } from "./words.js";

const values = (form, name) => [...form.querySelectorAll(`[name="${name}"]:checked`)].map((input) => input.value);

const one = (form, name, otherwise) => values(form, name)[0] ?? otherwise;

const orderOf = (form) => {
  const text = one(form, "order", "");
  if (text) return text.split("|").map((group) => group.split(" "));
  const places = new Map();
  for (const input of form.querySelectorAll("[name^=place-]:checked")) {
    const slots = input.name.slice("place-".length).split(" ");  // identical translations share a place
    places.set(input.value, [...(places.get(input.value) ?? []), ...slots]);
  }
  return [...places].sort(([a], [b]) => a - b).map(([, slots]) => slots);
};

const places = (texts) => texts.map((value) => value.split(".").map(Number));

// The words that translate the pronoun, where the frame was corrected: none of them, or null where it stays.
const renderingOf = (form) => {
  const named = values(form, "rendering");
  return named.length ? places(named.filter((value) => value !== "none")) : null;
};

const tagsOf = (form) => {
  const own = form.elements.own_tags.value.split(",").map((tag) => tag.trim()).filter(Boolean);
  return [...new Set([...values(form, "tags"), ...own])].sort();
};

export const answerOf = (form) => ({
  antecedent: one(form, "antecedent", "unset"),
  pronoun: one(form, "pronoun", "unset"),
  words: places(values(form, "words")),
  rendering: renderingOf(form),
  tags: tagsOf(form),
  remark: form.elements.remark.value,
  choices: values(form, "choices").sort(),
  order: orderOf(form),
});

// The questions that are not answered, each with what to say. Who says that nothing can be judged has answered them all;
// what `must` be there is refused by the server.
export const missing = (form) => {
  const excused = form.querySelector("[data-excuses]:checked, [name=pronoun][value=unclear]:checked");
  return [...form.querySelectorAll("fieldset[data-missing]")]
    .filter((group) => !group.querySelector(":checked") && (!excused || group.hasAttribute("data-must")))
    .map((group) => ({ text: group.dataset.missing, field: group.querySelector("input"), must: group.hasAttribute("data-must") }));
};

// Whether nothing is missing and nothing would be warned of: every question has its answer, every yes its words.
export const isWhole = (form) => {
  if (missing(form).length || form.querySelector("[name=choices]")) return false;
  return ["antecedent", "pronoun"].every((name) => {
    const words = [...form.querySelectorAll(`[name=words][data-of="${name}"]`)];
    const named = name === "pronoun" && renderingOf(form) !== null;
    return one(form, name, "unset") !== "yes" || named || !words.length || words.some((word) => word.checked);
  });
};

export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export const fill = (form, answer) => {
  const words = new Set(answer.words.map((word) => word.join(".")));
  const renders = new Set(answer.rendering?.length === 0 ? ["none"] : answer.rendering?.map((word) => word.join(".")));
  const places = new Map(answer.order.flatMap((group, place) => group.map((slot) => [slot, place + 1])));
  const order = answer.order.map((group) => group.join(" ")).join("|");
  const wanted = {
    antecedent: (value) => value === answer.antecedent,
    pronoun: (value) => value === answer.pronoun,
    words: (value) => words.has(value),
    rendering: (value) => renders.has(value),
    tags: (value) => answer.tags.includes(value),
    choices: (value) => answer.choices.includes(value),
    order: (value) => value === order,
  };
  for (const input of form.querySelectorAll("input[type=radio], input[type=checkbox]")) {
    const test = wanted[input.name] ?? ((value) => places.get(input.name.slice("place-".length).split(" ")[0]) === Number(value));
    input.checked = test(input.value);
  }
  const offered = new Set([...form.querySelectorAll("[name=tags]")].map((input) => input.value));
  form.elements.own_tags.value = answer.tags.filter((tag) => !offered.has(tag)).join(", ");
  form.elements.remark.value = answer.remark;
};

// A click on a word says that it translates the pronoun, or takes that back; the box for no word excludes the others.
export const nameWord = (form, value) => {
  const boxes = [...form.querySelectorAll("[name=rendering]")];
  const box = boxes.find((other) => other.value === value);
  if (!box) return false;
  box.checked = !box.checked;
  settleRendering(form, box);
  return true;
};

export const settleRendering = (form, box) => {
  if (!box.checked) return;
  for (const other of form.querySelectorAll("[name=rendering]")) {
    if (other !== box && (other.value === "none" || box.value === "none")) other.checked = false;
  }
};

// The frames as corrected: a framed word that no longer counts can no longer be chosen.
export const showRendering = (form) => {
  const rendering = renderingOf(form);
  const named = new Set(rendering?.map((place) => place.join(".")));
  document.querySelector("#text .text")?.classList.toggle("corrected", rendering !== null);
  for (const word of document.querySelectorAll("#text [data-at]")) {
    word.classList.toggle("renders", named.has(word.dataset.at));
    const input = word.querySelector("input");
    if (input && rendering !== null) input.checked = false;
  }
};

// The rank of every translation on its card.
export const showRanks = (form) => {
  const order = orderOf(form);
  const whole = order.flat().length;
  for (const card of document.querySelectorAll(".translation")) {
    const place = order.findIndex((group) => group.includes(card.dataset.slot));
    const rank = card.querySelector(".rank");
    rank.hidden = place < 0;
    const shared = place >= 0 && order[place].length === whole && whole > 1 && order.length === 1;
    rank.textContent = shared ? t("equally good") : [t("best"), t("second"), t("third")][place] ?? "";
    card.dataset.rank = place < 0 ? "" : place + 1;
  }
};

// Where only one word is highlighted for what was called right, it is the smallest set: choose it. Where
// something was called wrong or left open, none of its words can have made it right.
export const chooseWords = (form, name) => {
  const words = [...form.querySelectorAll(`[name=words][data-of="${name}"]`)];
  const yes = one(form, name, "unset") === "yes";
  const corrected = name === "pronoun" && renderingOf(form) !== null;
  if (yes && words.length === 1 && !corrected) words[0].checked = true;
  if (!yes) for (const word of words) word.checked = false;
};
