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

  const words = (tag, number, language) => {
    const element = make(tag, "", ...pieces(number));
    element.dir = "auto";
    element.lang = language;
    return element;
  };

  const line = (name, number, language) => [make("dt", "", name), words("dd", number, language)];

  // Lines with their numbers; the last has the pronoun.
  const numbered = (numbers, last, language) => {
    const list = make("ol", "lines", ...numbers.map((number) => words("li", number, language)));
    list.start = last - numbers.length + 1;
    return list;
  };

  const before = (name, texts, line, count, language) => {
    const known = [];
    for (let at = line - 1; at >= line - count && at in texts; at -= 1) known.unshift(texts[at]);
    return known.length ? [make("dt", "", `${name} before`), make("dd", "", numbered(known, line - 1, language))] : [];
  };

  const state = () => new URLSearchParams(location.hash.slice(1));

  const has = (words, ...lines) =>
    lines.some((number) => data.lines[number].map(([text]) => text).join("").toLowerCase().includes(words));

  const fits = (wanted) => ([pronoun, system, outcome, reference, candidate, labels, , , , verdicts]) =>
    (!wanted.get("system") || data.systems[system] === wanted.get("system")) &&
    (!wanted.get("pronoun") || data.pronouns[pronoun].form === wanted.get("pronoun")) &&
    (!wanted.get("category") || data.pronouns[pronoun].category === wanted.get("category")) &&
    (!wanted.get("document") || data.pronouns[pronoun].document === wanted.get("document")) &&
    data.judges.every((name, i) => !wanted.get(`verdict-${name}`) || data.labels[verdicts[i]] === wanted.get(`verdict-${name}`)) &&
    (!wanted.get("words") || has(wanted.get("words").toLowerCase(), data.pronouns[pronoun].source, reference, candidate)) &&
    (!wanted.get("outcome") || data.outcomes[outcome].key === wanted.get("outcome")) &&
    (!wanted.get("reference") || data.labels[labels[0]] === wanted.get("reference")) &&
    (!wanted.get("candidate") || data.labels[labels[1]] === wanted.get("candidate")) &&
    (!wanted.get("disagreement") || data.pronouns[pronoun].disagreement);

  const side = (name, notes) =>
    make("li", "", `${name}: ${data.notes[notes][0]}`, make("ul", "", ...data.notes[notes].slice(1).map((note) => make("li", "", note))));

  const judged = ([pronoun, system, outcome, reference, candidate, , wanted, given, chosen, verdicts, human], index, all) => {
    const { key, name, rule } = data.outcomes[outcome];
    const { line: at, before: context } = data.pronouns[pronoun];
    const heading = make("h4", "", `${data.names[system]}: `, make("span", `outcome case${key}`, name));
    heading.title = data.systems[system];
    data.judges.forEach((judge, i) => heading.append(make("span", "faint", `, ${judge}: ${data.labels[verdicts[i]]}`)));
    const found = make("section", "", heading);
    // What stands above already, the same words of the reference with the same marks, is not said again.
    const known = !data.before.references.length || (index > 0 && all[index - 1][3] === reference);
    found.append(make("dl", "", ...(known ? [] : line("reference", reference, data.target)), ...line("candidate", candidate, data.target)));
    if (human) found.append(make("p", "", `People: ${human}`));
    const earlier = [
      ...before("reference", data.before.references[chosen] ?? {}, at, context.length, data.target),
      ...before("candidate", data.before.systems[system], at, context.length, data.target),
    ];
    const why = make("details", "", make("summary", "", earlier.length ? "Why, and the lines before" : "Why"), make("ul", "", side("reference", wanted), side("candidate", given), make("li", "", `rule: ${rule}`)));
    if (earlier.length) why.append(make("dl", "", ...earlier));
    found.append(why);
    return found;
  };

  const card = ([pronoun, cards]) => {
    const { form: word, at, source, category, line: number, before: context } = data.pronouns[pronoun];
    const heading = make("h3", "", word, " ", make("span", "faint", category ? `${at}, ${category}` : at));
    const counts = new Map();
    for (const [, , outcome] of cards) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    const tally = [...counts].sort(([a], [b]) => a - b).map(([outcome, count]) =>
      make("li", `outcome case${data.outcomes[outcome].key}`, `${data.outcomes[outcome].name} ${count}`));
    const text = make("dd", "", numbered([...context, source], number, data.source));
    const shown = cards.toSorted((a, b) => a[2] - b[2] || a[1] - b[1]);
    return make("article", "", heading, ...(cards.length > 1 ? [make("ul", "tally", ...tally)] : []),
      make("dl", "", make("dt", "", "source"), text), ...shown.map(judged));
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
    if (wanted.get("order") !== "text") groups.sort(([a], [b]) => data.pronouns[a].rank - data.pronouns[b].rank);
    const differing = groups.filter(([number]) => data.pronouns[number].disagreement).length;
    drawn = 0;
    list.replaceChildren();
    draw();
    status.textContent = `${found.length} examples of ${groups.length} pronouns` +
      (data.systems.length > 1 ? `, on ${differing} of them systems disagree` : "");
  };

  form.addEventListener("change", () => {
    const chosen = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    location.hash = chosen.toString() || "all";
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    form.dispatchEvent(new Event("change"));
  });
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
  // Paper has all charts and tables, and the reasons that are open: all of them would fill a hundred sheets.
  const opened = [];
  addEventListener("beforeprint", () => {
    opened.push(...[...document.querySelectorAll("details:not([open])")].filter((details) => !details.closest("article")));
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened.splice(0)) details.open = false;
  });
  form.hidden = false;
  update();
})();
