import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import { sentenceOf } from '../../core/messages';
import { eventsIn } from '../doctor/installation-checks';
import { noteStopHook } from '../install/records';
import { writeConfigFile } from '../req/config-file';
import { withStopHook } from './stop-hook-entry';

const SETTINGS = '.claude/settings.local.json';

/** `added`, `present`: the entry is there now, or was before. `ours`: the hook of Holdpoint runs the gates already. */
export type StopHook = 'added' | 'present' | 'ours';

/** Lets Claude Code ask the gates at the end of a turn. What the file was like before is kept beside it. */
export function installStopHook(root: string, home: string): Result<StopHook, string> {
  const places = [
    join(root, '.claude/settings.json'),
    join(root, SETTINGS),
    join(home, '.claude/settings.json'),
  ];
  if (places.map(eventsIn).some((events) => events.includes('Stop'))) return succeed('ours');
  try {
    const path = join(root, SETTINGS);
    const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    const after = withStopHook(before ?? '');
    if (!after.ok) return fail(`${SETTINGS}: ${after.failure}`);
    const { text, undo } = after.value;
    if (text === before) return succeed('present');
    const backup = before === undefined ? undefined : `${path}.bak`;
    if (before !== undefined) {
      const kept = write(root, `${SETTINGS}.bak`, before);
      if (!kept.ok) return kept;
    }
    noteStopHook(root, { file: path, backup, undo });
    const written = write(root, SETTINGS, text);
    return written.ok ? succeed('added') : written;
  } catch (error) {
    return fail(`${SETTINGS}: ${detailOf(error)}`);
  }
}

function write(root: string, path: string, text: string): Result<string, string> {
  const written = writeConfigFile({ base: root, path, yaml: '1.2' }, text);
  return written.ok ? written : fail(sentenceOf(written.failure));
}
