import { existsSync, readFileSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { discard, syncDirectory, writeTemporary } from '../../../state/write-file';
import type { ExecutionState } from '../execution-state';
import { parseExecutionState } from '../execution-state';
import { LEGACY_REF_NAME, STATE_NAME } from './log-dir';

/**
 * The state of a log directory; `undefined` where there is none, or none that can be read. What the older
 * program once kept in a file of its own is taken from there, if the state lacks it.
 */
export function readState(logDir: string): ExecutionState | undefined {
  const state = parseExecutionState(textOf(join(logDir, STATE_NAME)) ?? '');
  if (state === undefined || state.working_tree_ref !== undefined) return state;
  const legacy = textOf(join(logDir, LEGACY_REF_NAME))?.trim() ?? '';
  return /^[0-9a-f]{40,64}$/.test(legacy) ? { ...state, working_tree_ref: legacy } : state;
}

/** Whole after a crash, whatever its moment. Throws what the file system says. */
export function writeState(logDir: string, state: ExecutionState): void {
  const file = join(logDir, STATE_NAME);
  const temporary = writeTemporary(file, `${JSON.stringify(state, null, 2)}\n`, true, 0o644);
  try {
    renameSync(temporary, file);
  } catch (error) {
    discard(temporary);
    throw error;
  }
  syncDirectory(file);
}

export function removeState(logDir: string): void {
  remove(join(logDir, STATE_NAME));
}

export function removeLegacyRef(logDir: string): void {
  remove(join(logDir, LEGACY_REF_NAME));
}

/** `rmSync` would take longer to load than everything else here takes. */
function remove(file: string): void {
  if (existsSync(file)) unlinkSync(file);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
