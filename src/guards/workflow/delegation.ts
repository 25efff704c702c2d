import type { ToolCall } from '../../core/event';
import { type Agent, canonicalPhases, ownsPhase, type WorkflowModel } from './model';

/** `06-…` and `d3-…`: numbers that are not part of an agent's name. */
const AGENT_NUMBER = /^(?:\d{2}|[a-z]{1,2}\d)-(?=.)/;

/** An agent's name as the model spells it: without plugin, in lower case, with dashes between words. */
export function plainAgentName(given: string): string {
  const name = given.slice(given.lastIndexOf(':') + 1).trim();
  return name.toLowerCase().replace(/[\s_]+/g, '-');
}

/** The agent with this name, alias or numbered name. Names take precedence over aliases. */
export function agentNamed({ agents }: WorkflowModel, given: string): Agent | undefined {
  const called = (wanted: string): Agent | undefined =>
    agents.find(({ name }) => name === wanted) ?? agents.find(({ aliases }) => aliases.includes(wanted));
  const plain = plainAgentName(given);
  return called(plain) ?? called(plain.replace(AGENT_NUMBER, ''));
}

/** The name under which an agent is recorded: the model's, else the given one, normalised. */
export function notedName(model: WorkflowModel, given: string): string {
  return agentNamed(model, given)?.name ?? plainAgentName(given);
}

/** The phase under which an agent's work is recorded, and why the agent may work there. */
export function usageOf(model: WorkflowModel, agent: Agent | undefined, current: string) {
  if (agent === undefined) return { phase: '', reason: 'allowed' };
  if (ownsPhase(model, agent, current)) return { phase: current, reason: 'authorized-phase-match' };
  if (agent.kind === 'orchestrator') return { phase: 'all', reason: 'authorized-orchestrator' };
  if (agent.kind === 'setup') return { phase: 'setup', reason: 'allowed' };
  return { phase: agent.phases[0] ?? '', reason: 'cross-phase-usage' };
}

/**
 * Who a tool call delegates to, judged only by the agent's kind and by named phases: `generic` is an agent
 * that no workflow knows, `phase` an agent of phases or, without an agent, the phases that the prompt names.
 * A phase counts only if it is one of `known`, the phases of the active workflow.
 */
export function delegationOf(model: WorkflowModel, call: ToolCall | undefined, known: readonly string[]) {
  if (call?.op !== 'agent') return { kind: 'none', phases: [] } as const;
  const named = (call.agentType ?? '').trim();
  const inPrompt = named === '' ? phasesInPrompt(model, call.prompt ?? '', known) : [];
  if (inPrompt.length > 0) return { kind: 'phase', phases: inPrompt } as const;
  const agent = named === '' ? undefined : agentNamed(model, named);
  if (agent === undefined) return { kind: 'generic', phases: [] } as const;
  return { kind: agent.kind === 'sub' ? 'phase' : agent.kind, agent, phases: agent.phases };
}

const TAG = /^[ \t]*phase:[ \t]*(\S+)[ \t]*$/im;
/** Words such as `06-implementation`, but not as part of a file name, a path or a longer word. */
const PHASE_WORD = /(?<![\w./-])([0-9a-z]{2}-[a-z][a-z-]*)(?![\w/-]|\.\w)/g;
const PHASE_NUMBER = /\bphase[ \t]+(\d{2})(?![\w./-])/;

/** The phases that a prompt names in a line `phase: NAME`, else in its first line. */
function phasesInPrompt(model: WorkflowModel, prompt: string, known: readonly string[]): readonly string[] {
  const tagged = TAG.exec(prompt)?.[1];
  const line = (prompt.trimStart().split('\n', 1)[0] ?? '').toLowerCase();
  const words =
    tagged === undefined ? [...line.matchAll(PHASE_WORD)].map(([word]) => word) : [tagged.toLowerCase()];
  const named = words.flatMap((word) => knownPhase(model, word, known) ?? []);
  const number = tagged === undefined ? PHASE_NUMBER.exec(line)?.[1] : undefined;
  return named.length > 0 || number === undefined
    ? named
    : known.filter((phase) => phase.startsWith(`${number}-`));
}

/** The known phase with this name or alias. */
function knownPhase(model: WorkflowModel, word: string, known: readonly string[]): string | undefined {
  const meant = [word, ...canonicalPhases(model, word)];
  return known.find((phase) =>
    [phase, ...canonicalPhases(model, phase)].some((name) => meant.includes(name.toLowerCase())),
  );
}

/**
 * Whether the arguments of a workflow skill are one of the exact commands that belong to no workflow,
 * such as `status` or `configure-cloud`. Options may follow, further words may not.
 */
export function isSetupCommand(model: WorkflowModel, args: string): boolean {
  const words = wordsOf(args);
  const options = words.findIndex((word) => word.startsWith('-'));
  const command = (options < 0 ? words : words.slice(0, options)).join(' ');
  return model.setupCommands.includes(command);
}

/** The first word of a skill's arguments that is not an option. */
export function skillVerb(args: string): string | undefined {
  return wordsOf(args).find((word) => !word.startsWith('-'));
}

function wordsOf(args: string): string[] {
  return args.trim().toLowerCase().split(/\s+/);
}

/** A skill's name without slash and plugin. */
export function plainSkillName(given: string): string {
  const name = given.trim().toLowerCase().replace(/^\//, '');
  return name.slice(name.lastIndexOf(':') + 1);
}
