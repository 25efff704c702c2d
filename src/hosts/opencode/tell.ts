import type { Client } from './client';

const MOST_REMEMBERED = 100;

/**
 * Shows something to the person, and puts it into the program's log. Nobody waits for it: while plugins are
 * loaded, the program does not answer. What was said before is not said again.
 */
export function teller(client: Client): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (said.has(message)) return;
    if (said.size >= MOST_REMEMBERED) said.clear();
    said.add(message);
    void attempt(() => client.app.log({ body: { service: 'holdpoint', level: 'warn', message } }));
    void attempt(() => client.tui?.showToast({ body: { message, variant: 'warning' } }));
  };
}

async function attempt(call: () => Promise<unknown> | undefined): Promise<void> {
  try {
    await call();
  } catch {
    // Where there is nobody to show it to, it is in the journal.
  }
}
