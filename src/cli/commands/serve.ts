import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  askServer,
  type EndedServer,
  endFound,
  endServer,
  type FoundServer,
  findServer,
  type ServerStatus,
} from '../../server/control';
import { type RuntimePlace, runtimePlace } from '../../server/runtime-place';
import { mayBeRunByAgent } from '../caller';
import { type Context, cannotRun, type ExitCode, type Options, Refusal, report } from '../context';
import { launchState, ownDist } from '../install/launch';
import { plural, printError } from '../ui/output';
import { exitOf } from './join';

type ServeOptions = Options<'foreground' | 'stop' | 'status', 'idle'>;

export async function serve(context: Context, values: ServeOptions): Promise<ExitCode> {
  const { env } = context;
  const { idle, stop, status, foreground } = values;
  if (idle !== undefined && !(Number(idle) > 0)) throw cannotRun('--idle takes a number of seconds above 0.');
  const noted = launchState(env['HOME'] ?? '').resident?.socket;
  const place = serverPlace(env, noted);
  const isInstalled = noted === place.socket;
  const say = ({ json, text, code }: Answer): ExitCode => {
    report(context, json, [text]);
    return code;
  };
  if (stop) return say(answerOnEnd(await endServer(place.socket), isInstalled));
  const found = await findServer(place);
  if (status || (found.kind === 'answers' && !foreground)) return say(answerOn(found, isInstalled));
  if (found.kind === 'answers') {
    const there = `A server is already running, process ${found.status.pid}.`;
    throw new Refusal(`${there} End it first: holdpoint serve --stop`);
  }
  const ended = await endFound(place, found);
  if (ended.kind === 'stays') return say(answerOnEnd(ended, isInstalled));
  if (ended.kind === 'forced') printError(endedBySignal(ended.pid));
  const limit = idle === undefined ? [] : ['--idle', idle];
  const args = [join(ownDist(), 'serve.cjs'), '--foreground', ...limit];
  // An agent that starts a server controls its environment, but must not choose the hub that this machine joins.
  const uninvited = mayBeRunByAgent(context) && { HOLDPOINT_HUB_URL: '', HOLDPOINT_HUB_CODE: '' };
  const serverEnv = { ...env, ...uninvited, HOLDPOINT_RUNTIME_DIR: place.dir };
  if (foreground) return runInForeground(args, serverEnv);
  const started = await startInBackground(place.socket, args, serverEnv);
  if (typeof started !== 'string') return say(answerOn({ kind: 'answers', status: started }, isInstalled));
  throw cannotRun(`The server did not start${started === '' ? '.' : `: ${started}`}`);
}

/**
 * Where the hook lines look for a server, unless HOLDPOINT_RUNTIME_DIR is set. XDG_RUNTIME_DIR may be set in one
 * shell and not in another, but the socket recorded at install is the same for all.
 */
function serverPlace(env: Context['env'], noted: string | undefined): RuntimePlace {
  const named = env['HOLDPOINT_RUNTIME_DIR'] ?? (noted === undefined ? undefined : dirname(noted));
  return runtimePlace({ ...env, HOLDPOINT_RUNTIME_DIR: named }, process.getuid?.() ?? 0);
}

const START_MS = 5000;

/** Starts a detached server and waits until one answers; otherwise returns its error output. */
async function startInBackground(socket: string, args: readonly string[], env: Context['env']) {
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const child = spawn(process.execPath, args, { env, detached: true, stdio: [...stdio] });
  let stderr = '';
  let exited = false;
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece;
  });
  child.on('close', () => {
    exited = true;
  });
  try {
    for (const until = Date.now() + START_MS; Date.now() < until; await wait(20)) {
      const status = await askServer(socket);
      // If another server was faster, wait until ours is gone, or it would still run when the other is stopped.
      if (status !== undefined && (exited || status.pid === child.pid)) return status;
      if (exited) break;
    }
    return stderr.replace(/^holdpoint: /gm, '').trim();
  } finally {
    child.stderr.destroy();
    child.unref();
  }
}

async function runInForeground(args: readonly string[], env: Context['env']): Promise<ExitCode> {
  const code = await exitOf(spawn(process.execPath, args, { env, stdio: 'inherit' }));
  return code === 0 ? 0 : 2;
}

interface Answer {
  readonly json: object | null;
  readonly text: string;
  readonly code: ExitCode;
}

function answerOn(found: FoundServer, isInstalled: boolean): Answer {
  if (found.kind === 'answers') return { json: found.status, text: running(found.status), code: 0 };
  if (found.kind === 'nobody') {
    const next = isInstalled ? '; the next event starts it.' : '. Every event starts its own process.';
    return { json: null, text: `No server is running${next}`, code: 1 };
  }
  const { pid } = found.holder;
  const what = 'does not respond. Events wait for it, then are decided without it';
  const text = `The server (process ${pid}) ${what}. End it: holdpoint serve --stop`;
  return { json: { pid, answers: false }, text, code: 1 };
}

function answerOnEnd(ended: EndedServer, isInstalled: boolean): Answer {
  if (ended.kind === 'nobody') return answerOn(ended, isInstalled);
  if (ended.kind === 'obeyed')
    return { json: ended.status, text: `Server ${ended.status.pid} has stopped.`, code: 0 };
  if (ended.kind === 'forced')
    return { json: { pid: ended.pid, answers: false }, text: endedBySignal(ended.pid), code: 0 };
  const what = `Server ${ended.pid} does not respond and cannot be killed`;
  throw cannotRun(`${what}: it is stuck in a system call, for instance on a disk that is gone.`);
}

function running({ pid, version, answered, left, rss }: ServerStatus): string {
  const alone = Object.values(left).reduce((sum, count) => sum + count, 0);
  const counts = `${plural(answered, 'event')} answered, ${alone} passed to separate processes`;
  return `Server ${version} runs as process ${pid}: ${counts}, ${Math.round(rss / 1_048_576)} MB.`;
}

function endedBySignal(pid: number): string {
  return `Server ${pid} did not respond and was killed.`;
}
