import { type Ended, endFound, endServer, type Found, findServer } from '../../server/control';
import type { RuntimePlace } from '../../server/place';
import { launchState } from '../install/launch-state';
import { meetingPlace } from '../serve/meeting-place';
import * as say from '../serve/messages';
import { type ServeOptions, serveOptions } from '../serve/options';
import { runInForeground, startInBackground } from '../serve/start';
import type { Context, ExitCode, Verb } from '../verb';

export const verb: Verb = {
  usage: `holdpoint serve [--idle SECONDS] [--foreground] [--http [PORT]]
       holdpoint serve --status | --stop [--json]

  --idle SECONDS  ends after so long without an event (900)
  --foreground    stays in the terminal and says what it does
  --http [PORT]   answers Claude Code's http hooks on 127.0.0.1 as well (47131); stays until it is stopped.
                  When such a server is gone, Claude Code lets every call pass
  --status        says whether a server runs, and what it has done
  --stop          ends it, also one that does not answer any more`,
  async run(args, context): Promise<ExitCode> {
    const options = serveOptions(args);
    if (!options.ok) {
      context.out.error(options.failure);
      return 2;
    }
    const place = meetingPlace(context.env);
    const { stop, status, json } = options.value;
    if (stop) return showEnded(await endServer(place.socket), place, json, context);
    const found = await findServer(place);
    return status ? showFound(found, place, json, context) : start(found, place, options.value, context);
  },
};

/** Starts a server, unless one that will do is there. */
async function start(
  found: Found,
  place: RuntimePlace,
  { args, http, foreground, json }: ServeOptions,
  context: Context,
): Promise<ExitCode> {
  if (found.kind === 'answers' && !http) {
    if (!foreground) return showFound(found, place, json, context);
    context.out.error(say.thereAlready(found.status));
    return 1;
  }
  // There is one for everything, so the one that listens on a port takes the place of the other.
  const ended = await endFound(place, found);
  if (ended.kind === 'stays') return showEnded(ended, place, json, context);
  if (ended.kind === 'forced') context.out.error(say.silentStopped(ended.pid));
  const env = { ...context.env, HOLDPOINT_RUNTIME_DIR: place.dir };
  if (foreground) return (await runInForeground(args, env)) === 0 ? 0 : 2;
  const started = await startInBackground(place.socket, args, env);
  if (typeof started !== 'string')
    return showFound({ kind: 'answers', status: started }, place, json, context);
  context.out.error(say.notStarted(started));
  return 2;
}

function showFound(found: Found, place: RuntimePlace, json: boolean, context: Context): ExitCode {
  const { out } = context;
  switch (found.kind) {
    case 'nobody':
      return showNobody(place, json, context);
    case 'answers':
      if (json) out.json(found.status);
      else out.line(say.running(found.status));
      return 0;
    case 'silent':
      if (json) out.json({ pid: found.holder.pid, answers: false });
      else out.line(say.silent(found.holder.pid));
      return 1;
  }
}

function showEnded(ended: Ended, place: RuntimePlace, json: boolean, context: Context): ExitCode {
  const { out } = context;
  switch (ended.kind) {
    case 'nobody':
      return showNobody(place, json, context);
    case 'obeyed':
      if (json) out.json(ended.status);
      else out.line(say.stopped(ended.status.pid));
      return 0;
    case 'forced':
      if (json) out.json({ pid: ended.pid, answers: false });
      else out.line(say.silentStopped(ended.pid));
      return 0;
    case 'stays':
      out.error(say.stays(ended.pid));
      return 2;
  }
}

function showNobody({ socket }: RuntimePlace, json: boolean, { out, env }: Context): ExitCode {
  const isInstalled = launchState(env['HOME'] ?? '').resident?.socket === socket;
  if (json) out.json(null);
  else out.line(say.notRunning(isInstalled));
  return 1;
}
