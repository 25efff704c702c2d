import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { containerOf, type Layout, placeOf } from '../state/documents';
import { appendJournal, nextDecisionId } from '../state/journal';
import { updateDocuments } from '../state/update';
import { detailOf } from './failure';
import { jsonObjectIn, textIn } from './json';
import { sentenceOf } from './messages';
import { findProject } from './project';
import { degradeChange } from './refused-stops';

/** What was going on when something of ours threw. */
export interface Mishap {
  readonly error: unknown;
  /** What the process was called with. */
  readonly args: readonly string[];
  /** What came in, if it was an event. Only names are taken from it. */
  readonly input: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: number;
}

const WAIT_MS = 500;
/** A bug that strikes at every event must not fill the disk. */
const REPORTS_KEPT = 20;

/**
 * Turns a bug into a file that can be attached to a report as it is, a line in the journal and a
 * mark on the session. Answers with the file, where the project is known and takes it.
 */
export function reportBug(mishap: Mishap): string | undefined {
  const event = eventIn(mishap.input);
  const layout = findProject(event.cwd, mishap.env)?.layout;
  if (layout === undefined) return undefined;
  const id = nextDecisionId(mishap.now, process.pid);
  const failure = { code: 'bug', detail: detailOf(mishap.error) } as const;
  appendJournal(layout, {
    id,
    at: new Date(mishap.now).toISOString(),
    session: event.session,
    event: event.name,
    actor: 'system',
    channel: 'hook',
    decision: 'nothing',
    failures: [{ code: failure.code, message: sentenceOf(failure) }],
  });
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

/** Of the stack only the places: its head repeats the whole message, and with it the text an error quotes. */
function reportText({ error, args, now }: Mishap, event: string): string {
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
