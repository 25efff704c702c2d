import { documentKey } from '../../domain/document';
import type { Event } from '../../domain/event';
import { branchLabel } from '../../domain/git-head';
import type { Guard } from '../../domain/guard';
import { sessionKey } from '../../domain/session-key';
import { documentIn, type Needs, type Snapshot } from '../../domain/snapshot';
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
import { viewOf } from './view';

/** Hold an action until something has been done. */
export const guard: Guard<RequirementsConfig> = { name: 'requirements', interest, needs, decide, surelyEnds };

/** The patterns of a config are only ever run on commands. */
function surelyEnds(event: Event): boolean {
  return !('call' in event) || event.call.command === undefined;
}

/** A call that can set nothing off needs nothing: not one file is read for it. */
function needs(event: Event, config: RequirementsConfig, known: Snapshot): Needs {
  const key = sessionKey(event.sessionId);
  const call = 'call' in event ? event.call : undefined;
  if (event.kind === 'permission.request')
    return call?.command === undefined ? {} : { command: call.command };
  if (key === undefined || isIdle(event, config)) return {};
  const lookUp = (branch: string) => branchFile(branch, (ref) => documentIn(known, ref));
  const isParsed =
    call !== undefined && (event.kind === 'tool.after' || asksForCommand(call, config.requirements));
  const command = isParsed ? call.command : undefined;
  return {
    documents: [
      ...[...new Set([branchLabel(known.git), ...otherBranches(event, known, key)])].map(lookUp),
      metricsFile(key),
      pauseFile(key),
      ...(config.requirements.some(({ scope }) => scope === 'permanent') ? [PROJECT_FILE] : []),
      ...(config.requirements.some(({ type, evidence }) => type === 'dynamic' || evidence !== undefined)
        ? [VALUES_FILE]
        : []),
    ],
    sessions: wantsSessions(event, config, known),
    ...(command !== undefined && { command }),
  };
}

/** An event that watches for something which is plainly not there. */
function isIdle(event: Event, config: RequirementsConfig): boolean {
  if (event.kind === 'prompt.submit')
    return typedSkill(event) === '' && !(config.thinkFirst.onPrompt && asksForWork(event));
  if (!('call' in event)) return false;
  const { call } = event;
  const isPlan = call.names.some((name) => name === 'ExitPlanMode' || name === 'EnterPlanMode');
  if (event.kind === 'tool.after' && (call.skill !== undefined || isPlan)) return false;
  return !mayTrigger(call, config.requirements);
}

/** A stop asks about every branch that the session was seen on, a used pass about those that it was for. */
function otherBranches(event: Event, known: Snapshot, key: string): readonly string[] {
  const document = documentIn(known, metricsFile(key));
  const metrics = document.kind === 'present' ? document.value : undefined;
  if (event.kind === 'tool.after') return passBranches(event, metrics, known);
  return event.kind === 'turn.stop' || event.kind === 'session.end' ? branchesIn(metrics) : [];
}

/** The registry belongs to all projects, so it is read only when the session is due in it or others are asked for. */
function wantsSessions(event: Event, config: RequirementsConfig, known: Snapshot): boolean {
  if (event.kind === 'session.start') return true;
  if (event.kind !== 'tool.before' && event.kind !== 'turn.stop') return false;
  const asked = config.requirements.some(
    (one) => one.type === 'condition' && one.condition === 'single_session',
  );
  if (asked || event.kind === 'turn.stop') return asked;
  const key = sessionKey(event.sessionId) ?? '';
  const view = known.documents.has(documentKey(metricsFile(key))) ? viewOf(event, known) : undefined;
  return view !== undefined && isDue(view);
}
