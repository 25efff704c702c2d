import { writeAll } from '../process/standard-io';
import type { ChunkLoader } from './load-chunk';

/** The same way for the second time, as a bit. */
const AGAIN = 4;

/**
 * Keeps the compiled code of chunks that end in this way for the second time; ways are bits, four of them. The first
 * time is only noted: it runs functions that no later event does, and V8 would make objects of them at each of those.
 * The host has its answer: whatever goes wrong now must not change how we leave.
 */
export function keepNews({ compiled, folder, load }: ChunkLoader, ending: number): void {
  const again = ending << AGAIN;
  const news = compiled.filter(({ endings }) => (endings & again) === 0);
  if (news.length === 0 || folder === undefined) return;
  try {
    // Taken before anything else is loaded: what it takes to load that would be kept too.
    const codes = news.map(({ script, endings }) =>
      (endings & ending) === 0 ? undefined : script.createCachedData(),
    );
    const { keepCode } = load('keep-code', 'any') as typeof import('./keep-code');
    news.forEach((one, index) => {
      const code = codes[index];
      keepCode(folder, one, one.endings | (code === undefined ? ending : again), code);
    });
  } catch {
    // It costs the next event some time.
  }
}

export function say(stdout: string, stderr: string): void {
  if (stderr !== '') writeAll(2, stderr);
  if (!writeAll(1, stdout)) writeAll(2, 'holdpoint: nobody reads standard output; the answer is lost.\n');
}

/**
 * Ends the process. `process.exit` ends in the function that is called here, after looking for listeners
 * that we do not have; that function is not documented, so it may be missing. What is to be done `before` is done
 * from here: whoever keeps the code then keeps this function's too.
 */
export function exit(code: 0 | 2, before?: () => void): never {
  before?.();
  const { reallyExit } = process as { reallyExit?: (code: number) => void };
  reallyExit?.call(process, code);
  process.exit(code);
}
