import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mark } from '../../core/recording/mark';
import { attempt } from '../../exec/attempt';
import { type Output, plural } from '../ui/output';

/** How many events a recording has; `undefined` where its file cannot be read. */
export function eventsIn({ root, file }: Mark): number | undefined {
  const text = attempt(() => readFileSync(join(root, file), 'latin1'));
  return text === undefined ? undefined : Math.max(0, text.split('\n').length - 2);
}

export function recordingJson(mark: Mark): object {
  const { file, session = null, began, stopped = null } = mark;
  return { file, session, began, events: eventsIn(mark) ?? null, stopped };
}

export function recordingText(mark: Mark, out: Output): string {
  const { file, session, stopped } = mark;
  if (stopped !== undefined) return out.style('yellow', `${file} has stopped: ${stopped}`);
  const events = eventsIn(mark);
  if (events === undefined) return out.style('yellow', `${file} is gone`);
  return `${plural(events, 'event')} in ${file}${session === undefined ? '' : `, session ${session} only`}`;
}
