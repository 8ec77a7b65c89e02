// A button on every block of code that copies it; of a session, the commands without the prompt and the output.
document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.highlight")) {
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const text = block.querySelector("pre").textContent;
      const session = block.parentElement.classList.contains("highlight-console");
      const commands = [...text.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map((match) => match[1]);
      await navigator.clipboard.writeText(session ? commands.join("\n") : text);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.append(button);
  }
});
