// What this browser remembers: the theme, whether single keys are shortcuts, and the operator's name.

const prefix = "ohmroute.";

export function remembered(name, otherwise) {
  try {
    return localStorage.getItem(prefix + name) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // No storage: it holds as long as the page.
  }
}

const dark = window.matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";

// toggleTheme changes between light and dark; what the system has by itself is not remembered.
export function toggleTheme() {
  const wanted = isDark() ? "light" : "dark";
  const own = dark.matches ? "dark" : "light";
  if (wanted === own) {
    delete document.documentElement.dataset.theme;
    remember("theme", null);
  } else {
    document.documentElement.dataset.theme = wanted;
    remember("theme", wanted);
  }
  return wanted;
}
