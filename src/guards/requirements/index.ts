import { type DocumentRef, documentKey } from '../../core/document';
import type { Event } from '../../core/event';
import { branchLabel } from '../../core/git-head';
import { fromSnapshots } from '../../core/old-guard';
import { sessionKey } from '../../core/session-key';
import { documentIn, type Needs, type Snapshot } from '../../core/snapshot';
import type { ToolCall } from '../../core/tool-call';
import { branchFile, PROJECT_FILE } from './branch-file';
import type { RequirementsConfig } from './config';
import { decide, typedSkill } from './decide';
import { interest } from './interest';
import { branchesIn } from './metrics';
import { passBranches } from './pass-branches';
import { isDue } from './registration';
import { metricsFile, pauseFile, VALUES_FILE } from './session-files';
import { asksForWork } from './think-first';
import { asksForCommand, mayTrigger } from './triggers';
import { presentValue, secondsOf } from './view';

/** Hold an action until something has been done. */
export const guard = fromSnapshots<RequirementsConfig>({ name: 'requirements', interest, needs, decide });

/** A call that can set nothing off needs nothing: not one file is read for it. */
function needs(event: Event, config: RequirementsConfig, known: Snapshot): Needs {
  const key = sessionKey(event.sessionId);
  const call = 'call' in event ? event.call : undefined;
  if (event.kind === 'permission.request')
    return call?.command === undefined ? {} : { command: call.command };
  if (key === undefined || isIdle(event, config)) return {};
  const isParsed =
    call?.command !== undefined && (event.kind === 'tool.after' || asksForCommand(call, config.requirements));
  const documents = documentsFor(event, config, known, key);
  const sessions = wantsSessions(event, config, known, key);
  return isParsed ? { documents, sessions, command: call.command } : { documents, sessions };
}

function documentsFor(
  event: Event,
  { requirements }: RequirementsConfig,
  known: Snapshot,
  key: string,
): DocumentRef[] {
  // Theirs is the lowest directory: once it is looked at, nothing is left to look at above it.
  const documents: DocumentRef[] = [metricsFile(key), pauseFile(key)];
  for (const branch of new Set([branchLabel(known.git), ...otherBranches(event, known, key)])) {
    documents.push(branchFile(branch, (ref) => documentIn(known, ref)));
  }
  if (requirements.some(({ scope }) => scope === 'permanent')) documents.push(PROJECT_FILE);
  if (requirements.some(({ type, evidence }) => type === 'dynamic' || evidence !== undefined)) {
    documents.push(VALUES_FILE);
  }
  return documents;
}

/** An event that watches for something which is plainly not there. */
function isIdle(event: Event, config: RequirementsConfig): boolean {
  if (event.kind === 'prompt.submit')
    return typedSkill(event) === '' && !(config.thinkFirst.onPrompt && asksForWork(event));
  if (!('call' in event)) return false;
  const { call } = event;
  if (event.kind === 'tool.after' && (call.skill !== undefined || isPlan(call))) return false;
  return !mayTrigger(call, config.requirements);
}

function isPlan({ names }: ToolCall): boolean {
  return names.some((name) => name === 'ExitPlanMode' || name === 'EnterPlanMode');
}

/** A stop asks about every branch that the session was seen on, a used pass about those that it was for. */
function otherBranches(event: Event, known: Snapshot, key: string): readonly string[] {
  if (event.kind === 'tool.before') return [];
  const metrics = presentValue(documentIn(known, metricsFile(key)));
  if (event.kind === 'tool.after') return passBranches(event, metrics, known);
  return event.kind === 'turn.stop' || event.kind === 'session.end' ? branchesIn(metrics) : [];
}

/** The registry belongs to all projects, so it is read only when the session is due in it or others are asked for. */
function wantsSessions(event: Event, config: RequirementsConfig, known: Snapshot, key: string): boolean {
  if (event.kind === 'session.start') return true;
  if (event.kind !== 'tool.before' && event.kind !== 'turn.stop') return false;
  const asked = config.requirements.some(
    (one) => one.type === 'condition' && one.condition === 'single_session',
  );
  if (asked || event.kind === 'turn.stop') return asked;
  const counts = known.documents.get(documentKey(metricsFile(key)));
  return counts !== undefined && isDue(presentValue(counts), branchLabel(known.git), secondsOf(known));
}
