import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Edited, withEntries } from '../../config/settings/entries';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import type { Json } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { linesIn } from '../../hosts/own-lines';
import { eventsIn } from '../doctor/installation-checks';
import { noteStopHook } from '../install/records';
import { writeConfigFile } from '../req/config-file';

const COMMAND = 'agent-gauntlet stop-hook';
const ENTRY = { hooks: [{ type: 'command', command: COMMAND, timeout: 300 }] };

/**
 * Settings of Claude Code with the gates' entry for the end of a turn; the same text where it is there already.
 * No other byte is touched. What is not valid JSON, or not of the known shape, is refused.
 */
export function withStopHook(text: string): Result<Edited, string> {
  const edited = withEntries(text, {
    entries: [{ path: ['hooks', 'Stop'], value: ENTRY }],
    skeleton: {},
    isOurs: () => false,
    makesRoom: () => false,
    keepsOut: (entry) => linesIn(entry).some((line) => line.includes(COMMAND)),
  });
  return edited.ok
    ? edited
    : fail('this is not what settings of Claude Code look like, so it was left alone');
}

/** Whether a value of a settings list, or a part of one, is the entry as it was put there. */
export function isStopHook(value: Json): boolean {
  return linesIn(value).includes(COMMAND);
}

const SETTINGS = '.claude/settings.local.json';

/** `added`, `present`: the entry is there now, or was before. `ours`: the hook of Holdpoint runs the gates already. */
export type StopHook = 'added' | 'present' | 'ours';

/** Lets Claude Code ask the gates at the end of a turn. What the file was like before is kept beside it. */
export function installStopHook(root: string, home: string): Result<StopHook, string> {
  const path = join(root, SETTINGS);
  const places = [join(root, '.claude/settings.json'), path, join(home, '.claude/settings.json')];
  if (places.some((file) => eventsIn(file).includes('Stop'))) return succeed('ours');
  try {
    const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    const after = withStopHook(before ?? '');
    if (!after.ok) return fail(`${SETTINGS}: ${after.failure}`);
    const { text, undo } = after.value;
    if (text === before) return succeed('present');
    const write = (file: string, content: string): Result<string> =>
      writeConfigFile({ base: root, path: file, yaml: '1.2' }, content);
    const kept = before === undefined ? succeed('') : write(`${SETTINGS}.bak`, before);
    if (!kept.ok) return fail(sentenceOf(kept.failure));
    noteStopHook(root, { file: path, backup: before === undefined ? undefined : `${path}.bak`, undo });
    const written = write(SETTINGS, text);
    return written.ok ? succeed('added') : fail(sentenceOf(written.failure));
  } catch (error) {
    return fail(`${SETTINGS}: ${detailOf(error)}`);
  }
}
