import { setupOf } from '../../hosts/setup-table';
import { directHindrance } from '../install/direct-hindrance';
import { showDirect } from '../install/direct-report';
import { install } from '../install/install';
import { launchState } from '../install/launch-state';
import * as say from '../install/messages';
import { type Asked, installOptions, type Wish } from '../install/options';
import { ownDist } from '../install/own-dist';
import type { Plan } from '../install/plan';
import { planInstall } from '../install/plan-install';
import { planJson, showDiff, showInstalled, showRivals } from '../install/report';
import type { InstallRequest } from '../install/request';
import { unusedPlace } from '../install/unused-place';
import { chooseClient } from '../resident/choose-client';
import { directStart, foreseenDirect } from '../resident/direct';
import { endFormerServer } from '../resident/end-server';
import { type Chosen, residentJson, showEnded, showResident } from '../resident/report';
import type { Context, ExitCode, Verb } from '../verb';

export const verb: Verb = {
  usage: `holdpoint install [--host NAME…] [--user | --local] [--dry-run] [--replace] [--fail-closed] [--resident [--direct]] [--json]

  --host NAME    for this host; may be given again. Without it: the hosts in use here
  --user         into your own settings, for all projects
  --local        into the settings of this project that are yours alone
  --dry-run      shows a diff and writes nothing
  --replace      entries of older programs, and lines written by hand, make room for ours
  --fail-closed  lets the host refuse when Holdpoint itself fails, where it can
  --resident     has a server answer events, so that not every one starts Node; without it, none does
  --direct       with --resident: the host starts the compiled client without a shell (Claude Code; --user or --local)`,
  async run(args, context): Promise<ExitCode> {
    const asked = installOptions(args, context);
    if (!asked.ok) return refused(asked.failure, context);
    const { dryRun, json, server } = asked.value;
    const hindrance = server === 'direct' ? directHindrance(asked.value.request) : undefined;
    if (hindrance !== undefined) return refused(hindrance, context);
    if (dryRun) return preview(asked.value, server, context);
    const { home } = asked.value.request.ground;
    const chosen = server === 'none' ? undefined : await chooseClient(context.env, home);
    const request = requestBy(asked.value.request, server, chosen);
    const before = launchState(request.ground.home);
    const plan = install(request);
    if (!plan.ok) return refused(plan.failure, context);
    const ended = await endFormerServer(before);
    if (json)
      context.out.json({ ...planJson(plan.value, request, false), ...residentJson(chosen, server, request) });
    else {
      showInstalled(plan.value, request, context);
      if (isNothing(plan.value)) context.out.line(say.RIGHT_ALREADY);
      showEnded(ended, context);
      showResident(chosen, before.resident !== undefined, context);
      showPlace(server, context);
      showDirect(server, request, context);
      showRivals(plan.value, request, context);
      if (plan.value.changes.length > 0) showAfterwards(request, context);
    }
    return 0;
  },
};

/** With the way to a server that was chosen, and for hosts too where that was wanted and can be. */
function requestBy(request: InstallRequest, server: Wish, chosen: Chosen): InstallRequest {
  if (chosen?.ok !== true) return request;
  const { client, socket } = chosen.value;
  const isDirect = server === 'direct' && client.kind === 'native';
  return {
    ...request,
    start: chosen.value,
    ...(isDirect && { direct: directStart(client, socket, ownDist()) }),
  };
}

/** A place that was named and is not used is worth a word: whoever named it looks for the server there. */
function showPlace(server: Wish, { env, out }: Context): void {
  const sentence = server === 'none' ? undefined : unusedPlace(env);
  if (sentence !== undefined) out.line(`${out.style('yellow', '!')} ${sentence}`);
}

/** What would be written, and nothing else. */
function preview(asked: Asked<InstallRequest>, server: Wish, context: Context): ExitCode {
  const { json } = asked;
  const direct = server === 'direct' ? { direct: foreseenDirect(asked.request.ground) } : {};
  // By which program a server would be reached, nobody knows before it is tried.
  const start = server === 'none' ? {} : { start: 'as-before' as const };
  const request = { ...asked.request, ...start, ...direct };
  const plan = planInstall(request);
  if (!plan.ok) return refused(plan.failure, context);
  if (json) context.out.json(planJson(plan.value, request, true));
  else {
    showDiff(plan.value, request, context);
    if (isNothing(plan.value)) context.out.line(say.RIGHT_ALREADY);
    showRivals(plan.value, request, context);
  }
  return 0;
}

function isNothing({ changes, startFiles }: Plan): boolean {
  return changes.length + startFiles.length === 0;
}

function showAfterwards({ hosts, scope }: InstallRequest, { out }: Context): void {
  for (const text of hosts.flatMap((host) => setupOf(host)?.afterwards(scope) ?? [])) out.line(text);
}

function refused(sentence: string, { out }: Context): ExitCode {
  out.error(sentence);
  return 2;
}
