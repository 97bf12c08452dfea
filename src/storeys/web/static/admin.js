// The host's page: times as people read them, and a question before a table is deleted.

for (const time of document.querySelectorAll("time[data-when]")) {
  const when = new Date(1000 * Number(time.getAttribute("data-when")));
  time.setAttribute("datetime", when.toISOString());
  time.textContent = when.toLocaleString(document.documentElement.lang);
}

for (const form of document.querySelectorAll("form[data-sure]")) {
  form.addEventListener("submit", (event) => {
    if (!window.confirm(form.getAttribute("data-sure") ?? "")) event.preventDefault();
  });
}
