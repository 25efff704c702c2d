import type { Change } from '../../domain/document';
import type { Event, EventOf } from '../../domain/event';
import { globMatches } from '../../domain/glob';
import { outcome, type Step } from '../../domain/guard';
import type { Snapshot } from '../../domain/snapshot';
import { NOTHING } from '../../domain/verdict';
import { isRegistered, registerSession } from '../../store/sessions';
import { briefing } from './briefing';
import type { Requirement, RequirementsConfig } from './config';
import * as say from './messages';
import { consume, trigger } from './state';
import { isExempt, triggeredBy } from './triggers';
import { type View, viewOf } from './view';

/** The discipline's whole judgement of one event. */
export function decide(event: Event, config: RequirementsConfig, snapshot: Snapshot): Step {
  const view = viewOf(event, snapshot);
  if (view === undefined || !config.enabled) return outcome(NOTHING);
  switch (event.kind) {
    case 'tool.before':
      return beforeTool(event, config, snapshot, view);
    case 'tool.after':
      return afterTool(event, config, snapshot, view);
    case 'turn.stop':
      return atStop(config, snapshot, view);
    case 'session.start':
      return outcome(briefing(config, view));
    default:
      return outcome(NOTHING);
  }
}

function beforeTool(
  { call, sessionId }: EventOf<'tool.before'>,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
): Step {
  const set = triggeredBy(call, config.requirements);
  if (set.length === 0 || isExempt(call, snapshot.projectRoot, snapshot.home)) return outcome(NOTHING);
  const registered = registration(sessionId, snapshot, view);
  const obstacles = set
    .filter((requirement) => !requirement.stopOnly)
    .flatMap((requirement) => obstacleFor(requirement, call.nativeName, snapshot, view));
  if (obstacles.length === 0) return outcome(NOTHING, [...registered, ...triggering(set, view)]);
  const reason = say.denialText(obstacles, view);
  const grounds = obstacles.map((obstacle) => say.groundsFor(obstacle, view));
  return outcome({ kind: 'deny', reason, grounds }, registered);
}

function obstacleFor(requirement: Requirement, tool: string, snapshot: Snapshot, view: View): say.Obstacle[] {
  const fact = obstacleFact(requirement, tool, snapshot, view);
  return fact === undefined || view.isSatisfied(requirement) ? [] : [{ requirement, fact }];
}

/** The fact for which a requirement stands in the way, or nothing when its condition does not hold. */
function obstacleFact(
  requirement: Requirement,
  tool: string,
  snapshot: Snapshot,
  view: View,
): string | undefined {
  if (requirement.type === 'blocking') return say.unsatisfiedFact(requirement, tool, view.branch);
  switch (requirement.condition) {
    case 'protected_branch': {
      const isProtected = requirement.branches.some((pattern) => globMatches(pattern, view.branch));
      return isProtected ? say.protectedFact(tool, view.branch) : undefined;
    }
    case 'single_session': {
      const other = earlierSession(snapshot, view);
      return other === undefined ? undefined : say.otherSessionFact(tool, other);
    }
  }
}

/** Only the later session is held, or two would hold each other; of two in one second, the one with the greater key. */
function earlierSession(snapshot: Snapshot, view: View): string | undefined {
  const here = snapshot.sessions.filter((one) => one.alive && one.projectDir === snapshot.projectRoot);
  const own = here.find((one) => one.id === view.session)?.startedAt ?? Number.POSITIVE_INFINITY;
  return here.find((one) => one.startedAt < own || (one.startedAt === own && one.id < view.session))?.id;
}

/** Only a call that is allowed sets a requirement off: a denied one changed nothing that a stop could ask about. */
function triggering(set: readonly Requirement[], view: View): Change[] {
  const fresh = set.filter((requirement) => !view.isTriggered(requirement));
  if (fresh.length === 0) return [];
  return [
    {
      document: view.file,
      what: `triggered ${fresh.map(({ name }) => name).join(', ')}`,
      apply: (current) =>
        fresh.reduce(
          (state, { name, scope }) => trigger(state, view.owner, name, scope, view.session),
          current,
        ),
    },
  ];
}

/** A pass for one action is used up by the action itself, but not by an attempt that failed. */
function afterTool(
  { call, outcome: result }: EventOf<'tool.after'>,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
): Step {
  if (result === 'failure' || isExempt(call, snapshot.projectRoot, snapshot.home)) return outcome(NOTHING);
  const used = triggeredBy(call, config.requirements).filter(({ scope }) => scope === 'single_use');
  if (used.length === 0) return outcome(NOTHING);
  const change: Change = {
    document: view.file,
    what: `consumed ${used.map(({ name }) => name).join(', ')}`,
    apply: (current) =>
      used.reduce((state, { name }) => consume(state, view.owner, name, view.session), current),
  };
  return outcome(NOTHING, [change]);
}

/** A stop is held once for a prompt: whoever cannot satisfy a requirement must still be able to say so and end. */
function atStop(config: RequirementsConfig, snapshot: Snapshot, view: View): Step {
  const heldBefore = (snapshot.refusedStops.byGuard.requirements ?? 0) > 0;
  if (!config.stop.verify || heldBefore) return outcome(NOTHING);
  const obstacles = config.requirements
    .filter(({ scope }) => config.stop.scopes.includes(scope))
    .filter((requirement) => view.isTriggered(requirement))
    .filter((requirement) => obstacleFor(requirement, 'The turn', snapshot, view).length > 0)
    .map((requirement) => ({ requirement, fact: say.triggeredFact(requirement) }));
  if (obstacles.length === 0) return outcome(NOTHING);
  const reason = say.stopText(obstacles, view);
  return outcome({
    kind: 'hold',
    reason,
    grounds: obstacles.map((obstacle) => say.groundsFor(obstacle, view)),
  });
}

function registration(sessionId: string, snapshot: Snapshot, view: View): Change[] {
  const entry = {
    key: view.session,
    sessionId,
    projectDir: snapshot.projectRoot,
    branch: view.branch,
    host: snapshot.hostProcess,
    pid: snapshot.pid,
    now: snapshot.now,
  };
  return isRegistered(snapshot.sessions, entry) ? [] : [registerSession(entry)];
}
