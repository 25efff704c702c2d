import type { Change } from '../../core/document';
import type { EventOf } from '../../core/event';
import type { Failure } from '../../core/failure';
import { type Deliberation, outcome, type Step } from '../../core/guard';
import { digest } from '../../core/hash';
import type { Json } from '../../core/json';
import { documentIn, type Snapshot } from '../../core/snapshot';
import { NOTHING, type Verdict } from '../../core/verdict';
import { stateChange, valuesChange } from './change';
import type { Requirement, RequirementsConfig } from './config';
import { countAllowed, countDenied, isRepeated } from './count-call';
import { toolSubject } from './facts';
import { findingsOf } from './findings';
import * as say from './messages';
import { dueWarnings, warning } from './near-limit';
import { CLEAR, inquiryFor, type Standing, standingOf } from './obstacles';
import { registration } from './registration';
import { VALUES_FILE } from './session-files';
import { trigger } from './state';
import { isExempt, triggeredBy } from './triggers';
import type { View } from './view';

type Call = EventOf<'tool.before'>;

/** Holds a call until what it sets off is satisfied. */
export function beforeTool(
  event: Call,
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
  const judged = judgeCall(set, toolSubject(call.nativeName), config, snapshot, view, effectResult);
  const obstacles: say.Obstacle[] = [];
  const open: Requirement[] = [];
  const troubles: Failure[] = [];
  for (const standing of judged) {
    if (standing.kind === 'obstacle') obstacles.push(standing);
    if (standing.kind === 'open') open.push(standing.requirement);
    if (standing.kind === 'untold') troubles.push(untold(standing.requirement, standing.why));
  }
  if (open.length > 0 && effectResult === undefined) {
    return { kind: 'effect', name: 'gather', input: inquiryFor(open, view.branch) };
  }
  const changes = registration(event.sessionId, snapshot, view);
  changes.push(...valuesChange(effectResult, view.owner.now));
  if (obstacles.length > 0) {
    const about = subjectOf(obstacles, call.nativeName);
    changes.push(countDenied(event, namesOf(obstacles), about, view));
    return { kind: 'outcome', verdict: denial(event, obstacles, about, view), changes, troubles };
  }
  const near = dueWarnings(judged, view);
  changes.push(...triggering(set, view), countAllowed(event, set, near, view));
  return { kind: 'outcome', verdict: near.length === 0 ? NOTHING : warning(near), changes, troubles };
}

/** How the requirements that are not clear for this call stand with what is known at the moment. */
function judgeCall(
  set: readonly Requirement[],
  subject: string,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
  brought: Json | undefined,
): Standing[] {
  const kept = documentIn(snapshot, VALUES_FILE);
  const values = kept.kind === 'present' ? kept.value : undefined;
  const findings = findingsOf(values, brought, config.requirements, view.branch, view.owner.now);
  const judging = { view, snapshot, findings, subject };
  const judged: Standing[] = [];
  for (const requirement of set) {
    const standing = requirement.stopOnly ? CLEAR : standingOf(requirement, judging);
    if (standing !== CLEAR) judged.push(standing);
  }
  return judged;
}

function denial(event: Call, obstacles: readonly say.Obstacle[], about: string, view: View): Verdict {
  const reason = isRepeated(event, about, view)
    ? say.repeatedText(obstacles, view)
    : say.denialText(obstacles, view);
  return { kind: 'deny', reason, grounds: obstacles.map((one) => say.groundsFor(one, view)) };
}

function untold({ name }: Requirement, why: string): Failure {
  return { code: 'effect.failed', guard: 'requirements', detail: `${name}: ${why}` };
}

function namesOf(obstacles: readonly say.Obstacle[]): string[] {
  return obstacles.map(({ requirement }) => requirement.name);
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
