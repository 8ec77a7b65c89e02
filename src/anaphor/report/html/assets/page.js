"use strict";
// The examples of a report: filtered by a form, whose state is the fragment of the address, so that every
// cell of a table is a plain link to the examples behind it. All text goes in as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("filter");
  const list = document.getElementById("list");
  const status = document.getElementById("status");
  const more = document.getElementById("more");
  const page = 20;
  let groups = [];
  let drawn = 0;

  const make = (tag, kind, ...children) => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    element.append(...children);
    return element;
  };

  const pieces = (number) =>
    data.lines[number].map(([text, kind]) => (kind ? make("mark", kind, text) : text));

  const line = (name, number, language) => {
    const words = make("dd", "", ...pieces(number));
    words.dir = "auto";
    words.lang = language;
    return [make("dt", "", name), words];
  };

  const state = () => new URLSearchParams(location.hash.slice(1));

  const fits = (wanted) => ([pronoun, system, outcome, , , labels]) =>
    (!wanted.get("system") || data.systems[system] === wanted.get("system")) &&
    (!wanted.get("pronoun") || data.pronouns[pronoun].form === wanted.get("pronoun")) &&
    (!wanted.get("category") || data.pronouns[pronoun].category === wanted.get("category")) &&
    (!wanted.get("outcome") || data.outcomes[outcome].key === wanted.get("outcome")) &&
    (!wanted.get("reference") || data.labels[labels[0]] === wanted.get("reference")) &&
    (!wanted.get("candidate") || data.labels[labels[1]] === wanted.get("candidate")) &&
    (!wanted.get("disagreement") || data.pronouns[pronoun].disagreement);

  const side = (name, notes) =>
    make("li", "", `${name}: ${data.notes[notes][0]}`, make("ul", "", ...data.notes[notes].slice(1).map((note) => make("li", "", note))));

  const judged = ([, system, outcome, reference, candidate, , wanted, given, human], index, all) => {
    const { key, name, rule } = data.outcomes[outcome];
    const found = make("section", "", make("h4", "", `${data.systems[system]}: `, make("span", `outcome case${key}`, name)));
    // What stands above already, the same words of the reference with the same marks, is not said again.
    const known = index > 0 && all[index - 1][3] === reference;
    found.append(make("dl", "", ...(known ? [] : line("reference", reference, data.target)), ...line("candidate", candidate, data.target)));
    if (human) found.append(make("p", "", `People: ${human}`));
    const why = make("details", "", make("summary", "", "Why"), make("ul", "", side("reference", wanted), side("candidate", given), make("li", "", `rule: ${rule}`)));
    why.open = index === 0;
    found.append(why);
    return found;
  };

  const card = ([pronoun, cards]) => {
    const { form: word, at, source, category } = data.pronouns[pronoun];
    const heading = make("h3", "", word, " ", make("span", "faint", category ? `${at}, ${category}` : at));
    return make("article", "", heading, make("dl", "", ...line("source", source, data.source)), ...cards.map(judged));
  };

  const draw = () => {
    list.append(...groups.slice(drawn, drawn + page).map(card));
    drawn = Math.min(drawn + page, groups.length);
    more.hidden = drawn === groups.length;
    more.textContent = `Show more (${groups.length - drawn} pronouns left)`;
  };

  const update = () => {
    const wanted = state();
    for (const field of form.elements) {
      if (field.type === "checkbox") field.checked = wanted.has(field.name);
      else if (field.name) field.value = wanted.get(field.name) ?? "";
    }
    const found = data.cards.filter(fits(wanted));
    const byPronoun = new Map();
    for (const one of found) byPronoun.set(one[0], [...(byPronoun.get(one[0]) ?? []), one]);
    groups = [...byPronoun];
    drawn = 0;
    list.replaceChildren();
    draw();
    status.textContent = `${found.length} examples of ${groups.length} pronouns`;
  };

  form.addEventListener("change", () => {
    const chosen = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    location.hash = chosen.toString() || "all";
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => { location.hash = "all"; });
  more.addEventListener("click", () => {
    const first = list.children.length;
    draw();
    const next = list.children[first];
    next.tabIndex = -1;
    next.focus();
  });
  addEventListener("hashchange", () => {
    if (document.getElementById(location.hash.slice(1))) return;
    update();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.examples");
    if (!link) return;
    setTimeout(() => {
      document.getElementById("examples").scrollIntoView();
      status.focus();
    });
  });
  form.hidden = false;
  update();
})();
