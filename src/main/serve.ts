import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { writeAll } from '../exec/standard-io';
import { answerTogether, type Settle } from '../server/answer-together';
import { listen } from '../server/listen';
import { ALREADY_THERE, ended } from '../server/messages';
import { neighbourhood } from '../server/neighbourhood';
import { ownFiles } from '../server/own-files';
import { preparePlace, runtimePlace } from '../server/place';
import { reception } from '../server/reception';
import { requireForEvents } from '../server/require-for-events';
import { chunkLoader } from './code-cache';

const IDLE_SECONDS = 900;
/** The chunks that events load; at once, because an upgrade may take them away later. */
const NEEDED = /^(?:decide|guard-[a-z]+|host-[a-z]+|shell|shell-parser|claude-code-transcript|settle)\.cjs$/;
/** While the writing waits for a lock, all events wait. */
const LOCK_MS = 50;
/** What is still to be sent to clients after the end has so long. */
const LAST_WORDS_MS = 2000;

/** What is started in the background: answers events until nobody needs it any more. */
async function serve(): Promise<void> {
  const { values } = parseArgs({
    options: {
      idle: { type: 'string' },
      http: { type: 'string' },
      foreground: { type: 'boolean', default: false },
    },
  });
  const tell = (text: string): void => void (values.foreground && writeAll(2, `holdpoint: ${text}\n`));
  const uid = process.getuid?.() ?? 0;
  const place = runtimePlace(process.env, uid);
  process.umask(0o077);
  const prepared = preparePlace(place, uid);
  const refuse = (why: string): void => {
    tell(why);
    process.exitCode = why === ALREADY_THERE ? 0 : 1;
  };
  if (!prepared.ok) return refuse(prepared.failure);
  const areUnchanged = ownFiles(__dirname);
  const onEnd = (why: string): void => {
    tell(ended(why));
    setTimeout(() => process.exit(0), LAST_WORDS_MS).unref();
  };
  // Nobody starts a server again that hosts call directly, so that one stays.
  const idle = seconds(values.idle) ?? (values.http === undefined ? IDLE_SECONDS : Number.POSITIVE_INFINITY);
  const { load } = chunkLoader(__dirname, requireForEvents(require), undefined);
  const desk = {
    dist: __dirname,
    strangenessOf: neighbourhood(__dirname),
    load,
  };
  const wish =
    values.http === undefined
      ? undefined
      : { port: Number(values.http), home: process.env['HOME'] ?? '', uid };
  const settle: Settle = (wishes) =>
    (load('settle') as typeof import('../core/settle')).settle(wishes, LOCK_MS);
  const setup = {
    place,
    desk,
    areUnchanged,
    reception: reception((all) => answerTogether(all, settle)),
    build: __BUILD__,
    idleMs: idle * 1000,
    onEnd,
  };
  const started = await listen(setup, wish, tell);
  if (!started.ok) return refuse(started.failure);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => started.value.life.end('signal'));
  // It outlives the terminal that it was started from.
  process.on('SIGHUP', () => undefined);
  process.chdir('/');
  for (const name of readdirSync(__dirname)) if (NEEDED.test(name)) desk.load(name.slice(0, -'.cjs'.length));
}

function seconds(text: string | undefined): number | undefined {
  const number = Number(text);
  return number > 0 ? number : undefined;
}

void serve();
