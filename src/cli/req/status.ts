import { parseArgs } from 'node:util';
import { branchLabel } from '../../core/git-head';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import { findOrAskSession, findSession, isEmptyId } from './find-session';
import { emptySessionId, noSession } from './messages';
import { gatherReqStatus, type ReqStatus } from './status-facts';
import { statusJson } from './status-json';
import { focusedLines, problemLines, summaryLine, verboseLines } from './status-text';

interface Options {
  readonly branch?: string | undefined;
  readonly session?: string | undefined;
  readonly verbose: boolean;
  readonly summary: boolean;
  readonly json: boolean;
}

export const verb: Verb = {
  usage: 'req status [-b BRANCH] [-s SESSION] [-v] [--summary] [--json]',
  async run(args, context): Promise<ExitCode> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        branch: { type: 'string', short: 'b' },
        session: { type: 'string', short: 's' },
        verbose: { type: 'boolean', short: 'v', default: false },
        summary: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    if (isEmptyId(values.session)) {
      context.out.error(emptySessionId('status'));
      return 2;
    }
    const project = openProject(context);
    if (project === undefined) {
      context.out.error(NO_PROJECT);
      return 1;
    }
    const session = await sessionFor(values, project, context);
    const now = Date.now();
    const branch = values.branch ?? branchLabel(project.head);
    const status = gatherReqStatus(project, branch, session, context, now);
    show(status, values, now, context);
    return status.broken ? 1 : 0;
  },
};

/** Empty where none can be told; what is printed into a prompt or read by a program never asks. */
async function sessionFor(options: Options, project: OpenProject, { env, out }: Context): Promise<string> {
  const found =
    options.summary || options.json
      ? findSession(options.session, project, env)
      : await findOrAskSession(options.session, project, env);
  if (found.kind === 'found') return found.key;
  const [why = ''] = noSession(found, project.root).split('\n');
  out.error(`${why}\nOnly what counts for every session is shown; give one with --session ID.`);
  return '';
}

function show(status: ReqStatus, options: Options, now: number, { out }: Context): void {
  if (options.json) {
    out.json(statusJson(status));
    return;
  }
  if (options.summary) {
    out.line(summaryLine(status));
    if (status.broken) for (const problem of status.problems) out.error(problem);
    return;
  }
  const lines = options.verbose ? verboseLines(status, now, out) : focusedLines(status, out);
  const trouble = options.verbose || status.broken || status.unreadable.length > 0;
  for (const line of [...lines, ...(trouble ? problemLines(status, out) : [])]) out.line(line);
}
