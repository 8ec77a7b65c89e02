// One request to our own server. What goes wrong comes back as a refusal that says what can be done.
export class Refused extends Error {
  constructor(message, { status = 0, final = false, clash = null } = {}) {
    super(message);
    this.status = status;
    this.final = final;   // asking again would change nothing
    this.clash = clash;   // the page with both answers
  }
}

const token = () => document.querySelector("meta[name=csrf]")?.content ?? "";

export const ask = async (path, content = null) => {
  let response;
  try {
    response = await fetch(path, {
      method: content ? "POST" : "GET",
      headers: content ? { "Content-Type": "application/json", "X-CSRF-Token": token() } : {},
      body: content ? JSON.stringify(content) : null,
      signal: AbortSignal.timeout(15000),
    });
  } catch {
    throw new Refused("The server does not answer.");
  }
  const found = await response.json().catch(() => ({}));
  if (response.ok) return found;
  const message = found.what ? `${found.what}: ${found.fix}` : `The server answers with ${response.status}.`;
  throw new Refused(message, {
    status: response.status,
    final: [400, 404, 413].includes(response.status),
    clash: response.status === 409 ? found.html : null,
  });
};
