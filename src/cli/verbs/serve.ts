import { askServer, endServer } from '../../resident/ask';
import type { ServerStatus } from '../../resident/server-status';
import { meetingPlace } from '../serve/meeting-place';
import * as say from '../serve/messages';
import { serveOptions } from '../serve/options';
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
  --stop          ends it`,
  async run(args, context): Promise<ExitCode> {
    const options = serveOptions(args);
    if (!options.ok) {
      context.out.error(options.failure);
      return 2;
    }
    const { dir, socket } = meetingPlace(context.env);
    const env = { ...context.env, HOLDPOINT_RUNTIME_DIR: dir };
    const { stop, status, json, http, foreground } = options.value;
    if (stop) return show(await endServer(socket), say.stopped, json, context);
    if (status) return show(await askServer(socket), say.running, json, context);
    // There is one for everything, so the one that listens on a port takes the place of the other.
    if (http) await endServer(socket);
    if (foreground) return (await runInForeground(options.value.args, env)) === 0 ? 0 : 2;
    const started = await startInBackground(socket, options.value.args, env);
    if (typeof started !== 'string') return show(started, say.running, json, context);
    context.out.error(say.notStarted(started));
    return 2;
  },
};

function show(
  status: ServerStatus | undefined,
  sentence: (status: ServerStatus) => string,
  json: boolean,
  { out }: Context,
): ExitCode {
  if (json) out.json(status ?? null);
  else out.line(status === undefined ? say.NOT_RUNNING : sentence(status));
  return status === undefined ? 1 : 0;
}
