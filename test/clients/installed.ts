interface Installed {
  readonly path?: string;
  readonly problem?: string;
}

/** What `run.mjs` has found out about a client: where its program is, or why there is none. */
export function installed(client: string): Installed {
  const all = JSON.parse(process.env['HOLDPOINT_CLIENTS'] ?? '{}') as Record<string, Installed>;
  return all[client] ?? {};
}
