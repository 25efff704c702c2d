/** What ends us, and the exit code by which a shell knows it. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

type Ending = keyof typeof EXIT_CODES;

const runs = new Set<() => void>();
let received: Ending | undefined;

/** Whether a signal has come that ends us: then nothing new is started. */
export function isInterrupted(): boolean {
  return received !== undefined;
}

/**
 * While anything runs, a signal that would end us ends that first: `interrupt` is called, and we exit
 * once every run has left. A second signal does not wait; then the guardian ends what is left.
 */
export function enlist(interrupt: () => void): () => void {
  if (runs.size === 0) for (const signal of endings()) process.on(signal, onSignal);
  runs.add(interrupt);
  return () => {
    runs.delete(interrupt);
    if (runs.size > 0) return;
    if (received !== undefined) exitSoon(received);
    else for (const signal of endings()) process.off(signal, onSignal);
  };
}

function onSignal(signal: NodeJS.Signals): void {
  const ending = endings().find((one) => one === signal);
  if (ending === undefined) return;
  if (received !== undefined) process.exit(EXIT_CODES[ending]);
  received = ending;
  for (const interrupt of runs) interrupt();
}

/** Whoever awaits the last run may still put things in order. */
function exitSoon(ending: Ending): void {
  setImmediate(() => process.exit(EXIT_CODES[ending]));
}

function endings(): Ending[] {
  return Object.keys(EXIT_CODES) as Ending[];
}
