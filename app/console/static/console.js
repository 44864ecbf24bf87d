// What pages do beyond forms and links; all of them work without it.

for (const time of document.querySelectorAll("time[datetime]")) {
  const shown = new Date(time.dateTime).toLocaleString(document.documentElement.lang, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  if (time.title) {
    time.title = shown;
  } else {
    time.textContent = shown;
  }
}

// What was just done is told once: a page that is loaded again does not repeat it.
const address = new URL(location.href);
if (address.searchParams.has("done")) {
  address.searchParams.delete("done");
  history.replaceState(null, "", address);
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = button.dataset.done;
  });
}
