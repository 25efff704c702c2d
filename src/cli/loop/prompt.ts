import type { Change, DocumentRef } from '../../core/document';
import { fail, type Result, succeed } from '../../core/failure';
import { readAll } from '../../exec/standard-io';
import { documentFile, isKept } from '../../state/layout';
import { remove } from './change-loops';
import * as say from './messages';
import type { LoopPlace } from './place';
import type { StartOptions } from './start-options';

/** A task in a file of its own, which only its owner may read. */
export interface PromptFile {
  readonly file: string;
  readonly write: Change;
  readonly undo: Change;
}

/** The task as it was given: no shell and no escape has touched it. */
export function readPrompt(prompt: StartOptions['prompt']): Result<string | undefined, string> {
  if (prompt === 'none') return succeed(undefined);
  if (prompt !== 'stdin') return succeed(prompt.text);
  const input = readAll(0);
  if (!input.ok) return fail(say.unreadPrompt(input.failure));
  return input.value.trim() === '' ? fail(say.EMPTY_PROMPT) : succeed(input.value);
}

/** It lies beside the loop's state: in our own directory, or in the message store where there is none. */
export function promptFile({ layout }: LoopPlace, frameId: string, text: string): PromptFile {
  const document: DocumentRef = {
    base: isKept(layout, 'own') ? 'own' : 'messages',
    path: `loop-prompts/${frameId}.txt`,
    format: 'text',
    keeping: 'durable',
  };
  return {
    file: documentFile(layout, document),
    write: { document, what: 'wrote the task', apply: () => text },
    undo: remove(document, 'removed the task'),
  };
}
