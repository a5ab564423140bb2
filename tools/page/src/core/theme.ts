// Three themes: as the system, light, dark. Kept in this browser.
export type Theme = 'auto' | 'light' | 'dark';

const kKey = 'jobstrand.theme';
const kThemes: readonly Theme[] = ['auto', 'light', 'dark'];

export function themeNow(): Theme {
  const kept = localStorage.getItem(kKey) as Theme | null;
  return kept && kThemes.includes(kept) ? kept : 'auto';
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(kKey, theme);
  if (theme === 'auto') {
    delete document.documentElement.dataset['theme'];
  } else {
    document.documentElement.dataset['theme'] = theme;
  }
}

export const nextTheme = (theme: Theme): Theme => kThemes[(kThemes.indexOf(theme) + 1) % kThemes.length] ?? 'auto';
