import { parseArgs } from 'node:util';
import { nearest } from '../../config/nearest';
import type { Change, Document, DocumentRef } from '../../core/document';
import { branchLabel } from '../../core/git-head';
import { isJsonObject, type JsonObject } from '../../core/json';
import { loadConfig } from '../../core/load-config';
import { sentenceOf } from '../../core/messages';
import { sessionKey } from '../../core/session-key';
import { branchFile, PROJECT_FILE } from '../../guards/requirements/view';
import { readDocument } from '../../state/documents';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import { type Clearing, clearedState } from './cleared-state';
import { isEmptyId } from './find-session';
import { emptySessionId, nothingToClear } from './messages';
import { noteOverride } from './note-override';
import { refuse } from './refuse';
import { requirementsConfig } from './requirements-config';
import { requirementsIn } from './state-files';
import { changeState } from './under-lock';

interface Options {
  readonly names: readonly string[];
  readonly all: boolean;
  readonly branch?: string | undefined;
  readonly session?: string | undefined;
  readonly json: boolean;
}

export const verb: Verb = {
  usage: 'req clear NAME… | --all [-b BRANCH] [-s SESSION] [--json]',
  run(args, context): ExitCode {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        branch: { type: 'string', short: 'b' },
        all: { type: 'boolean', short: 'a', default: false },
        session: { type: 'string', short: 's' },
        json: { type: 'boolean', default: false },
      },
    });
    if (isEmptyId(values.session)) return refuse(context, emptySessionId('clear'), 2);
    const project = openProject(context);
    if (project === undefined) return refuse(context, NO_PROJECT, 1);
    const options = { ...values, names: [...new Set(positionals)] };
    if (options.names.length === 0 && !options.all)
      return refuse(context, 'Specify requirement name or use --all', 1);
    const branch = values.branch ?? branchLabel(project.head);
    const unknown = options.all ? undefined : unknownName(options.names, branch, project, context);
    return unknown === undefined
      ? clear(options, branch, project, context)
      : refuse(context, nothingToClear(unknown.name, unknown.near), 1);
  },
};

/** A name that neither the config nor the state knows is most likely mistyped. */
function unknownName(
  names: readonly string[],
  branch: string,
  project: OpenProject,
  { chunks }: Context,
): { readonly name: string; readonly near: string | undefined } | undefined {
  const config = requirementsConfig(loadConfig(project, chunks));
  const known = [
    ...(config?.requirements ?? []).map(({ name }) => name),
    ...filesOf(branch, project, undefined).flatMap((ref) => namesIn(readDocument(project.layout, ref))),
  ];
  const name = names.find((one) => !known.includes(one));
  return name === undefined ? undefined : { name, near: nearest(name, known) };
}

function namesIn(document: Document): string[] {
  const isState = document.kind === 'present' && isJsonObject(document.value);
  return isState ? Object.keys(requirementsIn(document.value as JsonObject)) : [];
}

function clear(options: Options, branch: string, project: OpenProject, context: Context): ExitCode {
  const { out } = context;
  const session = sessionKey(options.session ?? '');
  const clearing: Clearing = {
    names: options.all ? 'all' : options.names,
    ...(session !== undefined && { session }),
    now: Math.floor(Date.now() / 1000),
  };
  const done = changeState(project.layout, () =>
    filesOf(branch, project, options.branch).map((document): Change => {
      return { document, what: 'cleared', apply: (state) => clearedState(state, clearing) };
    }),
  );
  if (!done.ok) return refuse(context, `Nothing was cleared: ${sentenceOf(done.failure)}`, 1);
  const about = options.all ? '--all' : options.names.join(' ');
  if (done.value.length > 0)
    noteOverride(project.layout, { command: 'clear', about, session: session ?? '', written: done.value });
  if (options.json) out.json({ cleared: clearing.names, branch, session: session ?? null });
  else for (const line of clearedLines(options, branch)) out.line(out.style('green', line));
  return 0;
}

/** What is permanent lies beside the branches; whoever names one branch means that one alone. */
function filesOf(branch: string, { layout }: OpenProject, given: string | undefined): DocumentRef[] {
  const own = branchFile(branch, (ref) => readDocument(layout, ref));
  return given === undefined ? [own, PROJECT_FILE] : [own];
}

function clearedLines({ names, all, session }: Options, branch: string): string[] {
  const told = session === undefined ? [] : [`Using explicit session: ${sessionKey(session)}`];
  if (all) return [...told, `Cleared all requirements for ${branch}`];
  return [...told, ...names.map((name) => `Cleared '${name}' for ${branch}`)];
}
