// What the chat says, in the visitor's language.

/** Texts by key; `from` is where their files are, as an address that ends in a slash. */
export async function loadTexts(from, language) {
  const response = await fetch(new URL(`${language}.json`, from), { credentials: "omit" });
  if (!response.ok) throw new Error(`no texts: HTTP ${response.status}`);
  return { language, ...(await response.json()) };
}

/** The text with its places, such as `{number}`, filled. */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}

/** "in 30 seconds", "in 2 minutes". */
export function inSeconds(seconds, language) {
  const format = new Intl.RelativeTimeFormat(language);
  return seconds < 90 ? format.format(seconds, "second") : format.format(Math.ceil(seconds / 60), "minute");
}

/** What an answer took of energy, as a sentence; nothing where that is not told. */
export function energySentence(energy, texts) {
  if (!energy) return "";
  const shown = (number) => twoDigits(number, texts);
  const { basis, wh, hair_dryer_seconds: dryer, phone_percent: phone } = energy;
  return fill(texts[`energy_${basis}`], { wh: shown(wh), dryer: shown(dryer), phone: shown(phone) });
}

/** What each part of the machine took, and what the data centre adds to it, in a line each. */
export function energyParts({ parts = {}, pue = 1 }, texts) {
  const here = Object.entries(parts).filter(([part]) => part !== "model");
  const overhead = (pue - 1) * here.reduce((sum, [, amount]) => sum + amount, 0);
  return Object.entries({ ...parts, overhead })
    .filter(([, amount]) => amount > 0)
    .map(([part, amount]) => fill(texts[`energy_${part}`], { wh: twoDigits(amount, texts) }));
}

function twoDigits(number, { language }) {
  return number.toLocaleString(language, { maximumSignificantDigits: 2 });
}

/** Which law was searched, as a sentence; nothing where none was. `day`: as of when, unless a time was asked for. */
export function timeSentence(time, day, texts) {
  const { in_force_on: at = day, published_from: start, published_before: end } = time ?? {};
  const published = start && end ? "between" : start ? "from" : end ? "before" : "";
  return [at ? "at" : "", published]
    .filter((name) => name)
    .map((name) => fill(texts.times[name], { at, start, end }))
    .join(" ");
}
