import type { CancelSignal } from './cancel-signal';

/** Timers wrap around beyond this and would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What ends a run first: the program itself, its time, or whoever cancels it. */
export type FirstEnd = 'ended' | 'timed-out' | 'cancelled';

/** Waits for it, and for nothing afterwards. */
export async function firstEnd(
  ended: Promise<unknown>,
  timeoutMs: number,
  interrupted: Promise<unknown>,
  signal: CancelSignal | undefined,
): Promise<FirstEnd> {
  let forget = (): void => undefined;
  const first = new Promise<FirstEnd>((resolve) => {
    const cancel = (): void => resolve('cancelled');
    const timer = setTimeout(() => resolve('timed-out'), Math.min(timeoutMs, LONGEST_TIMER));
    signal?.addEventListener('abort', cancel);
    void interrupted.then(cancel);
    void ended.then(() => resolve('ended'));
    forget = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    };
  });
  const how = await first;
  forget();
  return how;
}
