import { detailOf } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import type { InstalledFile } from '../install/installed-state';
import type { Context } from '../verb';
import { advice, type Check, type Fix, failed, passed } from './check';
import { installAgain, installInstead, type Means } from './install-command';
import { isHeld, knownBad } from './known-bad';
import { buildProbeStage, type ProbeReply, type ProbeStage, runLine } from './probe-stage';

/** A line that a host runs, where it stands and who wrote it. */
export interface WiredLine {
  readonly host: HostName;
  readonly file: string;
  readonly line: string;
  readonly found: InstalledFile;
  readonly by: 'install' | 'hand';
}

const SUBJECT = { id: 'hook.fires', category: 'hook' } as const;
/** What a program that was started from a desktop has. */
const DESKTOP_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';
const LONGEST_SHOWN = 400;

/** Sends an event that must be held through every line that is installed, as the host would, in a scratch project. */
export function firedChecks(
  lines: readonly WiredLine[],
  means: Means,
  home: string,
  env: Context['env'],
): Check[] {
  if (lines.length === 0) return [];
  try {
    const stage = buildProbeStage(home);
    try {
      return lines.flatMap((wired) => fire(wired, means, stage, env));
    } finally {
      stage.remove();
    }
  } catch (error) {
    return [failed(SUBJECT, `no scratch project could be made to try the hook in: ${detailOf(error)}`)];
  }
}

function fire(wired: WiredLine, means: Means, stage: ProbeStage, env: Context['env']): Check[] {
  const { host, file, line } = wired;
  const event = knownBad(host, stage.project);
  if (event === undefined) return [];
  const ours = { HOME: stage.home, CLAUDE_PROJECT_DIR: stage.project };
  const surroundings = {
    'from here': { ...env, ...ours },
    'from a desktop': { PATH: DESKTOP_PATH, ...ours },
  };
  return Object.entries(surroundings).map(([where, given]) => {
    const reply = runLine(line, stage.project, given, JSON.stringify(event));
    if (isHeld(reply.stdout, reply.exitCode))
      return passed(SUBJECT, `${host}, started ${where}: a commit that must be held is held (${file})`);
    return failed(SUBJECT, notHeld(host, where, file, line, reply), fixFor(reply, wired, means));
  });
}

function notHeld(host: string, where: string, file: string, line: string, reply: ProbeReply): string {
  const { stdout, stderr, exitCode } = reply;
  const said = `${stdout}${stderr}`.trim().slice(0, LONGEST_SHOWN);
  return `${host}, started ${where}: a commit that must be held was let through. ${file} runs \`${line}\`, which answered ${said === '' ? 'nothing' : JSON.stringify(said)} with exit code ${exitCode ?? 'none'}`;
}

function fixFor({ stderr }: ProbeReply, { found, by }: WiredLine, means: Means): Fix {
  if (/HOLDPOINT_DISABLE/.test(stderr)) return advice('Unset HOLDPOINT_DISABLE where the agent is started');
  return by === 'hand'
    ? installInstead(found, means, 'Put the installed entries in its place')
    : installAgain(found, means, 'Write the entries and what they start anew');
}
