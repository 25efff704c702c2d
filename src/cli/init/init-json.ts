import { relative } from 'node:path';
import type { JsonObject } from '../../core/json';
import type { Report } from '../doctor/report';
import type { Choice, InitPlan } from './plan';
import type { Situation } from './situation';
import { OWN_CONFIG } from './taken';

/** Everything that happened, or would happen, as one document. */
export function initJson(
  situation: Situation,
  choice: Choice,
  plan: InitPlan,
  end: { readonly written: boolean; readonly dryRun: boolean; readonly doctor?: Report | undefined },
): JsonObject {
  const { place, taken, survey, hasConfig, branch } = situation;
  const checks = situation.checks.filter(({ name }) => choice.checks.includes(name));
  return {
    written: end.written,
    dry_run: end.dryRun,
    root: place.root,
    kinds: [...survey.kinds],
    default_branch: branch?.name ?? null,
    preset: hasConfig ? null : choice.preset,
    hosts: [...choice.hosts],
    files: filesOf(plan, place.root),
    checks: checks.map(({ name, command, source, paths }) => ({ name, command, source, paths: [...paths] })),
    passed_over: survey.passedOver.map(({ what, why }) => ({ what, why })),
    kept: [...(hasConfig ? [OWN_CONFIG] : []), ...taken.map(({ file }) => file)],
    doctor: end.doctor === undefined ? null : { status: end.doctor.status, ...end.doctor.summary },
  };
}

function filesOf({ config, ignore, install, launch }: InitPlan, root: string): JsonObject[] {
  return [
    ...(config === undefined ? [] : [{ path: OWN_CONFIG, is_new: true, text: config }]),
    ...(ignore.lines.length === 0
      ? []
      : [{ path: '.gitignore', is_new: ignore.before === undefined, added: [...ignore.lines] }]),
    ...(install?.changes ?? []).map(({ file, host, before }) => ({
      path: relative(root, file),
      is_new: before === undefined,
      host,
    })),
    ...(launch === undefined ? [] : [{ path: launch, is_new: true }]),
  ];
}
