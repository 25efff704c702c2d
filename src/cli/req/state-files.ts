import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DocumentRef } from '../../core/document';
import { isJsonObject, type JsonObject } from '../../core/json';
import { PROJECT_FILE } from '../../guards/requirements/view';
import { readDocument } from '../../state/documents';
import type { Layout } from '../../state/layout';

/** A JSON file in the directory of the requirements' state. Other programs keep theirs there too. */
export type StateFile =
  | ({ readonly kind: 'branch'; readonly branch: string | undefined } & ReadState)
  | ({ readonly kind: 'project' } & ReadState)
  | { readonly kind: 'foreign'; readonly ref: DocumentRef }
  | { readonly kind: 'unreadable'; readonly ref: DocumentRef; readonly file: string; readonly why: string };

interface ReadState {
  readonly ref: DocumentRef;
  readonly state: JsonObject;
  /** Equal for two readings only if nobody wrote in between. */
  readonly version: string;
}

/** Where the state files lie. */
export function stateDirectory(layout: Layout): string {
  return join(layout.git, 'requirements');
}

export function readStateFiles(layout: Layout): StateFile[] {
  return namesIn(stateDirectory(layout)).map((name) => readStateFile(layout, name));
}

/** How many requirements a state knows of. */
export function requirementCount(state: JsonObject): number {
  return Object.keys(requirementsIn(state)).length;
}

export function requirementsIn(state: JsonObject): JsonObject {
  return isJsonObject(state['requirements']) ? state['requirements'] : {};
}

/** The branch a file is for; one that does not say so is called by its own name. */
export function branchName(file: Extract<StateFile, { kind: 'branch' }>): string {
  return file.branch ?? basename(file.ref.path, '.json');
}

function readStateFile(layout: Layout, name: string): StateFile {
  const ref: DocumentRef = { ...PROJECT_FILE, path: `requirements/${name}` };
  const document = readDocument(layout, ref);
  if (document.kind === 'missing') return { kind: 'foreign', ref };
  if (document.kind === 'unreadable') {
    return { kind: 'unreadable', ref, file: document.file, why: document.why };
  }
  const { value: state, version } = document;
  if (!isJsonObject(state) || !isJsonObject(state['requirements'])) return { kind: 'foreign', ref };
  if (ref.path === PROJECT_FILE.path) return { kind: 'project', ref, state, version };
  const branch = typeof state['branch'] === 'string' ? state['branch'] : undefined;
  return { kind: 'branch', ref, state, version, branch };
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch {
    return [];
  }
}
