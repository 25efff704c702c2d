import { setupOf } from '../../hosts/setup-table';
import { install } from '../install/install';
import { launchState } from '../install/launch-state';
import * as say from '../install/messages';
import { type Asked, installOptions } from '../install/options';
import { planInstall } from '../install/plan-install';
import { planJson, showDiff, showInstalled, showRivals } from '../install/report';
import type { InstallRequest } from '../install/request';
import { chooseClient } from '../resident/choose-client';
import { endFormerServer } from '../resident/end-server';
import { residentJson, showResident } from '../resident/report';
import type { Context, ExitCode, Verb } from '../verb';

export const verb: Verb = {
  usage: `holdpoint install [--host NAME…] [--user | --local] [--dry-run] [--replace] [--fail-closed] [--resident] [--json]

  --host NAME    for this host; may be given again. Without it: the hosts in use here
  --user         into your own settings, for all projects
  --local        into the settings of this project that are yours alone
  --dry-run      shows a diff and writes nothing
  --replace      entries of older programs, and lines written by hand, make room for ours
  --fail-closed  lets the host refuse when Holdpoint itself fails, where it can
  --resident     has a server answer events, so that not every one starts Node; without it, none does`,
  async run(args, context): Promise<ExitCode> {
    const asked = installOptions(args, context);
    if (!asked.ok) return refused(asked.failure, context);
    const { dryRun, json, resident } = asked.value;
    if (dryRun) return preview(asked.value, context);
    const chosen = resident ? await chooseClient(context.env, asked.value.request.ground.home) : undefined;
    const request = { ...asked.value.request, ...(chosen?.ok === true && { start: chosen.value }) };
    const before = launchState(request.ground.home);
    const plan = install(request);
    if (!plan.ok) return refused(plan.failure, context);
    await endFormerServer(before);
    if (json) context.out.json({ ...planJson(plan.value, request, false), ...residentJson(chosen) });
    else {
      showInstalled(plan.value, request, context);
      if (plan.value.changes.length === 0) context.out.line(say.RIGHT_ALREADY);
      showResident(chosen, before.resident !== undefined, context);
      showRivals(plan.value, request, context);
      if (plan.value.changes.length > 0) showAfterwards(request, context);
    }
    return 0;
  },
};

/** What would be written, and nothing else. */
function preview({ request, json }: Asked<InstallRequest>, context: Context): ExitCode {
  const plan = planInstall(request);
  if (!plan.ok) return refused(plan.failure, context);
  if (json) context.out.json(planJson(plan.value, request, true));
  else {
    showDiff(plan.value, context);
    if (plan.value.changes.length === 0) context.out.line(say.RIGHT_ALREADY);
    showRivals(plan.value, request, context);
  }
  return 0;
}

function showAfterwards({ hosts }: InstallRequest, { out }: Context): void {
  for (const text of hosts.flatMap((host) => setupOf(host)?.afterwards ?? [])) out.line(text);
}

function refused(sentence: string, { out }: Context): ExitCode {
  out.error(sentence);
  return 2;
}
