import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { containerOf, type Layout, placeOf } from '../state/documents';
import { updateDocuments } from '../state/update';
import { journalFailure } from './combine';
import { detailOf } from './failure';
import { jsonObjectIn, textIn } from './json';
import { findProject } from './project';
import { degradeChange } from './refused-stops';

/** The circumstances of an internal error. */
export interface InternalError {
  readonly error: unknown;
  /** The arguments of the process. */
  readonly args: readonly string[];
  /** What was read, if it was an event. Only names are taken from it. */
  readonly input: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: number;
}

const WAIT_MS = 500;
/** A bug that occurs at every event must not fill the disk. */
const REPORTS_KEPT = 20;

/**
 * Turns an internal error into a file to attach to a bug report, a journal entry and a mark on the session.
 * Returns the file, if the project is known and the file could be written.
 */
export function reportBug(mishap: InternalError): string | undefined {
  const event = eventIn(mishap.input);
  const layout = findProject(event.cwd, mishap.env)?.layout;
  if (layout === undefined) return undefined;
  const failure = { code: 'bug', detail: detailOf(mishap.error) } as const;
  const id = journalFailure(layout, failure, mishap.now, { session: event.session, event: event.name });
  if (event.session !== '') {
    updateDocuments(layout, [degradeChange(event.session, [failure], mishap.now)], WAIT_MS);
  }
  return writeReport(layout, id, reportText(mishap, event.name));
}

function eventIn(input: string) {
  const raw = jsonObjectIn(input);
  const text = (key: string): string => textIn(raw, key) ?? '';
  return { cwd: text('cwd'), session: text('session_id'), name: text('hook_event_name') };
}

function writeReport(layout: Layout, id: string, text: string): string | undefined {
  const file = join(layout.own, `bug-${id}.txt`);
  try {
    if (placeOf(containerOf(layout, 'own'), file).kind === 'outward') return undefined;
    const others = readdirSync(layout.own).filter((name) => name.startsWith('bug-'));
    if (others.length >= REPORTS_KEPT) return undefined;
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
    return file;
  } catch {
    return undefined;
  }
}

/** Only the locations of the stack: its head repeats the message, with any text that the error quotes. */
function reportText({ error, args, now }: InternalError, event: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = stack.split('\n').filter((line) => /^ +at /.test(line));
  return [
    'Internal error in Holdpoint. This file has no prompts, no file contents and no environment;',
    'check it, then attach it to a bug report.',
    '',
    `version   ${__VERSION__}`,
    `node      ${process.version}`,
    `platform  ${process.platform} ${process.arch}`,
    `time      ${new Date(now).toISOString()}`,
    `command   ${args.join(' ')}`,
    `event     ${event || '(none)'}`,
    '',
    detailOf(error),
    ...places,
    '',
  ].join('\n');
}
