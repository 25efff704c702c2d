import type { ToolCall } from '../../core/tool-call';
import { agentNamed } from './agents';
import { canonicalPhases } from './look-up';
import type { Agent, WorkflowModel } from './model';

/** To whom a tool call hands work. Told by the agent's kind and by named phases, never by other words. */
export type Delegation =
  /** Not a delegation at all. */
  | { readonly kind: 'none' }
  /** To an agent that no workflow knows. */
  | { readonly kind: 'generic' }
  | { readonly kind: 'orchestrator'; readonly agent: Agent }
  | { readonly kind: 'setup'; readonly agent: Agent }
  /** To an agent's phases, or, without an agent, to the phase that the prompt names. */
  | { readonly kind: 'phase'; readonly agent: Agent | undefined; readonly phases: readonly string[] };

const NONE: Delegation = { kind: 'none' };
const GENERIC: Delegation = { kind: 'generic' };

/**
 * The delegation that a tool call is. A phase counts in its prompt only where no agent is named,
 * and only if it is one of `known`, the phases of the active workflow.
 */
export function delegationOf(model: WorkflowModel, call: ToolCall, known: readonly string[]): Delegation {
  if (call.op !== 'agent') return NONE;
  const named = (call.agentType ?? '').trim();
  if (named !== '') return toAgent(agentNamed(model, named));
  const phase = phaseInPrompt(model, call.prompt ?? '', known);
  return phase === undefined ? GENERIC : { kind: 'phase', agent: undefined, phases: [phase] };
}

function toAgent(agent: Agent | undefined): Delegation {
  if (agent === undefined) return GENERIC;
  switch (agent.kind) {
    case 'orchestrator':
    case 'setup':
      return { kind: agent.kind, agent };
    case 'phase':
    case 'sub':
      return { kind: 'phase', agent, phases: agent.phases };
  }
}

const TAG = /^[ \t]*phase:[ \t]*(\S+)[ \t]*$/im;

/** The phase that a prompt names in its first line or in a line `phase: NAME`. */
function phaseInPrompt(model: WorkflowModel, prompt: string, known: readonly string[]): string | undefined {
  const tagged = TAG.exec(prompt)?.[1];
  if (tagged !== undefined) return knownPhase(model, tagged.toLowerCase(), known);
  const line = prompt.trimStart().split('\n', 1)[0] ?? '';
  return phaseInLine(model, line.toLowerCase(), known);
}

/** Words such as `06-implementation`, but no file name, no path and no longer word around one. */
const PHASE_WORD = /(?<![\w./-])([0-9a-z]{2}-[a-z][a-z-]*)(?![\w/-]|\.\w)/g;
const PHASE_NUMBER = /\bphase[ \t]+(\d{2})(?![\w./-])/;

function phaseInLine(model: WorkflowModel, line: string, known: readonly string[]): string | undefined {
  for (const [, word = ''] of line.matchAll(PHASE_WORD)) {
    const phase = knownPhase(model, word, known);
    if (phase !== undefined) return phase;
  }
  const number = PHASE_NUMBER.exec(line)?.[1];
  return number === undefined ? undefined : known.find((phase) => phase.startsWith(`${number}-`));
}

/** The known phase that a word means, by its name or by another that it goes under. */
function knownPhase(model: WorkflowModel, word: string, known: readonly string[]): string | undefined {
  const meant = [word, ...canonicalPhases(model, word)];
  return known.find(
    (phase) =>
      meant.includes(phase.toLowerCase()) ||
      canonicalPhases(model, phase).some((name) => meant.includes(name.toLowerCase())),
  );
}

/**
 * Whether what follows a workflow skill's name is one of the exact commands that belong to no workflow,
 * such as `status` or `configure-cloud`. Options may follow, further words may not.
 */
export function isSetupCommand(model: WorkflowModel, args: string): boolean {
  const words = args.trim().toLowerCase().split(/\s+/);
  const options = words.findIndex((word) => word.startsWith('-'));
  const command = (options < 0 ? words : words.slice(0, options)).join(' ');
  return model.setupCommands.includes(command);
}

/** A skill's name without the slash and the plugin that brings it. */
export function plainSkillName(given: string): string {
  const name = given.trim().toLowerCase().replace(/^\//, '');
  return name.slice(name.lastIndexOf(':') + 1);
}
