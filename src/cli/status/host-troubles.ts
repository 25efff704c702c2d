import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isProgram } from '../../exec/programs';
import { LAUNCH_MARK } from '../../hosts/own-lines';
import type { Finding, Ground } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { wiredLines } from '../doctor/installation-checks';
import type { InstalledFile } from '../install/installed-state';
import { LIBRARY_FILE } from '../install/launch';
import { launchTrouble } from './launch-trouble';
import * as say from './messages';

/**
 * What keeps a host from calling us, and how much it takes with it: everything of this host, all that stands in one
 * file, what was installed there, or some events.
 */
export interface Trouble {
  readonly reach: 'host' | 'file' | 'own-lines' | 'events';
  readonly file: string;
  readonly reason: say.Reason;
}

/** From where it is looked at, and the command that writes a file of ours anew from there. */
export interface View {
  readonly ground: Ground;
  readonly install: (found: InstalledFile) => string;
}

/** What a host does not run as a whole, by the ids of findings; all others are about every hook of that host. */
const SMALLER: Readonly<Record<string, Trouble['reach']>> = {
  'wrong-key': 'file',
  'codex-untrusted': 'file',
  'codex-hook-off': 'events',
  'gemini-milliseconds': 'events',
};

export function troublesIn(found: InstalledFile, view: View): Trouble[] {
  const { host, scope, file, settings } = found;
  const examined = setupOf(host)?.examine(scope, view.ground, settings) ?? [];
  return [
    ...unreadableReason(found).map((reason) => ({ reach: 'file', file, reason }) as const),
    ...examined.filter(({ level }) => level === 'error').map((finding) => fromFinding(finding, file)),
    ...startReasons(found, view).map((reason) => ({ reach: 'own-lines', file, reason }) as const),
  ];
}

/** What is wrong with a file that cannot be read, if it is one. */
export function unreadableReason({ file, trouble }: InstalledFile): say.Reason[] {
  return trouble === undefined ? [] : [say.unreadable(trouble, file)];
}

function fromFinding(finding: Finding, file: string): Trouble {
  return { reach: SMALLER[finding.id] ?? 'host', file, reason: say.found(finding) };
}

/** Why what was installed in a file starts nothing. */
function startReasons(found: InstalledFile, { ground: { home }, install }: View): say.Reason[] {
  const { state, file, missing, programs } = found;
  if (state === 'none' || state === 'unreadable') return [];
  if (missing.includes(file)) return [say.fileGone(file, install(found))];
  const gone = programs.find((program) => !isProgram(program));
  if (gone !== undefined) return [say.programGone(file, gone, install(found))];
  const lines = wiredLines([found]).map(({ line }) => line);
  if (lines.some((line) => line.includes(LAUNCH_MARK))) {
    const trouble = launchTrouble(home, () => install(found));
    return trouble === undefined ? [] : [trouble];
  }
  const library = join(home, LIBRARY_FILE);
  return lines.length > 0 || existsSync(library) ? [] : [say.launchGone(library, install(found))];
}
