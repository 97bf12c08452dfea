// Runs before anything is drawn, so that a page never flashes in the wrong colours.
(() => {
  /** @param {string} key */
  const keptAs = (key) => {
    try {
      return localStorage.getItem(`storeys.${key}`);
    } catch {
      return null;
    }
  };
  const kept = keptAs("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = kept ?? (dark ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  if (location.pathname === `/t/${keptAs("skyline")}`) document.documentElement.dataset.view = "skyline";
  document.cookie = `theme=${theme};path=/;max-age=31536000;samesite=lax`;
})();
