import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAUNCH_MARK } from './own-lines';
import type { Ground } from './setup';

const FILES: readonly string[] = ['.claude/settings.json', '.claude/settings.local.json'];

/** The project's files of Claude Code's settings that call us: some other hosts run them as well. */
export function claudeSettingsWithUs({ project }: Ground): readonly string[] {
  return FILES.filter((file) => callsUs(join(project, file)));
}

/** Whether a line of ours stands in a file. One that cannot be read has none. */
function callsUs(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes(LAUNCH_MARK);
  } catch {
    return false;
  }
}
