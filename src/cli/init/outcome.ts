import { relative } from 'node:path';
import { missingProgram } from '../../guards/gates/run/check';
import { setupOf } from '../../hosts/setup-table';
import type { Report } from '../doctor/report';
import { LAUNCH_FILE } from '../install/start-line';
import { printable } from '../output/printable';
import { table } from '../output/table';
import type { Context } from '../verb';
import * as say from './messages';
import type { InitOptions } from './options';
import type { Choice, InitPlan } from './plan';
import { PRESETS } from './presets';
import type { Situation } from './situation';
import { OWN_CONFIG } from './taken';

/** What is worth knowing before anything is written: what stays, and what was not proposed. */
export function notesOn(
  { hasConfig, taken, survey, checks, unfit, ground }: Situation,
  { install }: InitPlan,
  options: InitOptions,
): string[] {
  const isNew = !hasConfig;
  const missing = checks.flatMap(({ command, on }) => {
    const program = on ? missingProgram(command, ground.project, ground.env) : undefined;
    return program === undefined ? [] : [{ command, program }];
  });
  const firstOf = missing.filter(
    ({ program }, at) => missing.findIndex((one) => one.program === program) === at,
  );
  return [
    ...(hasConfig ? [say.keptConfig(OWN_CONFIG)] : []),
    ...(hasConfig && options.preset !== undefined ? [say.presetUnused(options.preset)] : []),
    ...(isNew ? taken.map(say.keptSection) : []),
    ...(isNew ? survey.passedOver.map(({ what, why }) => say.passedOver(what, why)) : []),
    ...(isNew ? firstOf.map(({ command, program }) => say.missingHere(command, program)) : []),
    ...unfit.map(say.onlyForMachine),
    ...(install?.rivals ?? []).map(({ program, list }) => say.rivalFound(program, list)),
  ];
}

/** What was done, in a line each. */
export function doneLines(
  { config, ignore, install, launch }: InitPlan,
  { checks, preset }: Choice,
  root: string,
): string[] {
  const found = checks.length === 0 || !PRESETS[preset].checks ? 'no checks' : `checks: ${checks.join(', ')}`;
  return table([
    ...(config === undefined ? [] : [['  wrote', OWN_CONFIG, found]]),
    ...(ignore.lines.length === 0 ? [] : [['  wrote', '.gitignore', say.linesAdded(ignore.lines.length)]]),
    ...(install?.changes ?? []).map(({ host, file }) => [
      '  wrote',
      relative(root, file),
      `hooks of ${setupOf(host)?.title ?? host}`,
    ]),
    ...(launch === undefined ? [] : [['  wrote', `~/${LAUNCH_FILE}`, say.LAUNCH]]),
  ]);
}

/** What doctor says, in short: all is well, or what is not. */
export function doctorLines({ checks, summary }: Report, { out }: Context): string[] {
  const { warnings, critical } = summary;
  if (warnings + critical === 0) return [out.style('green', say.DOCTOR_WELL)];
  const trouble = checks.filter(({ status }) => status !== 'pass');
  return [
    out.style(critical > 0 ? 'red' : 'yellow', say.doctorSaw(warnings, critical)),
    ...trouble.flatMap(({ message, fix }) => [
      printable(`  ${message}`),
      ...(fix === null ? [] : [printable(`    ${fix.command ?? fix.description}`)]),
    ]),
  ];
}
