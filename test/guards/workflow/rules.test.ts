import { describe, expect, it } from 'vitest';
import type { FileFact } from '../../../src/core/guard';
import { RULES } from '../../../src/guards/workflow/index';
import { needsPlan, ownersOf, RULE_NAMES } from '../../../src/guards/workflow/model';
import {
  modelProviderRouter,
  phaseLoopController,
  phaseSequenceGuard,
  planSurfacer,
  skillValidator,
} from '../../../src/guards/workflow/rules/delegations';
import { delegating, eventOf, factsFor, inPhase, MODEL, NOW } from './facts-rig';

const EVERY_PHASE = MODEL.workflows.flatMap(({ name, phases }) =>
  phases.map((phase) => [name, phase] as const),
);

describe('every phase of every workflow', () => {
  it.each(EVERY_PHASE)('%s, %s: can be worked on by its owner', (workflow, phase) => {
    const [owner] = ownersOf(MODEL, phase);
    expect(owner, 'has an owner').toBeDefined();
    const facts = factsFor(delegating(owner?.name ?? ''), inPhase(workflow, phase));
    for (const name of RULE_NAMES) expect(RULES[name](facts), name).toBeUndefined();
  });

  it.each(EVERY_PHASE)('%s, %s: is closed to everybody before it is begun', (workflow, phase) => {
    const [owner] = ownersOf(MODEL, phase);
    const facts = factsFor(delegating(owner?.name ?? ''), inPhase(workflow, phase, 'pending'));
    const isPhaseWork = owner?.kind === 'phase';
    expect(phaseLoopController(facts)?.weight).toBe(isPhaseWork ? 'deny' : undefined);
  });

  it.each(EVERY_PHASE)('%s, %s: asks for a plan only where one is made', (workflow, phase) => {
    const [owner] = ownersOf(MODEL, phase);
    const missing: FileFact = { kind: 'missing' };
    const facts = factsFor(delegating(owner?.name ?? ''), inPhase(workflow, phase), {
      files: { 'docs/isdlc/tasks.md': missing, '.isdlc/tasks.md': missing },
    });
    expect(planSurfacer(facts) !== undefined).toBe(
      needsPlan(MODEL, workflow, phase) && owner?.kind === 'phase',
    );
  });
});

describe('every agent', () => {
  it.each(
    MODEL.agents
      .filter(({ kind }) => kind === 'phase' || kind === 'sub')
      .map(({ name, phases }) => [name, phases] as const),
  )('%s works in its own phases and in no other', (agent, own) => {
    for (const phase of MODEL.phases) {
      const facts = factsFor(delegating(agent), inPhase('feature', phase.name));
      const finding = phaseSequenceGuard(facts);
      expect(finding === undefined, phase.name).toBe(own.includes(phase.name));
      if (finding !== undefined) expect(finding.text).toContain(`Current phase: ${phase.name}`);
    }
  });

  it.each(['constructor', '__proto__', 'toString', ' ', ':', 'hasOwnProperty'])(
    'odd names are nobody: %j',
    (name) => {
      const facts = factsFor(delegating(name), inPhase('feature', '03-architecture'));
      for (const name of RULE_NAMES) expect(RULES[name](facts)).toBeUndefined();
    },
  );
});

describe('the plan', () => {
  const state = {
    active_workflow: {
      type: 'feature',
      current_phase: '06-implementation',
      started_at: '2026-03-01T09:00:00Z',
    },
    phases: { '06-implementation': { status: 'in_progress' } },
  };
  const file = (minutesAgo: number, text = 'x'): FileFact => {
    return { kind: 'file', size: text.length, mtimeMs: NOW - minutesAgo * 60_000, text };
  };

  it.each<[string, FileFact, string | undefined]>([
    ['written since', file(10), undefined],
    ['written a moment before', file(60.5), undefined],
    ['of an earlier workflow', file(120), 'older than this workflow'],
    ['without a letter', file(1, ' \n'), 'is empty'],
    ['that is a directory', { kind: 'directory', mtimeMs: NOW }, 'there is none'],
  ])('%s', (_, fact, trouble) => {
    const facts = factsFor(delegating('developer'), state, { files: { 'docs/isdlc/tasks.md': fact } });
    const text = planSurfacer(facts)?.text;
    if (trouble === undefined) expect(text).toBeUndefined();
    else expect(text).toContain(trouble);
  });
});

