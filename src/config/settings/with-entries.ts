import { fail, type Result, succeed } from '../../core/failure';
import { Edit } from './edit';
import { parseSettings } from './parse';
import type { SettingsTrouble } from './trouble';
import type { Undo } from './undo';
import type { WantedEntries, WantedEntry } from './wanted';
import { wrongTypeIn } from './wrong-type';

export interface Edited {
  readonly text: string;
  readonly undo: Undo;
}

/**
 * The document with our entries, one in each of their lists, and no other byte changed. Ours that stand there
 * already are brought up to date in their place; lists that shall have none lose theirs.
 */
export function withEntries(text: string, wanted: WantedEntries): Result<Edited, SettingsTrouble> {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  const before = parseSettings(body);
  if (!before.ok) return before;
  const wrong = wrongTypeIn(before.value, wanted.entries);
  if (wrong !== undefined) return fail(wrong);
  const edit = new Edit(body);
  const parents = parentsOf(wanted.entries);
  for (const parent of parents) edit.makeRoom(parent, wanted.makesRoom);
  for (const parent of parents) edit.refresh(parent, wanted);
  for (const entry of wanted.entries) edit.add(entry, wanted);
  for (const [key, value] of Object.entries(wanted.skeleton)) edit.addMember(key, value ?? null);
  return succeed({ text: text.slice(0, text.length - body.length) + edit.text, undo: edit.undo });
}

/** The objects whose members are the lists of entries. */
export function parentsOf(entries: readonly WantedEntry[]): readonly (readonly string[])[] {
  const parents = new Map(entries.map(({ path }) => [path.slice(0, -1).join('\0'), path.slice(0, -1)]));
  return [...parents.values()];
}
