import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../exec/attempt';
import { isPrivate } from './place';
import { formReply, parseReply, type Spoken } from './wire';

/*
 * Answers that may not have reached their client. What an event has changed is written before it is answered; if the
 * server dies in between, the process that the client falls back to finds the answer here and gives it, instead of
 * deciding again about a world in which the event has already been counted.
 */

/** Whoever falls back does so at once; an answer that is older belongs to nobody any more. */
const FRESH_MS = 10_000;

function fileFor(dir: string, args: string, document: string): string {
  const name = createHash('sha256').update(`${args}\0${document.trim()}`).digest('hex');
  return join(dir, 'outbox', name);
}

/** Keeps an answer until it was delivered; the result forgets it. */
export function keepAnswer(dir: string, args: string, document: string, answer: Spoken): () => void {
  const file = fileFor(dir, args, document);
  mkdirSync(join(dir, 'outbox'), { recursive: true, mode: 0o700 });
  writeFileSync(file, formReply(answer), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** The answer that a server in this directory gave to the same event but may not have delivered. */
export function undeliveredAnswer(dir: string, args: string, document: string): Spoken | undefined {
  if (!isPrivate(dir, process.getuid?.() ?? 0)) return undefined;
  const file = fileFor(dir, args, document);
  return attempt(() => {
    if (Date.now() - statSync(file).mtimeMs > FRESH_MS) return undefined;
    const answer = parseReply(readFileSync(file, 'utf8'));
    rmSync(file, { force: true });
    return answer;
  });
}

/** Removes what nobody came for. */
export function clearOutbox(dir: string): void {
  // There may be none, or somebody else has just removed what was in it.
  attempt(() => {
    for (const name of readdirSync(join(dir, 'outbox'))) {
      const file = join(dir, 'outbox', name);
      if (Date.now() - statSync(file).mtimeMs > FRESH_MS) rmSync(file, { force: true });
    }
  });
}

/** A server that ends in good order has delivered everything. */
export function removeOutbox(dir: string): void {
  rmSync(join(dir, 'outbox'), { recursive: true, force: true });
}