describe('the manifest', () => {
  it.each([
    ['unreadable', 'block', true],
    ['unreadable', 'allow', false],
    ['builtin', 'block', false],
    ['file', 'block', false],
  ] as const)('%s with fail_behavior %s', (manifest, fail_behavior, denies) => {
    const facts = factsFor(
      delegating('Explore'),
      { skill_enforcement: { fail_behavior } },
      { model: { ...MODEL, manifest } },
    );
    expect(skillValidator(facts)?.text.startsWith('SKILL ENFORCEMENT ERROR:') ?? false).toBe(denies);
  });
});

describe('the model of a delegation', () => {
  const routes = {
    byAgent: { 'qa-engineer': 'opus' },
    byPhase: { '06-implementation': 'haiku' },
    otherwise: 'sonnet',
  };
  const model = { ...MODEL, routes };
  const routed = (agent: string, phase: string): unknown =>
    modelProviderRouter(factsFor(delegating(agent), inPhase('feature', phase), { model }))?.input?.['model'];

  it('is that of the agent, of the phase, or of all others', () => {
    expect(routed('QA', '06-implementation')).toBe('opus');
    expect(routed('developer', '06-implementation')).toBe('haiku');
    expect(routed('solution-architect', '03-architecture')).toBe('sonnet');
  });

  it('stays where somebody has asked for one, and where nobody routes', () => {
    const asked = eventOf({
      hook_event_name: 'PreToolUse',
      tool_name: 'Task',
      tool_input: { subagent_type: 'qa', prompt: 'x', model: 'haiku' },
    });
    expect(modelProviderRouter(factsFor(asked, {}, { model }))).toBeUndefined();
    expect(modelProviderRouter(factsFor(delegating('qa'), {}))).toBeUndefined();
  });

  it('keeps the rest of the input', () => {
    const facts = factsFor(delegating('qa', 'look'), {}, { model });
    expect(modelProviderRouter(facts)?.input).toEqual({ subagent_type: 'qa', prompt: 'look', model: 'opus' });
  });
});

it('no rule stumbles over a state of odd kinds', () => {
  const odd = [[], 3, 'x', true, null, {}].flatMap((value) => [
    {
      active_workflow: value,
      phases: value,
      skill_usage_log: value,
      pending_delegation: value,
      discovery_context: value,
    },
    {
      active_workflow: { type: value, current_phase: value, git_branch: value, phases: value },
      phases: { x: value },
    },
  ]);
  const events = [
    delegating('developer', 'advance'),
    eventOf({ hook_event_name: 'Stop', stop_hook_active: false }),
    eventOf({
      hook_event_name: 'PostToolUse',
      tool_name: 'Task',
      tool_input: null,
      tool_response: [null, 3],
    }),
    eventOf({
      hook_event_name: 'PostToolUse',
      tool_name: 'AskUserQuestion',
      tool_input: 3,
      tool_response: 3,
    }),
    eventOf({ hook_event_name: 'UserPromptSubmit', prompt: '/sdlc feature' }),
    eventOf({ hook_event_name: 'PreToolUse', tool_name: 'Skill', tool_input: { skill: 'sdlc', args: 3 } }),
  ];
  for (const state of odd) {
    for (const event of events) {
      const facts = factsFor(event, state as never);
      for (const name of RULE_NAMES) {
        const finding = RULES[name](facts);
        for (const note of [...(finding?.records ?? []), ...(finding?.onRefusal ?? [])]) {
          expect(() => note.apply(state as never), name).not.toThrow();
        }
      }
    }
  }
});
