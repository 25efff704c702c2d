/** SVG paths on a 16 by 16 grid. */
const PATHS = {
  waiting: 'M6 3.5v9M10 3.5v9',
  sessions: 'M2.5 3.5h11v7h-11zM5.5 13.5h5M8 10.5v3',
  decisions: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
  rules: 'M2.5 13.5v-4M6.2 13.5v-7M9.8 13.5v-5M13.5 13.5v-11',
  gates: 'M2.5 8.5l3.5 3.5 7.5-8',
  settings: 'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 3v3M6 10v3',
  held: 'M6 4v8M10 4v8',
  deny: 'M4 4l8 8M12 4l-8 8',
  pass: 'M3 8.5l3.5 3.5L13 4.5',
  ask: 'M5.6 6a2.4 2.4 0 1 1 3.4 2.2c-.7.3-1 .8-1 1.6M8 12.5v.01',
  note: 'M8 7v5M8 4v.01',
  other: 'M8 8h.01',
  moon: 'M12.8 9.8A5.5 5.5 0 0 1 6.2 3.2a5.5 5.5 0 1 0 6.6 6.6z',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 2.5v11M8 5.5h4.8M8 8h5.5M8 10.5h4.8',
  bell: 'M3.5 11.5h9c-1-1-1.2-2-1.2-4.2a3.3 3.3 0 0 0-6.6 0c0 2.2-.2 3.2-1.2 4.2zM6.8 13.5h2.4',
  close: 'M4 4l8 8M12 4l-8 8',
  out: 'M6.5 2.5h-4v11h4M6.5 8h7M10.5 5l3 3-3 3',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  loop: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path class="logo-sign" d="M16 1 31 16 16 31 1 16z" />
      <path class="logo-bars" d="M11.5 10.5h3v11h-3zM17.5 10.5h3v11h-3z" />
    </svg>
  );
}
