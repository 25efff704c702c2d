import { uninstall } from '../install/install';
import { keptByPeople } from '../install/kept-by-people';
import { launchState } from '../install/launch-state';
import * as say from '../install/messages';
import { removalOptions } from '../install/options';
import { planRemoval } from '../install/plan-removal';
import { planJson, showDiff, showLeft, showRemoved } from '../install/report';
import { endFormerServer } from '../resident/end-server';
import { showEnded } from '../resident/report';
import type { Context, ExitCode, Verb } from '../verb';

export const verb: Verb = {
  usage: `holdpoint uninstall [--host NAME…] [--user | --local] [--dry-run] [--json]

  --host NAME  only for this host; may be given again
  --user       from your own settings
  --local      from the settings of this project that are yours alone
  --dry-run    shows a diff and writes nothing`,
  async run(args, context): Promise<ExitCode> {
    const asked = removalOptions(args, context);
    if (!asked.ok) return refused(asked.failure, context);
    const { request, dryRun, json } = asked.value;
    const kept = dryRun ? undefined : keptByPeople(context);
    if (kept !== undefined) {
      context.out.error(kept);
      return 1;
    }
    const before = launchState(request.ground.home);
    const plan = dryRun ? planRemoval(request) : uninstall(request);
    if (!plan.ok) return refused(plan.failure, context);
    const ended = dryRun ? undefined : await endFormerServer(before);
    if (json) context.out.json(planJson(plan.value, request, dryRun));
    else {
      if (dryRun) showDiff(plan.value, request, context);
      else showRemoved(plan.value, request, context);
      if (plan.value.changes.length === 0) context.out.line(say.NOTHING_INSTALLED);
      if (ended !== undefined) showEnded(ended, context);
      showLeft(plan.value, request, context);
    }
    return 0;
  },
};

function refused(sentence: string, { out }: Context): ExitCode {
  out.error(sentence);
  return 2;
}
