// Times in the zone of whoever reads them; the server writes UTC, which stays in the title.
const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });
const two = (number) => String(number).padStart(2, "0");

const words = (date) => {
  const name = zone.formatToParts(date).find((part) => part.type === "timeZoneName")?.value ?? "";
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())} ${name}`;
};

const localize = () => {
  for (const time of document.querySelectorAll("time[datetime]:not([title])")) {
    time.title = time.textContent;
    time.textContent = words(new Date(time.dateTime));
  }
};

export const followTimes = () => {
  localize();
  new MutationObserver(localize).observe(document.body, { childList: true, subtree: true });
};
