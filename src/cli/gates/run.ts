import { errorResult, executeRun, idleResult } from '../../guards/gates/run/run';
import type { RunResult } from '../../guards/gates/run-result';
import { NO_PROJECT } from '../messages';
import type { Context, ExitCode, Verb } from '../verb';
import { exitCodeOf } from './exit-code';
import { liveProgress } from './live-progress';
import * as say from './messages';
import { type Progress, plainProgress, SILENT } from './progress';
import { type GatesHere, gatesHere, showDiagnostics } from './project';
import { runJson } from './run-json';
import { CHANGES_USAGE, runOptions } from './run-options';

type Mode = 'run' | 'check' | 'review';

/** `run`, `check` or `review`: the same run, of all gates or of one kind. */
export function runVerb(mode: Mode): Verb {
  return {
    usage: [
      `holdpoint gates ${mode} [-b REF] [-g GATE] [-c SHA | -u] [--no-cache] [--json]`,
      '',
      ...CHANGES_USAGE,
      '  -g, --gate NAME        only this gate, at every entry point that has it',
      '      --no-cache         runs again what has passed on the same files',
      '      --json             prints one document instead of lines',
    ].join('\n'),
    run: (args, context) => run(mode, args, context),
  };
}

async function run(mode: Mode, args: readonly string[], context: Context): Promise<ExitCode> {
  const options = runOptions(args);
  if (!options.ok) {
    context.out.error(options.failure);
    return 2;
  }
  const { select, json } = options.value;
  const here = gatesHere(context);
  const { root, config } = here ?? {};
  if (root === undefined || config === undefined || here?.errors.length !== 0)
    return tell(refusalOf(here, context), json, context);
  const progress = json ? SILENT : progressFor(mode, context);
  const result = await executeRun({
    root,
    config,
    problems: config.problems,
    env: context.env,
    mode,
    select,
    command: [mode, ...args].join(' '),
    reporter: progress.report,
  });
  progress.end();
  return tell(result, json, context);
}

/** What keeps a run from being begun, told as a run that was none. */
function refusalOf(here: GatesHere | undefined, context: Context): RunResult {
  if (here === undefined) return errorResult(NO_PROJECT);
  if (here.errors.length > 0) {
    showDiagnostics(here.errors, context);
    return errorResult(say.notRun(here.errors.length));
  }
  return idleResult('no_config', { message: say.NO_GATES });
}

function progressFor(mode: Mode, { out, env }: Context): Progress {
  const { isTTY, columns, rows } = process.stderr;
  if (isTTY !== true || env['TERM'] === 'dumb') return plainProgress(out, mode);
  // Some terminals do not know their size and say that it is nothing.
  return liveProgress(out, env, { columns: columns || 80, rows: rows || 24 });
}

/** The document, where it was asked for; and in any case why there is no answer. The rest was told on the way. */
function tell(result: RunResult, json: boolean, { out }: Context): ExitCode {
  const exitCode = exitCodeOf(result.status);
  if (json) out.json(runJson(result));
  const isTold = exitCode < 2 || result.status === 'infrastructure_error';
  if (!isTold) out.error(say.errorLine(result.message));
  if (exitCode === 3) out.error(say.LOCK_HINT);
  return exitCode;
}
