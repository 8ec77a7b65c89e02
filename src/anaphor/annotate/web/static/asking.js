// One request to our own server. What goes wrong comes back as a refusal that says what can be done.
import { t } from "./words.js";

export class Refused extends Error {
  constructor(message, { status = 0, final = false, clash = null } = {}) {
    super(message);
    this.status = status;
    this.final = final;   // asking again would change nothing
    this.clash = clash;   // the page with both answers
  }
}

// Where the campaign is served: empty, or a path of its own beside other campaigns. Paths in scripts go without it.
export const base = document.querySelector("meta[name=base]")?.content ?? "";

const tokenPlace = () => document.querySelector("meta[name=csrf]");

// Only a server that does not answer, or that cannot work now, is "not connected".
export const isAway = (error) => error.status === 0 || error.status >= 500;

const request = async (path, content) => {
  try {
    return await fetch(base + path, {
      method: content ? "POST" : "GET",
      headers: content ? { "Content-Type": "application/json", "X-CSRF-Token": tokenPlace()?.content ?? "" } : {},
      body: content ? JSON.stringify(content) : null,
      signal: AbortSignal.timeout(15000),
    });
  } catch {
    throw new Refused(t("The server does not answer."));
  }
};

// Signing in again in another tab replaces the token of this page. The same person goes on with the new one;
// what one person typed is never sent in the name of another.
const renewed = async () => {
  const response = await request("/api/session", null);
  if (!response.ok) throw new Refused(t("You are signed out: open your personal link again."), { status: 401 });
  const { csrf, person, name } = await response.json();
  const keep = document.querySelector("meta[name=keep]")?.content ?? "";  // campaign:person
  if (!keep.endsWith(`:${person}`)) {
    throw new Refused(t("{name} is signed in in this browser now: open your own personal link again.", { name }), { status: 403 });
  }
  const old = tokenPlace().content;
  tokenPlace().content = csrf;
  for (const field of document.querySelectorAll("input[name=csrf]")) field.value = csrf;
  return csrf !== old;
};

export const ask = async (path, content = null) => {
  let response = await request(path, content);
  if (content && response.status === 403 && await renewed()) response = await request(path, content);
  const found = await response.json().catch(() => ({}));
  if (response.ok) return found;
  const message = found.what ? `${found.what}: ${found.fix}` : t("The server answers with {status}.", { status: response.status });
  throw new Refused(message, {
    status: response.status,
    final: [400, 404, 413].includes(response.status),
    clash: response.status === 409 ? found.html : null,
  });
};
