import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  askServer,
  type Ended,
  endFound,
  endServer,
  type Found,
  findServer,
  type ServerStatus,
} from '../../server/control';
import { type RuntimePlace, runtimePlace } from '../../server/place';
import type { Context, ExitCode } from '../context';
import { launchState, ownDist } from '../install/launch';
import { cannotRun, Refusal } from '../ui/refusal';

export async function serve(
  context: Context,
  values: {
    readonly idle?: string;
    readonly foreground: boolean;
    readonly stop: boolean;
    readonly status: boolean;
    readonly json: boolean;
  },
): Promise<ExitCode> {
  const { idle, stop, status } = values;
  if (idle !== undefined && !(Number(idle) > 0)) throw cannotRun('--idle takes a number of seconds above 0.');
  const place = serverPlace(context.env);
  const show = { ...context, json: values.json };
  if (stop) return showEnded(await endServer(place.socket), place, show);
  const found = await findServer(place);
  if (status) return showFound(found, place, show);
  return start(found, place, idle === undefined ? [] : ['--idle', idle], values.foreground, show);
}

type Show = Context & { readonly json: boolean };

/**
 * Where the user's lines look for a server, unless another directory is named. A runtime directory may be set in one
 * shell and not in another; what was noted at the installation is the same for all.
 */
function serverPlace(env: Context['env']): RuntimePlace {
  const noted = launchState(env['HOME'] ?? '').resident?.socket;
  const named = env['HOLDPOINT_RUNTIME_DIR'] ?? (noted === undefined ? undefined : dirname(noted));
  return runtimePlace({ ...env, HOLDPOINT_RUNTIME_DIR: named }, process.getuid?.() ?? 0);
}

/** Starts a server, unless one is there that answers. */
async function start(
  found: Found,
  place: RuntimePlace,
  args: readonly string[],
  foreground: boolean,
  show: Show,
): Promise<ExitCode> {
  if (found.kind === 'answers') {
    if (!foreground) return showFound(found, place, show);
    const there = `A server is there already, process ${found.status.pid}.`;
    throw new Refusal(`${there} End it first: holdpoint serve --stop`);
  }
  const ended = await endFound(place, found);
  if (ended.kind === 'stays') return showEnded(ended, place, show);
  if (ended.kind === 'forced') show.out.error(endedBySignal(ended.pid));
  const env = { ...show.env, HOLDPOINT_RUNTIME_DIR: place.dir };
  if (foreground) return (await runInForeground(args, env)) === 0 ? 0 : 2;
  const started = await startInBackground(place.socket, args, env);
  if (typeof started !== 'string') return showFound({ kind: 'answers', status: started }, place, show);
  throw cannotRun(`The server did not start${started === '' ? '.' : `: ${started}`}`);
}

const START_MS = 5000;

/** Starts a server that outlives us, and waits until one answers; what it said where none does. */
async function startInBackground(
  socket: string,
  args: readonly string[],
  env: Context['env'],
): Promise<ServerStatus | string> {
  const child = spawn(process.execPath, [serveFile(), '--foreground', ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  let over = false;
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  child.on('close', () => {
    over = true;
  });
  try {
    for (const until = Date.now() + START_MS; Date.now() < until; await wait(20)) {
      const status = await askServer(socket);
      // Where somebody else was faster, ours has to be gone: else it would be there when the other is stopped.
      if (status !== undefined && (over || status.pid === child.pid)) return status;
      if (over) break;
    }
    return said.replace(/^holdpoint: /gm, '').trim();
  } finally {
    child.stderr.destroy();
    child.unref();
  }
}

function runInForeground(args: readonly string[], env: Context['env']): Promise<number> {
  const child = spawn(process.execPath, [serveFile(), '--foreground', ...args], { env, stdio: 'inherit' });
  // Whoever interrupts us from the terminal interrupts it as well; it then ends by itself.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('error', () => resolve(2));
    child.on('close', (code) => resolve(code ?? 2));
  });
}

function serveFile(): string {
  return join(ownDist(), 'serve.cjs');
}

function showFound(found: Found, place: RuntimePlace, show: Show): ExitCode {
  switch (found.kind) {
    case 'nobody':
      return showNobody(place, show);
    case 'answers':
      tell(found.status, running(found.status), show);
      return 0;
    case 'silent': {
      const { pid } = found.holder;
      const what = 'is there but does not answer. Events wait for it and are then decided without';
      const text = `The server (process ${pid}) ${what}. End it: holdpoint serve --stop`;
      tell({ pid, answers: false }, text, show);
      return 1;
    }
  }
}

function showEnded(ended: Ended, place: RuntimePlace, show: Show): ExitCode {
  switch (ended.kind) {
    case 'nobody':
      return showNobody(place, show);
    case 'obeyed':
      tell(ended.status, `Server ${ended.status.pid} has ended.`, show);
      return 0;
    case 'forced':
      tell({ pid: ended.pid, answers: false }, endedBySignal(ended.pid), show);
      return 0;
    case 'stays': {
      const what = `Server ${ended.pid} does not answer, and no signal ends it`;
      throw cannotRun(`${what}: the system itself holds it, as it does while a disk is not reached.`);
    }
  }
}

function showNobody({ socket }: RuntimePlace, show: Show): ExitCode {
  const isInstalled = launchState(show.env['HOME'] ?? '').resident?.socket === socket;
  const next = isInstalled ? '; the next event starts it.' : '. Every event starts a process of its own.';
  tell(null, `No server is running${next}`, show);
  return 1;
}

function tell(json: object | null, text: string, show: Show): void {
  if (show.json) show.out.json(json);
  else show.out.line(text);
}

function running({ pid, version, answered, left, rss }: ServerStatus): string {
  const alone = Object.values(left).reduce((sum, count) => sum + count, 0);
  const counts = `${answered} events answered, ${alone} left to a process of their own`;
  return `Server ${version} runs as process ${pid}: ${counts}, ${Math.round(rss / 1_048_576)} MB.`;
}

function endedBySignal(pid: number): string {
  return `Server ${pid} did not answer any more and was ended by a signal.`;
}
