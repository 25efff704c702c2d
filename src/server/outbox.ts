import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../core/failure';
import { formatReply, type HookOutput, parseReply } from './protocol';
import { isPrivate } from './runtime-place';

/*
 * Answers that did not reach their client. State is written before the event is answered; if the client has
 * given up in between, the process that it falls back to finds the answer here, instead of deciding again on a
 * state in which the event has already been counted.
 */

/** A client falls back at once, so nobody asks for an older answer. */
const FRESH_MS = 10_000;

function fileFor(dir: string, args: string, document: string): string {
  const name = createHash('sha256').update(`${args}\0${document.trim()}`).digest('hex');
  return join(dir, 'outbox', name);
}

export function storeAnswer(dir: string, args: string, document: string, answer: HookOutput): void {
  const file = fileFor(dir, args, document);
  mkdirSync(join(dir, 'outbox'), { recursive: true, mode: 0o700 });
  writeFileSync(file, formatReply(answer), { mode: 0o600 });
}

/** The answer that a server in this directory gave to the same event but could not deliver. */
export function undeliveredAnswer(dir: string, args: string, document: string): HookOutput | undefined {
  if (!isPrivate(dir)) return undefined;
  const file = fileFor(dir, args, document);
  return attempt(() => {
    if (Date.now() - statSync(file).mtimeMs > FRESH_MS) return undefined;
    const answer = parseReply(readFileSync(file, 'utf8'));
    rmSync(file, { force: true });
    return answer;
  });
}

/** Removes answers that nobody fetched. */
export function clearOutbox(dir: string): void {
  // There may be no outbox, or another process may be removing the same files.
  attempt(() => {
    for (const name of readdirSync(join(dir, 'outbox'))) {
      const file = join(dir, 'outbox', name);
      if (Date.now() - statSync(file).mtimeMs > FRESH_MS) rmSync(file, { force: true });
    }
  });
}

/** A server that shuts down in order has delivered everything. */
export function removeOutbox(dir: string): void {
  rmSync(join(dir, 'outbox'), { recursive: true, force: true });
}
