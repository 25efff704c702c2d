import { effect, signal } from '@preact/signals';

const KEY = 'holdpoint.theme';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(THEMES.find((name) => name === localStorage.getItem(KEY)) ?? 'system');

effect(() => {
  if (theme.value === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme.value);
  document.documentElement.dataset['theme'] = theme.value;
});
