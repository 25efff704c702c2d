import type { Event, EventOf } from '../../core/event';
import type { Context, Guard, Interest } from '../../core/guard';
import { sessionKey } from '../../core/text';
import { NOTHING, type Verdict } from '../../core/verdict';
import type { RequirementsConfig } from './config';
import { dangerText } from './messages';
import { asksForWork, atEnd, atStart, atStop, countUp, thinkFirst } from './session';
import { afterTool, beforeTool, satisfyBySkill } from './tools';
import { dangerOf, mayTrigger } from './triggers';
import { viewOf } from './view';

/** Holds an action until something has been done. */
export const guard: Guard<RequirementsConfig> = { name: 'requirements', interest, decide };

function interest(config: RequirementsConfig): readonly Interest[] {
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

async function decide(event: Event, config: RequirementsConfig, ctx: Context): Promise<Verdict> {
  if (!config.enabled && event.kind !== 'session.start') return NOTHING;
  if (event.kind === 'permission.request') return atPermissionRequest(event, config, ctx);
  // Not one file is read for an event that can do nothing here.
  if (sessionKey(event.sessionId) === undefined || isIrrelevant(event, config)) return NOTHING;
  const view = viewOf(event, config, ctx);
  if (view === undefined) return NOTHING;
  switch (event.kind) {
    case 'tool.before':
      return beforeTool(event, config, ctx, view);
    case 'tool.after':
      return afterTool(event, config, ctx, view);
    case 'turn.stop':
      return atStop(event, config, ctx, view);
    case 'session.start':
      return atStart(event, config, ctx, view);
    case 'session.end':
      return atEnd(event, config, ctx, view);
    case 'compact.before':
      countUp(ctx, view, 'compaction_count');
      return NOTHING;
    case 'prompt.submit':
      if (typedSkill(event) === '') return thinkFirst(config, ctx, view);
      satisfyBySkill(typedSkill(event), 'typed', config, ctx, view);
      return NOTHING;
    case 'prompt.expand':
      satisfyBySkill(event.name, 'typed', config, ctx, view);
      return NOTHING;
    default:
      return NOTHING;
  }
}

/** A prompt without a skill or work to think about, and a call whose tool no requirement names. */
function isIrrelevant(event: Event, config: RequirementsConfig): boolean {
  if (event.kind === 'prompt.submit')
    return typedSkill(event) === '' && !(config.thinkFirst.onPrompt && asksForWork(event));
  if (!('call' in event)) return false;
  const { skill, names } = event.call;
  const isPlan = names.includes('ExitPlanMode') || names.includes('EnterPlanMode');
  if (event.kind === 'tool.after' && (skill !== undefined || isPlan)) return false;
  return !mayTrigger(event.call, config.requirements);
}

/**
 * A skill that a person types is no tool call: only the prompt has it. What a subagent is told is a prompt too,
 * but an agent wrote it.
 */
function typedSkill({ text, origin }: EventOf<'prompt.submit'>): string {
  return origin === 'human' ? (/^\s*\/([\w:.-]+)(?:\s|$)/.exec(text)?.[1] ?? '') : '';
}

function atPermissionRequest(
  { call }: EventOf<'permission.request'>,
  { denyDangerous }: RequirementsConfig,
  ctx: Context,
): Verdict {
  if (!denyDangerous || call.command === undefined) return NOTHING;
  const danger = dangerOf(ctx.commandLines(call.command) ?? [], ctx.home);
  if (danger === undefined) return NOTHING;
  const grounds = [{ rule: 'hooks.permission_request.auto_deny_dangerous', fact: danger }];
  return { kind: 'deny', reason: dangerText(danger), grounds };
}
