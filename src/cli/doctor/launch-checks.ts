import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { detailOf } from '../../core/failure';
import { jsonObjectIn } from '../../core/json';
import { LAUNCH_MARK } from '../../hosts/own-lines';
import { askServer } from '../../server/ask';
import { findServer } from '../../server/find-server';
import { placeAt } from '../../server/place';
import type { ServerStatus } from '../../server/server-status';
import { textIn } from '../install/files';
import { type LaunchState, launchState, ownDist } from '../install/launch';
import type { Context } from '../verb';
import { installAgain, type Means } from './install-command';
import { buildProbeStage, isHeld, knownBad, type ProbeReply, runLine, type WiredLine } from './probe';
import { advice, type Check, type Fix, failed, passed, warned } from './report';

/** Whether what the installed lines start is there, and is of this version. */
export function launchChecks(lines: readonly WiredLine[], means: Means, home: string): Check[] {
  const wired = lines.find(({ line }) => line.includes(LAUNCH_MARK));
  // Without a home there is no place to look at, and that was said already.
  if (wired === undefined || means.homeAdvice !== undefined) return [];
  const again = installAgain(wired.found, means, 'Write it anew');
  const state = launchState(home);
  const { file, hook } = state;
  if (!state.present) return [failed('hook.launch', `${file} is gone, so the lines start nothing`, again)];
  if (hook === undefined) {
    const what = `${file} is not what 'holdpoint install' has written: it starts no hook`;
    return [failed('hook.launch', what, again)];
  }
  return [placesCheck(state, hook, again), versionCheck(state, hook, again)];
}

/** What is gone may be made up for when the hook starts; whether it is, the fired event tells. */
function placesCheck(state: LaunchState, hook: string, again: Fix): Check {
  const { file, node, nodeThere, hookThere, copyThere } = state;
  if (!hookThere && !copyThere)
    return failed('hook.launch', `${file} leads to ${hook}, which is gone, as is its copy`, again);
  if (!hookThere) return warned('hook.launch', `${hook} is gone; its copy is used`, again);
  if (!nodeThere)
    return warned('hook.launch', `${node ?? 'Node'} is gone; another Node is looked for each time`, again);
  return passed('hook.launch', `${file} leads to ${hook}`);
}

function versionCheck({ copy }: LaunchState, hook: string, again: Fix): Check {
  const dist = dirname(hook);
  if (dist === ownDist()) return passed('hook.version', `Holdpoint ${__VERSION__} is what hosts call`);
  const beside = jsonObjectIn(textIn(join(dist, '..', 'package.json')) ?? '')?.['version'];
  const version = typeof beside === 'string' ? beside : (copy?.split('-')[0] ?? 'another version');
  return version === __VERSION__
    ? passed('hook.version', `hosts call Holdpoint ${version} in ${dist}`)
    : warned('hook.version', `hosts call Holdpoint ${version} in ${dist}; this is ${__VERSION__}`, again);
}

/** Whether events are answered by a server where that is wanted. Without one they are decided all the same. */
export async function residentChecks(
  lines: readonly WiredLine[],
  means: Means,
  home: string,
  env: Context['env'],
): Promise<Check[]> {
  const { present, hook, resident } = launchState(home);
  const wired = lines.find(({ host }) => knownBad(host, home) !== undefined);
  if (!present || wired === undefined) return [];
  if (resident === undefined)
    return [passed('hook.resident', 'no server: every event starts a process of its own')];
  const again = installAgain(wired.found, means, 'Choose and try a way to it anew');
  if (!existsSync(resident.client))
    return [warned('hook.resident', `${resident.client} is gone, so nothing reaches the server`, again)];
  const found = await findServer(placeAt(resident.socket));
  if (found.kind === 'silent') return [silentCheck(found.holder.pid)];
  try {
    const probe = { ...resident, dist: dirname(hook ?? ''), home, env };
    return [await serverCheck(wired, probe, again)];
  } catch (error) {
    return [warned('hook.resident', `the server could not be tried: ${detailOf(error)}`)];
  }
}

interface ServerProbe {
  readonly socket: string;
  readonly client: string;
  readonly dist: string;
  readonly home: string;
  readonly env: Context['env'];
}

/** The first event starts the server where none runs, and compiles the config; the next one is for the server. */
async function serverCheck({ host, line }: WiredLine, probe: ServerProbe, again: Fix): Promise<Check> {
  const { socket, client, dist } = probe;
  const stage = buildProbeStage(probe.home);
  try {
    const env = { ...probe.env, HOME: stage.home, CLAUDE_PROJECT_DIR: stage.project };
    const send = (): ProbeReply =>
      runLine(line, stage.project, env, JSON.stringify(knownBad(host, stage.project)));
    send();
    const before = await serverAt(socket);
    if (before === undefined)
      return warned('hook.resident', `no server comes up at ${socket}; events are decided without`, again);
    const { stdout, exitCode } = send();
    const after = await askServer(socket);
    const server = `the server (process ${before.pid}, ${before.version})`;
    if (!isHeld(stdout, exitCode))
      return failed('hook.resident', `a commit that must be held was let through by ${server}`, again);
    if (before.dist !== dist)
      return warned('hook.resident', `${server} is of ${before.dist}, but hosts call ${dist}`, again);
    if (after === undefined || after.answered <= before.answered)
      return warned('hook.resident', `${server} runs, but left the event to a process of its own`, again);
    const how = `reached by ${client}, holds a commit that must be held; ${after.answered} answered so far`;
    return passed('hook.resident', `the server (process ${after.pid}, ${after.version}), ${how}`);
  } finally {
    stage.remove();
  }
}

const SERVER_STARTS_WITHIN_MS = 5000;

async function serverAt(socket: string): Promise<ServerStatus | undefined> {
  for (const end = Date.now() + SERVER_STARTS_WITHIN_MS; Date.now() < end; await wait(50)) {
    const status = await askServer(socket);
    if (status !== undefined) return status;
  }
  return undefined;
}

function silentCheck(pid: number): Check {
  const fix = advice('End it; the next event starts another', 'holdpoint serve --stop');
  const what = 'does not answer; events wait for it and are decided without';
  return warned('hook.resident', `the server (process ${pid}) ${what}`, fix);
}
