import type { ToolCall } from '../../core/tool-call';
import { agentNamed, plainAgentName } from './agents';
import { isSetupCommand, plainSkillName } from './delegation';
import type { Facts } from './facts';
import { flowVerb } from './flow-commands';
import { claimsCompletion, ordersToAdvance } from './orders';

/** An attempt to leave the phase. */
export interface Attempt {
  readonly tool: string;
  /** What was asked for, in a few words of the call. */
  readonly words: string;
}

const WORDS_LENGTH = 80;

/** What follows the workflow's skill and means that the phase is to be left. */
const ADVANCING = ['advance', 'gate', 'gate-check', 'proceed', 'next'];

/** Agents that only read: nothing that they are told makes the work go on. */
const READERS = ['explore', 'plan'];

/**
 * The call's attempt to leave the phase: the skill or the command that advances, or a delegation whose
 * words order it. `strictly` counts such words to any agent, else only those to agents outside of the phases,
 * since the agent of a phase may well be told what comes after it.
 */
export function advanceAttempt(facts: Facts, strictly: boolean): Attempt | undefined {
  const { call, event } = facts;
  if (call === undefined || event.kind !== 'tool.before') return undefined;
  switch (call.op) {
    case 'skill':
      return skillAttempt(facts, call);
    case 'shell':
      return commandAttempt(facts, call);
    case 'agent':
      return strictly || facts.delegation.kind !== 'phase' ? orderAttempt(facts, call) : undefined;
    default:
      return undefined;
  }
}

/** A delegation that claims the work of the phase to be complete, to somebody who is to act on that. */
export function completionClaim({ call, event, delegation, phases }: Facts): Attempt | undefined {
  if (call === undefined || event.kind !== 'tool.before' || call.op !== 'agent') return undefined;
  const acts = delegation.kind === 'orchestrator' || delegation.kind === 'generic';
  if (!acts || isReader(call)) return undefined;
  return textsOf(call).some((text) => claimsCompletion(text, phases)) ? attemptOf(call) : undefined;
}

function orderAttempt({ phases, delegation }: Facts, call: ToolCall): Attempt | undefined {
  if (delegation.kind === 'setup' || isReader(call)) return undefined;
  return textsOf(call).some((text) => ordersToAdvance(text, phases)) ? attemptOf(call) : undefined;
}

function skillAttempt({ model }: Facts, call: ToolCall): Attempt | undefined {
  const skill = plainSkillName(call.skill ?? '');
  const owed = model.obligations.find((one) => one.skill === skill);
  if (owed === undefined || agentNamed(model, owed.agent)?.kind !== 'orchestrator') return undefined;
  const args = String(call.input['args'] ?? '');
  if (isSetupCommand(model, args)) return undefined;
  const verb = args
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .find((word) => !word.startsWith('-'));
  if (verb === undefined || !ADVANCING.includes(verb)) return undefined;
  return { tool: call.nativeName, words: `${skill} ${args}`.slice(0, WORDS_LENGTH) };
}

function commandAttempt({ commandLines = [] }: Facts, call: ToolCall): Attempt | undefined {
  const line = commandLines.find((words) => flowVerb(words) === 'advance');
  return line && { tool: call.nativeName, words: line.join(' ').slice(0, WORDS_LENGTH) };
}

function isReader({ agentType = '' }: ToolCall): boolean {
  return READERS.includes(plainAgentName(agentType));
}

function textsOf(call: ToolCall): string[] {
  const { description } = call.input;
  return [call.prompt ?? '', typeof description === 'string' ? description : ''];
}

function attemptOf(call: ToolCall): Attempt {
  const [text = ''] = textsOf(call).filter((one) => one.trim() !== '');
  return { tool: call.nativeName, words: (text.trim().split('\n', 1)[0] ?? '').slice(0, WORDS_LENGTH) };
}
