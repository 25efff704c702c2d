/** Every file of a run ends in its number; whatever else lies in the directory is somebody else's. */
const NUMBERED = /^(?!\.).+\.(\d{1,9})\.(?:log|json)$/;
const CONSOLE = /^console\.\d+\.log$/;

/** A job's log: its id with everything but plain characters replaced, then the slot, then the run. */
export function gateLogName(id: string, run: number, slot?: string): string {
  const stem = id.replace(/[^A-Za-z0-9._-]/g, '_');
  return `${stem}${slot === undefined ? '' : `_${slot}`}.${run}.log`;
}

export function consoleLogName(run: number): string {
  return `console.${run}.log`;
}

/** The run that a file belongs to; `undefined` for a file that is not of a run. */
export function runOf(name: string): number | undefined {
  const digits = NUMBERED.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function isConsoleLog(name: string): boolean {
  return CONSOLE.test(name);
}
