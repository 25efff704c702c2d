import { isoTime } from '../../../core/text';
import { agentNamed, notedName, notedPhase } from '../agents';
import { noting, type Rule } from '../finding';
import { samePhase } from '../look-up';
import type { AgentKind } from '../model';
import { currentPhase, skillEnforcement } from '../state';
import { usage } from '../state-notes';

const FIRST_PHASE = '01-requirements';
const STATUS: ReadonlyMap<string, string> = new Map([
  ['warn', 'warned'],
  ['audit', 'audited'],
]);

/** Keeps who was delegated to, and in which phase. One that failed handed nothing over. */
export const logSkillUsage: Rule = ({ event, call, state, model, now }) => {
  if (event.kind !== 'tool.after' || call?.op !== 'agent' || event.outcome === 'failure') return undefined;
  const given = call.agentType;
  if (given === undefined || state === undefined) return undefined;
  const { enabled, mode } = skillEnforcement(state);
  if (!enabled) return undefined;
  const current = currentPhase(state) ?? FIRST_PHASE;
  const agent = agentNamed(model, given);
  const phase = notedPhase(model, agent, current);
  const reason = reasonFor(agent?.kind, samePhase(model, phase, current));
  const { description } = call.input;
  const name = notedName(model, given);
  const entry = {
    timestamp: isoTime(now),
    agent: name,
    agent_phase: phase,
    current_phase: current,
    description: typeof description === 'string' && description !== '' ? description : 'N/A',
    status: reason === 'cross-phase-usage' ? (STATUS.get(mode) ?? 'observed') : 'executed',
    reason,
    enforcement_mode: mode,
    external_skills_registered: 0,
    ...(call.callId !== undefined && { tool_use_id: call.callId }),
  };
  return noting(`${name} was delegated to`, usage(entry));
};

function reasonFor(kind: AgentKind | undefined, inPhase: boolean): string {
  if (inPhase) return 'authorized-phase-match';
  switch (kind) {
    case undefined:
      return 'allowed';
    case 'orchestrator':
      return 'authorized-orchestrator';
    case 'setup':
      return 'allowed';
    case 'phase':
    case 'sub':
      return 'cross-phase-usage';
  }
}
