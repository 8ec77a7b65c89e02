// What the page says in the language of its user: English here, translations from the server.
const words = JSON.parse(document.querySelector("meta[name=words]")?.content || "{}");

export const t = (text, values = {}) =>
  (words[text] ?? text).replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
