import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeAll } from '../../exec/standard-io';
import { NO_PROJECT } from '../messages';
import { openLiveLines } from '../output/live-lines';
import { type OpenProject, openProject } from '../project';
import { glanceAtServer } from '../resident/server';
import { callingIn } from '../status/calling';
import { gatherStatus, type Status } from '../status/gather';
import { statusJson } from '../status/json';
import { statusLines } from '../status/text';
import type { Context, ExitCode, Verb } from '../verb';

const REDRAW_MS = 1000;

export const verb: Verb = {
  usage: 'holdpoint status [--watch] [--json]',
  async run(args, context): Promise<ExitCode> {
    const { values } = parseArgs({
      args: [...args],
      options: { watch: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    });
    const project = openProject(context);
    if (project === undefined) {
      context.out.error(NO_PROJECT);
      return 2;
    }
    if (values.watch && !values.json) return watch(context);
    const now = Date.now();
    const status = statusOf(project, context, now);
    const server = await glanceAtServer(project.home);
    if (values.json) context.out.json(statusJson(status, server));
    else for (const line of statusLines(status, server, now, context.out)) context.out.line(line);
    return 0;
  },
};

function statusOf(project: OpenProject, context: Context, now: number): Status {
  return gatherStatus(project, context, now, { calling: () => callingIn(project, context.env) });
}

/** Draws again every second until it is interrupted; the branch may change meanwhile, so all is read anew. */
async function watch(context: Context): Promise<ExitCode> {
  const live = openLiveLines({
    isTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns ?? 80,
    write: (text) => void writeAll(1, text),
  });
  const interrupt = new AbortController();
  process.once('SIGINT', () => interrupt.abort());
  while (!interrupt.signal.aborted) {
    const project = openProject(context);
    const now = Date.now();
    if (project !== undefined) {
      const server = await glanceAtServer(project.home);
      live.show(statusLines(statusOf(project, context, now), server, now, context.out));
    }
    await wait(REDRAW_MS, undefined, { signal: interrupt.signal }).catch(() => undefined);
  }
  live.end();
  return 130;
}
