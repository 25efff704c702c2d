import { rejectedText } from './approval-messages';
import { APPROVALS, type Channel, closeRequests, openRequests, rejectionIn, requestsIn } from './approvals';
import type { Obstacle } from './messages';
import { channelOfHost } from './other-channels';
import type { RequirementsConfig } from './section';
import { presentValue, type View } from './view';

/** Whether anything in the config is up to a person alone. */
export function hasReserved({ requirements }: RequirementsConfig): boolean {
  return requirements.some(({ agentMaySatisfy }) => !agentMaySatisfy);
}

/** By which channel a person can answer in this session. */
export function channelOf(view: View): Channel {
  return channelOfHost(view) ?? 'terminal';
}

/** Notes what waits for a person when a call or a turn is held, and forgets what does not wait any more. */
export function askForApproval(obstacles: readonly Obstacle[], view: View): void {
  const { ctx, session, sessionId, project, branch, now, config } = view;
  const reserved = obstacles.filter(
    ({ requirement, remedy }) => !requirement.agentMaySatisfy && remedy === undefined,
  );
  const known = requestsIn(presentValue(ctx.document(APPROVALS)));
  const isSettled = (rule: string): boolean =>
    config.requirements.some((one) => one.name === rule && view.isSatisfied(one));
  if (known.some(({ rule, session: whose }) => whose === session && isSettled(rule)))
    ctx.change(closeRequests('satisfied meanwhile', (one) => one.session === session && isSettled(one.rule)));
  if (reserved.length === 0) return;
  const channel = channelOf(view);
  const requests = reserved.map(({ requirement }) => ({
    rule: requirement.name,
    description: requirement.description ?? '',
    session,
    sessionId,
    project,
    branch,
    since: now,
    decision: ctx.decisionId,
    channel: requirement.approval ?? channel,
    asked: [],
  }));
  ctx.change(openRequests(requests));
}

/** What a person has said no to: the agent reads it at its next attempt. */
export function rejectionLines(names: readonly string[], { ctx, config, session }: View): string[] {
  if (!hasReserved(config)) return [];
  const approvals = presentValue(ctx.document(APPROVALS));
  return names.flatMap((name) => {
    const rejection = rejectionIn(approvals, name, session);
    return rejection === undefined ? [] : [rejectedText(name, rejection.note)];
  });
}
