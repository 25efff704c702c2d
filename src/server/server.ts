import { chmodSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { type Failure, fail, type Result, succeed } from '../core/failure';
import { acquireLock, type Lock } from '../state/lock';
import type { Waiting } from './answer-together';
import { serveConnection } from './connection';
import { type Desk, judgeRequest } from './judge-request';
import { beginLife, type Ending, type Life } from './life';
import { ALREADY_THERE, cannotListen } from './messages';
import type { AreUnchanged } from './own-files';
import type { RuntimePlace } from './place';
import type { Reception } from './reception';
import type { Request } from './request-reader';
import type { ServerStatus } from './server-status';
import { countOutcome, isForAnother, medianTook, newTally, type Tally } from './tally';
import { ALONE, formReply } from './wire';

/** What a server is made of. */
export interface Setup {
  readonly place: RuntimePlace;
  readonly desk: Desk;
  readonly areUnchanged: AreUnchanged;
  readonly reception: Reception;
  readonly build: string;
  /** Without an event for so long, it ends; never, where it is infinite. */
  readonly idleMs: number;
  /** Of 127.0.0.1, where it answers there as well. */
  port?(): number | undefined;
  onEnd(why: Ending): void;
}

/** A server that answers. */
export interface Resident {
  readonly life: Life;
  readonly tally: Tally;
  /** Told to whoever asks. */
  status(): ServerStatus;
}

/** More clients than this at once do without us. */
const MOST_CLIENTS = 256;
/** How long after the last event that was meant for us a client of another installation ends us. */
const SETTLED_MS = 60_000;

/**
 * Begins to answer. The lock is held for as long as the server lives: so there is never a second one, and
 * the socket of one that has died is in nobody's way.
 */
export function startServer(setup: Setup): Promise<Result<Resident, string>> {
  const lock = acquireLock(setup.place.lock, 0);
  if (!lock.ok) return Promise.resolve(fail(whyNot(lock.failure)));
  const server = createServer({ allowHalfOpen: true });
  server.maxConnections = MOST_CLIENTS;
  return new Promise((resolve) => {
    const refuse = (error: Error): void => {
      lock.value.release();
      resolve(fail(cannotListen(error.message)));
    };
    server.once('error', refuse);
    rmSync(setup.place.socket, { force: true });
    server.listen(setup.place.socket, () => {
      server.off('error', refuse);
      chmodSync(setup.place.socket, 0o600);
      const resident = open(setup, lock.value, () => server.close());
      server.on('connection', (socket) => {
        const cameAt = Date.now();
        const speak = setup.reception();
        serveConnection(socket, (request, reply) => {
          receive({ request, cameAt, speak, reply }, resident, setup.desk);
        });
      });
      resolve(succeed(resident));
    });
  });
}

function whyNot(failure: Failure): string {
  return failure.code === 'lock.timeout' ? ALREADY_THERE : cannotListen(failure.code);
}

function open(setup: Setup, lock: Lock, close: () => void): Resident {
  const startedAt = Date.now();
  const tally = newTally(startedAt);
  const { desk, build } = setup;
  const status = (): ServerStatus => {
    const { answered, left } = tally;
    const http = setup.port?.();
    return {
      pid: process.pid,
      version: __VERSION__,
      build,
      dist: desk.dist,
      startedAt,
      answered,
      left,
      medianMs: medianTook(tally),
      rss: process.memoryUsage.rss(),
      ...(http !== undefined && { http }),
    };
  };
  return { tally, status, life: beginLife({ ...setup, lock, tally, close }) };
}

/** A request, and the client that it came from. */
interface Visit {
  readonly request: Request;
  readonly cameAt: number;
  speak(waiting: Waiting): void;
  reply(text: string): void;
}

function receive({ request, cameAt, speak, reply }: Visit, resident: Resident, desk: Desk): void {
  const { ask } = request.header;
  const { life, tally } = resident;
  const now = Date.now();
  if (ask !== undefined) {
    reply(replyToAsk(ask, resident));
    return;
  }
  if (!life.goesOn(now)) {
    reply(ALONE);
    return;
  }
  const settled = now - tally.lastAt > SETTLED_MS;
  speak({
    judge: (recall) => judgeRequest({ ...request, cameAt }, desk, recall),
    tell: (outcome, took) => {
      countOutcome(tally, outcome, now, took);
      // Whoever was installed instead of us will want to start a server of its own.
      if (settled && isForAnother(outcome)) life.end('installation');
      reply('left' in outcome ? ALONE : formReply(outcome));
    },
  });
}

function replyToAsk(ask: string, { status, life }: Resident): string {
  if (ask !== 'status' && ask !== 'stop') return ALONE;
  const said = formReply({ exitCode: 0, stdout: `${JSON.stringify(status())}\n`, stderr: '' });
  if (ask === 'stop') life.end('stopped');
  return said;
}
