import type { Interest } from '../../core/guard';
import type { RequirementsConfig } from './config';

/** The events that this config has anything to say to. */
export function interest(config: RequirementsConfig): readonly Interest[] {
  const { requirements, stop, review, skills, denyDangerous, thinkFirst } = config;
  const start: Interest = { kind: 'session.start' };
  if (!config.enabled || requirements.length === 0 || config.reach === 'global-only') return [start];
  const consumed = toolsOf(requirements.filter(({ scope }) => scope === 'single_use'));
  const planTools = ['ExitPlanMode', ...(thinkFirst.onPlan ? ['EnterPlanMode'] : [])];
  const hasSkills = Object.keys(skills).length > 0;
  return [
    start,
    { kind: 'session.end' },
    { kind: 'compact.before' },
    { kind: 'tool.before', tools: toolsOf(requirements) },
    { kind: 'tool.after', tools: [...planTools, ...(hasSkills ? ['Skill'] : []), ...consumed] },
    ...(hasSkills || thinkFirst.onPrompt ? [{ kind: 'prompt.submit' } as const] : []),
    ...(hasSkills ? [{ kind: 'prompt.expand' } as const] : []),
    ...(stop.verify || review.onStop ? [{ kind: 'turn.stop' } as const] : []),
    ...(denyDangerous ? [{ kind: 'permission.request', tools: ['Bash'] } as const] : []),
  ];
}

function toolsOf(requirements: RequirementsConfig['requirements']): string[] {
  const names = requirements.flatMap(({ triggers }) => triggers.map(({ tool }) => tool));
  return [...new Set(names)];
}
