// Runs before anything is drawn, so that a page never flashes in the wrong colours.
(() => {
  const kept = (() => {
    try {
      return localStorage.getItem("storeys.theme");
    } catch {
      return null;
    }
  })();
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = kept ?? (dark ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${theme};path=/;max-age=31536000;samesite=lax`;
})();
