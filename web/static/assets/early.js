// Before anything is drawn: the theme that was chosen, if any. Without a choice the system's is taken.
try {
  const theme = localStorage.getItem("ohmroute.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme.
}
