import { mkdirSync, mkdtempSync, realpathSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { attempt, detailOf, fail, type Result, succeed } from '../core/failure';
import type { JsonObject } from '../core/json';
import { LAUNCH_FILE, startLineFor } from '../hosts/start-line';
import { askServer, type EndedServer, endFound, endServer, findServer } from '../server/control';
import { placeAt, preparePlace, runtimePlace } from '../server/runtime-place';
import type { Context } from './context';
import { buildScratchProject, isHeld, runLine } from './doctor/probe';
import {
  type LaunchState,
  launchState,
  launchText,
  ownDist,
  type ResidentStart,
  residentStart,
} from './install/launch';
import { warningLine } from './install/report';
import { plural } from './ui/output';

/** The server for this home's events, and the program (`nc`) that connects to it. */
type HomeServer = NonNullable<Awaited<ReturnType<typeof serverOf>>>;

/** `undefined` if no server is set up, so that every event starts its own process. */
export async function serverOf(home: string) {
  const { resident } = launchState(home);
  return resident && { found: await findServer(placeAt(resident.socket)), client: resident.client };
}

export function serverText({ found, client }: HomeServer): string {
  if (found.kind === 'nobody') return `not running; the next event starts it; client: ${client}`;
  if (found.kind === 'silent') {
    const { pid } = found.holder;
    return `process ${pid} does not respond, so events wait for it; end it with \`holdpoint serve --stop\`; client: ${client}`;
  }
  const { pid, answered, rss } = found.status;
  return `process ${pid}, ${plural(answered, 'event')} answered, ${Math.round(rss / 1024 / 1024)} MB, client: ${client}`;
}

export function serverJson(server: HomeServer | undefined): JsonObject | null {
  if (server === undefined) return null;
  const { found, client } = server;
  if (found.kind === 'nobody') return { running: false, client };
  if (found.kind === 'silent') return { running: true, answers: false, pid: found.holder.pid, client };
  const { pid, answered, version } = found.status;
  return { running: true, pid, answered, version, client };
}

const SERVER_STARTS_WITHIN_MS = 5000;

/**
 * Sends an event twice and asks the server for its status after each. The first starts a server if none runs, and
 * compiles the config; the second should reach the server.
 */
export async function sendTwice<Reply>(send: () => Reply, socket: string) {
  send();
  let before = await askServer(socket);
  for (const end = Date.now() + SERVER_STARTS_WITHIN_MS; before === undefined && Date.now() < end; ) {
    await wait(50);
    before = await askServer(socket);
  }
  const reply = send();
  return { before, reply, after: await askServer(socket) };
}

/**
 * Ends the server that the former launch file used, unless the present one uses it with the same hook and it answers.
 * The next event then starts a server of the right version.
 */
export async function endFormerServer(before: LaunchState): Promise<EndedServer> {
  if (before.resident === undefined) return { kind: 'nobody' };
  const now = launchState(dirname(dirname(dirname(before.file))));
  const isSame = now.resident?.socket === before.resident.socket && now.hook === before.hook;
  const place = placeAt(before.resident.socket);
  const found = await findServer(place);
  if (isSame && found.kind === 'answers') return { kind: 'nobody' };
  const ended = await endFound(place, found);
  if (now.resident === undefined) removePlace(place.dir);
  return ended;
}

/** Removes the note that the hook line writes while a server starts, and the directory if it is empty then. */
function removePlace(dir: string): void {
  rmSync(join(dir, 'starting'), { force: true });
  // The directory may be gone, or hold other files.
  attempt(() => rmdirSync(dir));
}

export function endedLines(ended: EndedServer): string[] {
  if (ended.kind === 'nobody') return [];
  if (ended.kind === 'obeyed') return ['The server has been stopped.'];
  const what =
    ended.kind === 'forced'
      ? 'did not respond and was killed.'
      : 'does not respond and cannot be killed: it is stuck in a system call.';
  return [warningLine(`The server (process ${ended.pid}) ${what}`)];
}

/** A warning if `HOLDPOINT_RUNTIME_DIR` is ignored because it is relative to the current directory. */
export function unusedRuntimeDirectory(env: Context['env']): string | undefined {
  const named = env['HOLDPOINT_RUNTIME_DIR'] ?? '';
  if (named === '' || isAbsolute(named)) return undefined;
  const { dir } = runtimePlace(env, process.getuid?.() ?? 0);
  return `HOLDPOINT_RUNTIME_DIR is '${named}', which is not an absolute path, so it is ignored; the server listens in ${dir}.`;
}

/** Contains characters that the shell or a program on the way could interpret or damage. */
const COMMAND = `git commit -m ü\\n $HOME \`x\` %41 '"\u007f`;

const EVENT = {
  session_id: 'd0c7070d-0000-4000-8000-000000000002',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: COMMAND },
};

