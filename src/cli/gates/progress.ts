import { plainLines } from '../../guards/gates/run/messages';
import type { Reporter, RunEvent } from '../../guards/gates/run/run';
import type { Output } from '../output/output';

/** Tells a person what a run does while it does it. */
export interface Progress {
  readonly report: Reporter;
  /** Nothing moves any more. */
  end(): void;
}

/** Says nothing: the document at the end says it all. */
export const SILENT: Progress = { report: () => undefined, end: () => undefined };

/**
 * A line for everything, on standard error. What `check` and `review` say of their way to the gates goes to
 * standard output, where scripts look for it.
 */
export function plainProgress(out: Output, mode: 'run' | 'check' | 'review'): Progress {
  return {
    report: (event) => {
      const toOutput = mode !== 'run' && isOnTheWay(event);
      for (const line of plainLines(event)) {
        if (toOutput) out.line(out.style('dim', line));
        else out.error(line);
      }
    },
    end: () => undefined,
  };
}

export function isOnTheWay({ kind }: RunEvent): boolean {
  return kind === 'progress' || kind === 'note';
}
