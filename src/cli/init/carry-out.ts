import { install } from '../install/install';
import type { Context, ExitCode } from '../verb';
import { initJson } from './init-json';
import * as say from './messages';
import { nextLines } from './next-steps';
import type { InitOptions } from './options';
import { doctorLines, doneLines } from './outcome';
import type { Choice, InitPlan } from './plan';
import { askDoctor } from './short-doctor';
import type { Situation } from './situation';
import { OWN_CONFIG } from './taken';
import { writeFiles } from './write-plan';

/** Writes the plan, installs the hooks, lets doctor look, and tells what comes next. */
export async function carryOut(
  situation: Situation,
  choice: Choice,
  plan: InitPlan,
  options: InitOptions,
  context: Context,
): Promise<ExitCode> {
  const { out } = context;
  const root = situation.place.root;
  const written = writeFiles(root, plan);
  if (!written.ok) return failed(say.notWritten(written.failure), context);
  const installed = plan.request && install(plan.request);
  if (installed?.ok === false) return failed(say.halfWritten(writtenBy(plan), installed.failure), context);
  const doctor = plan.request === undefined ? undefined : await askDoctor({ ...context, cwd: root });
  if (options.json) {
    out.json(initJson(situation, choice, plan, { written: true, dryRun: false, doctor }));
    return 0;
  }
  for (const line of doneLines(plan, choice, root)) out.line(line);
  if (doctor !== undefined) for (const line of ['', ...doctorLines(doctor, context)]) out.line(line);
  for (const line of ['', ...nextLines(situation, plan, choice)]) out.line(line);
  return 0;
}

function writtenBy({ config, ignore }: InitPlan): string[] {
  return [
    ...(config === undefined ? [] : [OWN_CONFIG]),
    ...(ignore.lines.length === 0 ? [] : ['.gitignore']),
  ];
}

function failed(why: string, { out }: Context): ExitCode {
  out.error(why);
  return 2;
}