/** This rule holds only if the command arrives unchanged. */
const CONFIG = JSON.stringify({
  inherit: false,
  requirements: {
    trial: {
      enabled: true,
      scope: 'session',
      trigger_tools: [
        { tool: 'Bash', command_pattern: `^${COMMAND.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$` },
      ],
    },
  },
});

const LINE = startLineFor('claude-code');
/** A healthy event never takes this long. */
const SLOW_MS = 2000;
const SILENT_WITHIN_MS = 6000;

/** How to reach a server with `nc`, if events arrive there unchanged. The failure is a sentence for people. */
export async function tryClient(env: Context['env']): Promise<Result<ResidentStart, string>> {
  const uid = process.getuid?.() ?? 0;
  const place = runtimePlace(env, uid);
  const prepared = preparePlace(place, uid);
  if (!prepared.ok) return prepared;
  const start = residentStart(env['PATH'] ?? '', place.socket);
  if (start === undefined) return fail('No program on this machine can talk to a socket (looked for nc).');
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-trial-')));
  try {
    if (await isServerUsable(start, scratch)) return succeed(start);
    const what = 'No program on this machine can pass events to a server';
    return fail(`${what} (tried: ${start.client}).`);
  } catch (error) {
    return fail(`The server could not be tested (${detailOf(error)}).`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Whether a real server holds an event, and whether it is still held if a server accepts it but never answers. Runs
 * in a scratch home and project.
 */
async function isServerUsable(start: ResidentStart, scratch: string): Promise<boolean> {
  const [home, project] = [join(scratch, 'home'), join(scratch, 'project')];
  const [socket, silentSocket] = [join(scratch, 'run', 's'), join(scratch, 'silent')];
  const env = { HOME: home, PATH: process.env['PATH'] };
  const launch = join(home, LAUNCH_FILE);
  let turn = 0;
  const fire = (resident: ResidentStart) => {
    mkdirSync(dirname(launch), { recursive: true });
    writeFileSync(launch, launchText({ node: process.execPath, dist: ownDist(), copy: 'none', resident }));
    const begun = performance.now();
    const event = JSON.stringify({ ...EVENT, tool_use_id: `toolu_trial ${turn++}`, cwd: project });
    const { stdout, stderr, exitCode } = runLine(LINE, project, env, event);
    return { isHeld: isHeld(stdout, exitCode), stderr, ms: performance.now() - begun };
  };
  buildScratchProject(project, CONFIG);
  const silent = createServer();
  try {
    await new Promise<void>((resolve, reject) => silent.once('error', reject).listen(silentSocket, resolve));
    const { before, reply, after } = await sendTwice(() => fire({ ...start, socket }), socket);
    const isAnswered = before !== undefined && after?.answered === before.answered + 1;
    if (!isAnswered || !reply.isHeld || reply.stderr !== '' || reply.ms > SLOW_MS) return false;
    blockServerStart(join(scratch, 'starting'));
    const { isHeld: isHeldAlone, ms } = fire({ ...start, socket: silentSocket, patience: 1 });
    return isHeldAlone && ms < SILENT_WITHIN_MS;
  } finally {
    silent.close();
    await endServer(socket);
  }
}

/** Keeps the hook line from starting a server: the note says that one is already starting. */
function blockServerStart(file: string): void {
  writeFileSync(file, `${process.pid}\n`);
  // The line ignores a note that is older than the socket, as the silent server's own note would be.
  const later = Date.now() / 1000 + 3600;
  utimesSync(file, later, later);
}
