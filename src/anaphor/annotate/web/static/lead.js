// The lead's pages work without script; it keeps figures fresh while they are looked at, and gives decisions keys.
import { ask, Refused } from "./asking.js";
import { listen } from "./keys.js";
import { followTimes } from "./times.js";

const live = document.querySelector("[data-live]");
const PAUSE = 15000;
const PATIENCE = 20;  // figures of a large campaign take long: then ask so many times more seldom

const refresh = async () => {
  const start = performance.now();
  if (!document.hidden && !live.contains(document.activeElement)) {
    try {
      live.innerHTML = (await ask(live.dataset.live)).html;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
  setTimeout(refresh, Math.max(PAUSE, PATIENCE * (performance.now() - start)));
};

if (live) setTimeout(refresh, PAUSE);

// Keys for deciding: a number decides like that annotator, j and k go to the next and the previous one. The digits
// of the antecedent question rest here: they are taken.
const form = document.getElementById("answer");
if (form) {
  const actions = { Save: () => form.requestSubmit() };
  for (const button of document.querySelectorAll("[data-decide]")) actions[button.dataset.decide] = () => button.click();
  for (const link of document.querySelectorAll("[data-go]")) actions[link.dataset.go] = () => link.click();
  listen(actions);
}
followTimes();

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const link = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(link.textContent);
      button.textContent = "Copied";
    } catch {  // the browser forbids it, as without TLS: the link is selected, and a key copies it
      getSelection().selectAllChildren(link);
      button.textContent = "Selected: press Ctrl+C";
    }
  });
}
document.documentElement.dataset.ready = "";
