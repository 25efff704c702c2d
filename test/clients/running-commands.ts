import { readdirSync, readFileSync } from 'node:fs';

/** The command lines of all processes that can be seen, their words divided by blanks. */
export function runningCommands(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}
