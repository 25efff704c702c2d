import { setupOf } from '../../hosts/setup-table';
import { install } from '../install/install';
import * as say from '../install/messages';
import { installOptions } from '../install/options';
import { planInstall } from '../install/plan-install';
import { planJson, showDiff, showInstalled, showRivals } from '../install/report';
import type { Context, ExitCode, Verb } from '../verb';

export const verb: Verb = {
  usage: `holdpoint install [--host NAME…] [--user | --local] [--dry-run] [--replace] [--fail-closed] [--json]

  --host NAME    for this host; may be given again. Without it: the hosts in use here
  --user         into your own settings, for all projects
  --local        into the settings of this project that are yours alone
  --dry-run      shows a diff and writes nothing
  --replace      entries of older programs, and lines written by hand, make room for ours
  --fail-closed  lets the host refuse when Holdpoint itself fails, where it can`,
  run(args, context): ExitCode {
    const asked = installOptions(args, context);
    if (!asked.ok) return refused(asked.failure, context);
    const { request, dryRun, json } = asked.value;
    const plan = dryRun ? planInstall(request) : install(request);
    if (!plan.ok) return refused(plan.failure, context);
    const { out } = context;
    if (json) out.json(planJson(plan.value, request, dryRun));
    else {
      if (dryRun) showDiff(plan.value, context);
      else showInstalled(plan.value, request, context);
      if (plan.value.changes.length === 0) out.line(say.RIGHT_ALREADY);
      showRivals(plan.value, request, context);
      if (!dryRun && plan.value.changes.length > 0)
        for (const text of request.hosts.flatMap((host) => setupOf(host)?.afterwards ?? [])) out.line(text);
    }
    return 0;
  },
};

function refused(sentence: string, { out }: Context): ExitCode {
  out.error(sentence);
  return 2;
}
