import type { EffectContext, EffectRunner } from '../../core/guard';
import { isJsonObject, type Json } from '../../core/json';
import { type GatesConfig, hasGates } from './config';
import { type GauntletStatus, isPass } from './report';
import { debugLog, logDirOf } from './run/logs';
import { plural } from './run/messages';
import { executeRun, type RunRequest } from './run/run';
import { findUncheckedWork } from './run/unchecked-work';
import type { RunResult } from './run-result';

type RunInput = Pick<
  RunRequest,
  'config' | 'command' | 'turn' | 'stop' | 'restsOn' | 'restsIfOver' | 'session'
> & {
  /** Gates in a mode that does not hold: they have no retry limit. */
  readonly isApart?: true;
};

/** `run` runs the gates; `note` only writes to the debug log that they did not run at a stop. */
export const runEffect: EffectRunner = async (name, input, context) => {
  if (!isJsonObject(input)) throw new Error(`there is no effect ${name} without input`);
  if (name !== 'run' && name !== 'note') throw new Error(`there is no effect ${name}`);
  const { config } = input as unknown as RunInput;
  const result = name === 'run' ? await run(input as unknown as RunInput, context) : undefined;
  const status = result?.status ?? (input['status'] as GauntletStatus);
  const decision = status === 'failed' ? 'block' : 'allow';
  debugLog(logDirOf(context.projectRoot, config), config)(`STOP_HOOK decision=${decision} reason=${status}`);
  return result === undefined ? null : ({ ...result } as Json);
};

async function run(input: RunInput, context: EffectContext): Promise<RunResult> {
  const { isApart, ...asked } = input;
  const { config, session } = asked;
  const { projectRoot: root, env, deadline, signal } = context;
  const result = await executeRun({
    ...asked,
    root,
    // An invalid entry disables only itself; the rest still has to pass.
    problems: hasGates(config) ? [] : config.problems,
    env,
    mode: 'run',
    select: { cache: true, workTree: true },
    deadline,
    gone: signal,
    looksFirst: true,
    by: { actor: 'system', channel: 'hook' },
    ...(isApart && { byPerson: true }),
    reporter: () => undefined,
  });
  // Failed gates hold the turn anyway.
  const aside =
    session === undefined || result.status === 'failed'
      ? []
      : await findUncheckedWork({ root, config, env, session, signal });
  return { ...withProblems(result, config), ...(aside.length > 0 && { aside }) };
}

/** With config errors some gates may be missing, so a pass is not reported as one. */
function withProblems(result: RunResult, { problems }: GatesConfig): RunResult {
  const isGood = isPass(result.status) || ['no_changes', 'no_applicable_gates'].includes(result.status);
  if (problems.length === 0 || !isGood) return result;
  const why =
    `the config has ${plural(problems.length, 'error')}; invalid entries have no effect:\n` +
    `${problems.join('\n')}\nThe other gates: ${result.message}`;
  return { ...result, status: 'error', message: why, isPartial: true };
}
