// Three themes: as the system, light, dark. Kept in this browser.
export type Theme = 'auto' | 'light' | 'dark';

const kKey = 'jobstrand.theme';
const kThemes: readonly Theme[] = ['auto', 'light', 'dark'];

export function themeNow(): Theme {
  const kept = localStorage.getItem(kKey) as Theme | null;
  return kept && kThemes.includes(kept) ? kept : 'auto';
}

const darkSystem = matchMedia('(prefers-color-scheme: dark)');

/** The colours of the theme: of one that is as the system, also when that changes. */
function showTheme(): void {
  const theme = themeNow();
  document.documentElement.dataset['theme'] = theme !== 'auto' ? theme : darkSystem.matches ? 'dark' : 'light';
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(kKey, theme);
  showTheme();
}

export function startThemes(): void {
  darkSystem.addEventListener('change', showTheme);
  showTheme();
}

export const nextTheme = (theme: Theme): Theme => kThemes[(kThemes.indexOf(theme) + 1) % kThemes.length] ?? 'auto';
