import { digest } from '../../domain/digest';
import type { Change } from '../../domain/document';
import type { EventOf } from '../../domain/event';
import type { Failure } from '../../domain/failure';
import { type Deliberation, outcome, type Step } from '../../domain/guard';
import type { Json } from '../../domain/json';
import { documentIn, type Snapshot } from '../../domain/snapshot';
import { NOTHING } from '../../domain/verdict';
import { stateChange, valuesChange } from './change';
import type { Requirement, RequirementsConfig } from './config';
import { countAllowed, countDenied, isRepeated } from './count-call';
import { findingsOf } from './findings';
import * as say from './messages';
import { dueWarnings, warning } from './near-limit';
import { CLEAR, inquiryFor, type Standing, standingOf } from './obstacles';
import { registration } from './registration';
import { VALUES_FILE } from './session-files';
import { trigger } from './state';
import { isExempt, triggeredBy } from './triggers';
import type { View } from './view';

type Obstructing = Extract<Standing, { kind: 'obstacle' }>;

interface Judged {
  readonly requirement: Requirement;
  readonly standing: Standing;
}

/** Holds a call until what it sets off is satisfied. */
export function beforeTool(
  event: EventOf<'tool.before'>,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
  { effectResult }: Deliberation,
): Step {
  const { call } = event;
  const set = triggeredBy(call, config.requirements, snapshot);
  if (set.length === 0 || view.paused || isExempt(call, snapshot.projectRoot, snapshot.home)) {
    return outcome(NOTHING);
  }
  const judged = judgeCall(set, call.nativeName, config, snapshot, view, effectResult);
  const open = judged
    .filter(({ standing }) => standing.kind === 'open')
    .map(({ requirement }) => requirement);
  if (open.length > 0 && effectResult === undefined) {
    return { kind: 'effect', name: 'gather', input: inquiryFor(open, view.branch) };
  }
  const common = [
    ...registration(event.sessionId, snapshot, view),
    ...valuesChange(effectResult, view.owner.now),
  ];
  const obstacles = judged.flatMap(({ requirement, standing }) =>
    standing.kind === 'obstacle' ? [obstacleOf(requirement, standing)] : [],
  );
  const troubles = judged.flatMap(untoldOf);
  if (obstacles.length === 0) {
    const near = dueWarnings(judged, view);
    const changes = [...common, ...triggering(set, view), countAllowed(event, set, near, view)];
    return { kind: 'outcome', verdict: near.length === 0 ? NOTHING : warning(near), changes, troubles };
  }
  const names = obstacles.map(({ requirement }) => requirement.name);
  const about = subjectOf(obstacles, call.nativeName);
  const text = isRepeated(event, about, view)
    ? say.repeatedText(obstacles, view)
    : say.denialText(obstacles, view);
  return {
    kind: 'outcome',
    verdict: { kind: 'deny', reason: text, grounds: obstacles.map((one) => say.groundsFor(one, view)) },
    changes: [...common, countDenied(event, names, about, view)],
    troubles,
  };
}

/** The requirements that are not clear for this call, and how they stand with what is known at the moment. */
function judgeCall(
  set: readonly Requirement[],
  subject: string,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
  brought: Json | undefined,
): Judged[] {
  const kept = documentIn(snapshot, VALUES_FILE);
  const values = kept.kind === 'present' ? kept.value : undefined;
  const findings = findingsOf(values, brought, config.requirements, view.branch, view.owner.now);
  const judging = { view, snapshot, findings, subject };
  const judged: Judged[] = [];
  for (const requirement of set) {
    const standing = requirement.stopOnly ? CLEAR : standingOf(requirement, judging);
    if (standing !== CLEAR) judged.push({ requirement, standing });
  }
  return judged;
}

function obstacleOf(requirement: Requirement, { fact, remedy }: Obstructing): say.Obstacle {
  return { requirement, fact, ...(remedy !== undefined && { remedy }) };
}

function untoldOf({ requirement, standing }: Judged): Failure[] {
  if (standing.kind !== 'untold') return [];
  return [{ code: 'effect.failed', guard: 'requirements', detail: `${requirement.name}: ${standing.why}` }];
}

/** Only a call that is allowed sets a requirement off: a denied one changed nothing that a stop could ask about. */
function triggering(set: readonly Requirement[], view: View): Change[] {
  const fresh = set.filter((requirement) => !view.isTriggered(requirement));
  if (fresh.length === 0) return [];
  const what = `triggered ${fresh.map(({ name }) => name).join(', ')}`;
  return [
    stateChange(view, what, (current) =>
      fresh.reduce(
        (state, { name, scope }) => trigger(state, view.owner, name, scope, view.session),
        current,
      ),
    ),
  ];
}

/** What a denial is about, whichever tool it was for: the same requirements for the same reasons. */
function subjectOf(obstacles: readonly say.Obstacle[], tool: string): string {
  const facts = obstacles.map(({ requirement, fact }) => `${requirement.name} ${fact.replace(tool, '')}`);
  return digest(facts.join('\n'));
}
