import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { detailOf } from '../../core/failure';
import type { ServerStatus } from '../../server/control';
import { askServer, findServer } from '../../server/control';
import { placeAt } from '../../server/place';
import { type LaunchState, launchState } from '../install/launch-state';
import type { Context } from '../verb';
import { advice, type Check, type Fix, failed, passed, warned } from './check';
import type { WiredLine } from './fired-checks';
import { installAgain, type Means } from './install-command';
import { isHeld, knownBad } from './known-bad';
import { buildProbeStage, type ProbeReply, runLine } from './probe-stage';

const SUBJECT = { id: 'hook.resident', category: 'hook' } as const;
const STARTS_WITHIN_MS = 5000;
const LOOK_MS = 50;

type Resident = NonNullable<LaunchState['resident']>;

/** Whether events are answered by a server where that is wanted. Without one they are decided all the same. */
export async function residentChecks(
  lines: readonly WiredLine[],
  means: Means,
  home: string,
  env: Context['env'],
): Promise<Check[]> {
  const state = launchState(home);
  const wired = lines.find(({ host }) => knownBad(host, home) !== undefined);
  if (!state.present || wired === undefined) return [];
  const { resident } = state;
  if (resident === undefined) return [passed(SUBJECT, 'no server: every event starts a process of its own')];
  const again = installAgain(wired.found, means, 'Choose and try a way to it anew');
  if (!existsSync(resident.client))
    return [warned(SUBJECT, `${resident.client} is gone, so nothing reaches the server`, again)];
  const found = await findServer(placeAt(resident.socket));
  if (found.kind === 'silent') return [silent(found.holder.pid)];
  try {
    return [await fire(wired, resident, dirname(state.hook ?? ''), again, home, env)];
  } catch (error) {
    return [warned(SUBJECT, `the server could not be tried: ${detailOf(error)}`)];
  }
}

/** The first event starts the server where none runs, and compiles the config; the next ones are for the server. */
async function fire(
  { host, line }: WiredLine,
  { socket, client }: Resident,
  dist: string,
  again: Fix,
  home: string,
  env: Context['env'],
): Promise<Check> {
  const stage = buildProbeStage(home);
  try {
    const given = { ...env, HOME: stage.home, CLAUDE_PROJECT_DIR: stage.project };
    const send = (): ProbeReply =>
      runLine(line, stage.project, given, JSON.stringify(knownBad(host, stage.project)));
    send();
    const before = await serverAt(socket);
    if (before === undefined)
      return warned(SUBJECT, `no server comes up at ${socket}; events are decided without`, again);
    const { stdout, exitCode } = send();
    const after = await askServer(socket);
    if (!isHeld(stdout, exitCode))
      return failed(SUBJECT, `a commit that must be held was let through by ${about(before)}`, again);
    return judged(before, after, dist, client, again);
  } finally {
    stage.remove();
  }
}

function judged(
  before: ServerStatus,
  after: ServerStatus | undefined,
  dist: string,
  client: string,
  again: Fix,
): Check {
  if (before.dist !== dist)
    return warned(SUBJECT, `${about(before)} is of ${before.dist}, but hosts call ${dist}`, again);
  if (after === undefined || after.answered <= before.answered)
    return warned(SUBJECT, `${about(before)} runs, but left the event to a process of its own`, again);
  return passed(
    SUBJECT,
    `${about(after)}, reached by ${client}, holds a commit that must be held; ${after.answered} answered so far`,
  );
}

async function serverAt(socket: string): Promise<ServerStatus | undefined> {
  for (const end = Date.now() + STARTS_WITHIN_MS; Date.now() < end; await wait(LOOK_MS)) {
    const status = await askServer(socket);
    if (status !== undefined) return status;
  }
  return undefined;
}

function silent(pid: number): Check {
  const fix = advice('End it; the next event starts another', 'holdpoint serve --stop');
  return warned(
    SUBJECT,
    `the server (process ${pid}) does not answer; events wait for it and are decided without`,
    fix,
  );
}

function about({ pid, version }: ServerStatus): string {
  return `the server (process ${pid}, ${version})`;
}
