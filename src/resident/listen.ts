import { fail, type Result } from '../domain/failure';
import { ENVIRONMENT } from './environment';
import { type HttpServer, startHttp } from './http';
import { readToken, tokenFile } from './http-token';
import * as say from './messages';
import { runAlone } from './run-alone';
import { type Resident, type Setup, startServer } from './server';
import { countOutcome } from './tally';

/** What is answered besides the socket. */
export interface HttpWish {
  readonly port: number;
  readonly home: string;
  readonly uid: number;
}

/** Begins to answer on the socket and, where that is wished for, on the loopback as well. */
export async function listen(
  setup: Setup,
  wish: HttpWish | undefined,
  tell: (text: string) => void,
): Promise<Result<Resident, string>> {
  let http: HttpServer | undefined;
  const started = await startServer({
    ...setup,
    port: () => http?.port,
    onEnd: (why) => {
      http?.close();
      setup.onEnd(why);
    },
  });
  if (!started.ok) return started;
  tell(say.listening(setup.place.socket, process.pid));
  if (wish === undefined) return started;
  const opened = await openHttp(setup, started.value, wish);
  if (!opened.ok) {
    started.value.life.end('stopped');
    return opened;
  }
  http = opened.value;
  tell(say.listeningHttp(http.port, tokenFile(wish.home)));
  return started;
}

async function openHttp(
  { desk, reception }: Setup,
  { tally }: Resident,
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
    onAnswer: (outcome, took) => countOutcome(tally, outcome, Date.now(), took),
  });
}

/** The server may have been started in some session; what that was told is not for others. */
function environmentOf(home: string): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !ENVIRONMENT.some((one) => one === name));
  return { ...Object.fromEntries(inherited), HOME: home };
}
