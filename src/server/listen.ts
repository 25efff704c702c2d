import { fail, type Result, succeed } from '../core/failure';
import { endFound } from './end-server';
import { ENVIRONMENT } from './environment';
import { findServer } from './find-server';
import { type HttpServer, startHttp } from './http';
import { readToken, tokenFile } from './http-token';
import * as say from './messages';
import type { RuntimePlace } from './place';
import { runAlone } from './run-alone';
import { type Resident, type Setup, startServer } from './server';
import { countOutcome, type Tally } from './tally';

/** What is answered besides the socket. */
export interface HttpWish {
  readonly port: number;
  readonly home: string;
  readonly uid: number;
}

/**
 * Begins to answer on the socket and, where that is wished for, on the loopback as well. One that is there already
 * stays, unless it does not answer: then we take its place.
 */
export async function listen(
  setup: Setup,
  wish: HttpWish | undefined,
  tell: (text: string) => void,
): Promise<Result<Resident, string>> {
  const room = await makeRoom(setup.place, tell);
  if (!room.ok) return room;
  let resident: Resident | undefined;
  const opened = wish === undefined ? succeed(undefined) : await openHttp(setup, () => resident?.tally, wish);
  if (!opened.ok) return opened;
  const http = opened.value;
  const started = await startServer({
    ...setup,
    port: () => http?.port,
    onEnd: (why) => {
      http?.close();
      setup.onEnd(why);
    },
  });
  if (!started.ok) {
    http?.close();
    return started;
  }
  resident = started.value;
  tell(say.listening(setup.place.socket, process.pid));
  if (http !== undefined && wish !== undefined) tell(say.listeningHttp(http.port, tokenFile(wish.home)));
  return started;
}

async function makeRoom(place: RuntimePlace, tell: (text: string) => void): Promise<Result<void, string>> {
  const found = await findServer(place);
  if (found.kind === 'answers') return fail(say.ALREADY_THERE);
  const ended = await endFound(place, found);
  if (ended.kind === 'stays') return fail(say.cannotBeEnded(ended.pid));
  if (ended.kind === 'forced') tell(say.silentEnded(ended.pid));
  return succeed(undefined);
}

async function openHttp(
  { desk, reception }: Setup,
  tallyNow: () => Tally | undefined,
  { port, home, uid }: HttpWish,
): Promise<Result<HttpServer, string>> {
  const token = readToken(tokenFile(home), uid);
  if (!token.ok) return fail(token.failure);
  return startHttp({
    port,
    token: token.value,
    env: { HOME: home },
    load: desk.load,
    reception,
    runAlone: (document) => runAlone(desk.dist, document, environmentOf(home)),
    onAnswer: (outcome, took) => {
      const tally = tallyNow();
      if (tally !== undefined) countOutcome(tally, outcome, Date.now(), took);
    },
  });
}

/** The server may have been started in some session; what that was told is not for others. */
function environmentOf(home: string): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !ENVIRONMENT.some((one) => one === name));
  return { ...Object.fromEntries(inherited), HOME: home };
}
