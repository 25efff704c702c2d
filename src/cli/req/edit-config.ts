import { readFileSync } from 'node:fs';
import { type EditTrouble, setSection, setValue } from '../../config/edit-yaml';
import { loadText } from '../../config/files';
import { showPath } from '../../config/pointer';
import { fail, type Result, succeed } from '../../core/failure';
import { isJsonObject, type Json } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import type { Layout } from '../../state/layout';
import { lockProject } from '../../state/update';
import { type ConfigFile, pathOf, writeConfigFile } from './config-file';

/** One value to be set, by the keys that lead to it. */
export interface Edit {
  readonly path: readonly string[];
  readonly value: Json;
}

const LOCK_WAIT_MS = 10_000;

/** The text of a config file with the edits made, or a sentence that says why they cannot be made. */
export function editedText(file: ConfigFile, edits: readonly Edit[]): Result<string, string> {
  const loaded = loadText(pathOf(file));
  if (loaded.kind === 'refused') return fail(`${file.path}: ${loaded.finding.message}`);
  // Read as it is: what was loaded has lost a byte order mark, which has to stay in the file.
  let text = loaded.kind === 'text' ? readFileSync(pathOf(file), 'utf8') : '';
  for (const { path, value } of edits) {
    const [key = '', ...below] = path;
    const isSection = below.length === 0 && isJsonObject(value);
    const result = isSection
      ? setSection(text, key, value, file.yaml)
      : setValue(text, path, value, file.yaml);
    if (!result.ok) return fail(troubleText(file, result.failure));
    text = result.value;
  }
  return succeed(text);
}

/** Makes the edits while nobody else does, in what the file holds at that moment. */
export function editConfig(layout: Layout, file: ConfigFile, edits: readonly Edit[]): Result<string, string> {
  return whileLocked(layout, () => {
    const text = editedText(file, edits);
    if (!text.ok) return text;
    const written = writeConfigFile(file, text.value);
    return written.ok ? written : fail(sentenceOf(written.failure));
  });
}

/** Without a project nobody else writes its files. */
export function whileLocked<T>(layout: Layout | undefined, act: () => Result<T, string>): Result<T, string> {
  if (layout === undefined) return act();
  const lock = lockProject(layout, LOCK_WAIT_MS);
  if (!lock.ok) return fail(sentenceOf(lock.failure));
  try {
    return act();
  } finally {
    lock.value.release();
  }
}

function troubleText({ path }: ConfigFile, trouble: EditTrouble): string {
  switch (trouble.kind) {
    case 'broken':
      return `${path}:${trouble.line}: ${trouble.why}. Mend that first.`;
    case 'not-a-mapping':
      return `${path}: \`${showPath(trouble.path)}\` is not a mapping, so nothing can be set in it. Mend that first.`;
    case 'no-place':
      return `${path} is written in a way that leaves no place for \`${showPath(trouble.path)}\`. Set it by hand.`;
  }
}
