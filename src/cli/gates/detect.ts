import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import { findChanges } from '../../git/changes';
import { ciOf, findJobs, type Job } from '../../guards/gates/detect';
import { logDirOf } from '../../guards/gates/run/logs';
import { foundFiles, NO_APPLICABLE_GATES, NO_CHANGES, warningLine } from '../../guards/gates/run/messages';
import { comparisonOf, findCached, findStanding } from '../../guards/gates/run/plan';
import type { Selection } from '../../guards/gates/run/run';
import { readState } from '../../guards/gates/run/state';
import type { Context, ExitCode, Verb } from '../verb';
import * as say from './messages';
import { type Configured, requireGates, showDiagnostics } from './project';
import { CHANGES, CHANGES_USAGE, changesFrom } from './run-options';

/** What a run would be about. */
interface Detected {
  readonly base: string;
  readonly files: readonly string[];
  readonly jobs: readonly Job[];
  /** The ids of those that would not run again. */
  readonly cached: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

export const verb: Verb = {
  usage: ['holdpoint gates detect [-b REF] [-c SHA | -u] [--json]', '', ...CHANGES_USAGE].join('\n'),
  async run(args, context): Promise<ExitCode> {
    const { values } = parseArgs({
      args: [...args],
      options: { ...CHANGES, json: { type: 'boolean', default: false } },
    });
    const changes = changesFrom(values);
    if (!changes.ok) {
      context.out.error(changes.failure);
      return 2;
    }
    const here = requireGates(context);
    if (here === undefined) return 2;
    showDiagnostics(here.errors, context);
    const found = await detect(here, { ...changes.value, cache: true }, context.env);
    if (!found.ok) {
      context.out.error(say.errorLine(found.failure));
      return 2;
    }
    for (const warning of found.value.warnings) context.out.error(warningLine(warning));
    if (values.json) context.out.json(detectedJson(found.value));
    else showDetected(found.value, context);
    return here.errors.length > 0 ? 2 : 0;
  },
};

async function detect(
  { root, config }: Configured,
  select: Selection,
  env: Context['env'],
): Promise<Result<Detected, string>> {
  const logDir = logDirOf(root, config);
  const request = { root, config, env, select };
  const standing = findStanding(request);
  if (!standing.ok) return standing;
  const { base, branch } = standing.value;
  const kept = readState(logDir);
  const state = kept?.branch === branch ? { state: kept } : {};
  const changes = await findChanges(comparisonOf({ request, logDir }, { ...standing.value, ...state }));
  if (!changes.ok) return fail(changes.failure);
  const { files, warnings } = changes.value;
  const { jobs, notes } = findJobs(config, files, { mode: 'run', ci: ciOf(env).ci, root });
  const cached = await findCached({ request, logDir }, standing.value, changes.value, jobs);
  const all = [...(base.warning === undefined ? [] : [base.warning]), ...warnings, ...notes];
  return succeed({ base: base.ref, files, jobs, cached: new Set(cached.keys()), warnings: all });
}

function showDetected({ files, jobs, cached }: Detected, { out }: Context): void {
  if (files.length === 0) return void out.line(NO_CHANGES);
  out.line(foundFiles(files.length));
  for (const file of files) out.line(`  ${out.style('cyan', shown(file))}`);
  out.line();
  if (jobs.length === 0) return void out.line(NO_APPLICABLE_GATES);
  out.line(say.wouldRun(jobs.length - cached.size));
  for (const entryPoint of new Set(jobs.map((job) => job.entryPoint))) {
    out.line();
    out.line(`Entry point: ${out.style('bold', shown(entryPoint))}`);
    for (const { id, kind, gate } of jobs.filter((job) => job.entryPoint === entryPoint))
      out.line(
        `  ${kind} ${out.style('bold', gate.name)}${cached.has(id) ? out.style('dim', say.REUSED) : ''}`,
      );
  }
}

/** A name that would break the list is put between quotes. */
function shown(name: string): string {
  return /[\n\t"]/.test(name) ? JSON.stringify(name) : name;
}

function detectedJson({ base, files, jobs, cached }: Detected): object {
  const gates = jobs.map((job) => ({
    id: job.id,
    kind: job.kind,
    name: job.gate.name,
    entry_point: job.entryPoint,
    ...(job.kind === 'check' && { working_directory: job.cwd }),
    cached: cached.has(job.id),
  }));
  return { base, files, gates };
}
