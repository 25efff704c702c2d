import type { Change } from '../../domain/document';
import type { EventOf } from '../../domain/event';
import type { Failure } from '../../domain/failure';
import { type Deliberation, outcome, type Step } from '../../domain/guard';
import { isJsonObject, type JsonObject } from '../../domain/json';
import { sha256Hex } from '../../domain/sha256';
import { documentIn, type Snapshot } from '../../domain/snapshot';
import type { ToolCall } from '../../domain/tool-call';
import { NOTHING } from '../../domain/verdict';
import { metricsChange, stateChange, valuesChange } from './change';
import type { Requirement, RequirementsConfig } from './config';
import { findingsOf } from './findings';
import * as say from './messages';
import { countRequirement, countTool, numberIn, objectIn } from './metrics';
import { inquiryFor, type Judging, type Standing, standingOf } from './obstacles';
import { isDue, registration } from './registration';
import { VALUES_FILE } from './session-files';
import { trigger } from './state';
import { isExempt, triggeredBy } from './triggers';
import type { View } from './view';

const REPEATED_SECONDS = 5;

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
  const kept = documentIn(snapshot, VALUES_FILE);
  const judging: Judging = {
    view,
    snapshot,
    findings: findingsOf(
      kept.kind === 'present' ? kept.value : undefined,
      effectResult,
      config.requirements,
      view.branch,
      view.owner.now,
    ),
    subject: call.nativeName,
  };
  const judged = set
    .filter(({ stopOnly }) => !stopOnly)
    .map((requirement): Judged => ({ requirement, standing: standingOf(requirement, judging) }));
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
    const changes = [...common, ...triggering(set, view), countAllowed(call, set, view)];
    return { kind: 'outcome', verdict: NOTHING, changes, troubles };
  }
  const names = obstacles.map(({ requirement }) => requirement.name);
  const about = subjectOf(obstacles, call.nativeName);
  const text = isRepeated(about, view) ? say.repeatedText(obstacles, view) : say.denialText(obstacles, view);
  return {
    kind: 'outcome',
    verdict: { kind: 'deny', reason: text, grounds: obstacles.map((one) => say.groundsFor(one, view)) },
    changes: [...common, countDenied(call, names, about, view)],
    troubles,
  };
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

function countAllowed(call: ToolCall, set: readonly Requirement[], view: View): Change {
  return metricsChange(view, (metrics) =>
    set.reduce<JsonObject>(
      (counted, { name }) => countRequirement(counted, name, 'triggered', view.owner.now),
      registered(countTool(metrics, toolUse(call, false)), view),
    ),
  );
}

function countDenied(call: ToolCall, names: readonly string[], about: string, view: View): Change {
  return metricsChange(view, (metrics) => {
    const counted = names.reduce<JsonObject>(
      (value, name) => countRequirement(value, name, 'blocked', view.owner.now),
      registered(countTool(metrics, toolUse(call, true)), view),
    );
    return { ...counted, last_denial: { about, at: view.owner.now } };
  });
}

/** Noted with the counts that the registry knows us; another process that was quicker has written the same. */
function registered(metrics: JsonObject, view: View): JsonObject {
  return isDue(view) ? { ...metrics, registered_at: view.owner.now } : metrics;
}

function toolUse(call: ToolCall, blocked: boolean) {
  const [file] = call.paths;
  return {
    tool: call.nativeName,
    blocked,
    ...(file !== undefined && { file }),
    ...(call.command !== undefined && { command: commandLabel(call.command) }),
  };
}

/** What kind of command it was. The rest of it may hold what is nobody's business, so it is not kept. */
function commandLabel(command: string): string {
  return /^\s*[\w./-]{1,40}(?: [a-z][\w-]{0,20})?/.exec(command)?.[0].trim() ?? '';
}

/** What a denial is about, whichever tool it was for: the same requirements for the same reasons. */
function subjectOf(obstacles: readonly say.Obstacle[], tool: string): string {
  const facts = obstacles.map(({ requirement, fact }) => `${requirement.name} ${fact.replace(tool, '')}`);
  return sha256Hex(facts.join('\n')).slice(0, 8);
}

/** Several calls of one message are denied one after the other; one full text is enough for all. */
function isRepeated(about: string, { metrics, owner }: View): boolean {
  const last = isJsonObject(metrics) ? objectIn(metrics, 'last_denial') : {};
  const age = owner.now - numberIn(last, 'at');
  return last['about'] === about && age >= 0 && age < REPEATED_SECONDS;
}
