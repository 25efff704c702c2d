import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { succeed } from '../core/failure';
import { environmentOf } from '../exec/ancestry';
import { writeAll } from '../exec/processes';
import { preparePlace, runtimePlace } from '../server/runtime-place';
import { ALREADY_THERE, type EventCall, type ServedAnswer, startServer } from '../server/server';
import { hasHub } from '../state/hub';
import type { Uplink } from '../uplink/uplink';

const IDLE_SECONDS = 900;
/** How long replies may still be sent after the end. */
const LAST_WORDS_MS = 2000;

/** The background server: answers events until nobody needs it. */
async function serve(): Promise<void> {
  const { values } = parseArgs({
    options: { idle: { type: 'string' }, foreground: { type: 'boolean', default: false } },
  });
  const tell = (text: string): void => void (values.foreground && writeAll(2, `holdpoint: ${text}\n`));
  const uid = process.getuid?.() ?? 0;
  const place = runtimePlace(process.env, uid);
  // For the socket only: programs that events run must not create private files.
  const umask = process.umask(0o077);
  const prepared = preparePlace(place, uid);
  let uplink: Uplink | undefined;
  const started = prepared.ok
    ? await startServer({
        place,
        dist: __dirname,
        idleMs: (Number(values.idle) > 0 ? Number(values.idle) : IDLE_SECONDS) * 1000,
        answer,
        isNeeded: () => uplink?.isNeeded() ?? false,
        tell,
        onEnd: (why) => {
          uplink?.stop();
          tell(`ended: ${why}.`);
          setTimeout(() => process.exit(0), LAST_WORDS_MS).unref();
        },
      })
    : prepared;
  process.umask(umask);
  if (!started.ok) {
    tell(started.failure);
    process.exitCode = started.failure === ALREADY_THERE ? 0 : 1;
    return;
  }
  const server = started.value;
  if (server === undefined) return;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => server.end('signal'));
  // The server outlives the terminal that it was started from.
  process.on('SIGHUP', () => undefined);
  process.chdir('/');
  // Load everything now, because an upgrade may delete the files later.
  for (const name of readdirSync(__dirname)) {
    if (/^(?:run|decide|shell.*|guard-.*|host-.*|claude-code-transcript|person)\.cjs$/.test(name))
      load(name.slice(0, -4));
  }
  linkToHub(tell, (started) => {
    uplink = started;
  });
}

const HUB_LOOK_MS = 1000;

/** Links this machine to its hub as soon as it has joined one. */
function linkToHub(tell: (text: string) => void, onLink: (uplink: Uplink) => void): void {
  const { env } = process;
  const home = env['HOME'] ?? '';
  const look = (): boolean => {
    if (!home.startsWith('/') || !hasHub(home, env)) return false;
    const { Uplink } = load('uplink') as typeof import('../uplink/uplink');
    onLink(new Uplink({ home, env, load, tell }));
    return true;
  };
  if (look()) return;
  const clock = setInterval(() => void (look() && clearInterval(clock)), HUB_LOOK_MS);
  clock.unref();
}

/** Through a variable, so that the bundler leaves it alone: the chunks are beside this file. */
const requireChunk = require;

function load(name: string): unknown {
  return requireChunk(`${__dirname}/${name}.cjs`);
}

/** Answers as a process of its own would. Programs that the event runs get the client's environment. */
async function answer(call: EventCall): Promise<ServedAnswer | { readonly left: string }> {
  const { document, cameAt, pid, ...rest } = call;
  const { answerHook, runRemainingWork } = load('run') as typeof import('./run');
  try {
    const { after, ...answer } = await answerHook({
      ...rest,
      read: () => succeed(document),
      load,
      effectEnv: () => clientEnvironment(pid),
      now: Date.now(),
      startedAt: () => cameAt,
    });
    return { ...answer, after: () => void runRemainingWork({ after }) };
  } catch {
    return { left: 'environment' };
  }
}

/** The client's environment, if the kernel reveals it. */
function clientEnvironment(pid: number | undefined): Readonly<Record<string, string>> | undefined {
  const env = pid === undefined ? {} : environmentOf(pid);
  return Object.keys(env).length === 0 ? undefined : env;
}

void serve();
