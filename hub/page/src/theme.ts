import { effect, signal } from '@preact/signals';

const KEY = 'holdpoint.theme';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(THEMES.find((name) => name === localStorage.getItem(KEY)) ?? 'system');

const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(darkSystem.matches);
darkSystem.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches;
});

effect(() => {
  if (theme.value === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme.value);
  document.documentElement.dataset['theme'] = theme.value;
});

/** Whether the page is dark now. Plots are redrawn when it changes. */
export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'system' && systemIsDark.value);
}
