import type { ToolCall } from '../../core/event';
import { agentNamed, isSetupCommand, plainSkillName, skillVerb } from './delegation';
import { commandWords, type Facts } from './facts';
import { isSamePhase } from './model';
import {
  claimsCompletion,
  opensWithAnOrder,
  ordersToAdvance,
  type PhaseNames,
  phaseNameVariants,
} from './orders';

/** An attempt to leave the phase, with the first words of the call. */
type Attempt = { readonly tool: string; readonly words: string };

const WORDS_LENGTH = 80;

/** Arguments of the workflow's skill that mean leaving the phase. */
const ADVANCING = ['advance', 'gate', 'gate-check', 'proceed', 'next'];

const QUOTED = /"[^"]*"/g;
const BETWEEN_COMMANDS = /[;&|\n]+\s*|^\s*(?:please|now)\s/i;

/** A completion claim to no named agent counts only in a prompt up to this length. */
const SHORT = 60;

/**
 * The call's attempt to leave the phase: a skill or command that advances, or an order to the orchestrator.
 * `strictly` also counts a delegation to any other agent that begins with the order.
 */
export function advanceAttempt(facts: Facts, strictly: boolean): Attempt | undefined {
  const { call, event, delegation } = facts;
  if (call === undefined || event.kind !== 'tool.before') return undefined;
  if (call.op === 'skill') return skillAttempt(facts, call);
  if (call.op === 'shell') {
    const line = commandWords(facts)?.find((words) => flowVerb(words) === 'advance');
    return line && { tool: call.nativeName, words: line.join(' ').slice(0, WORDS_LENGTH) };
  }
  if (call.op !== 'agent') return undefined;
  if (delegation.kind === 'orchestrator')
    return saysTo(call, (text) => ordersToAdvance(text, phaseNames(facts)));
  const counts = strictly && delegation.kind !== 'setup' && opensWithAnOrder(call.prompt ?? '');
  return counts ? saysTo(call, opensWithAnOrder) : undefined;
}

/** A delegation whose prompt claims that the phase is complete, to an agent that would act on it. */
export function completionClaim(facts: Facts): Attempt | undefined {
  const { call, event, delegation } = facts;
  if (call?.op !== 'agent' || event.kind !== 'tool.before') return undefined;
  const isShort = (call.agentType ?? '').trim() === '' && (call.prompt ?? '').length <= SHORT;
  if (delegation.kind !== 'orchestrator' && !isShort) return undefined;
  return saysTo(call, (text) => claimsCompletion(text, phaseNames(facts)));
}

/** Without a workflow, the earlier phases are unknown. */
function phaseNames({ model, phase, phases, nameable }: Facts): PhaseNames {
  const at = nameable.findIndex((name) => phase !== undefined && isSamePhase(model, name, phase));
  const from = phases.length > 0 ? Math.max(at, 0) : 0;
  return {
    past: phaseNameVariants(nameable.slice(0, from)),
    current: phaseNameVariants(phase === undefined ? [] : [phase, ...nameable.slice(at, at + 1)]),
    later: phaseNameVariants(nameable.filter((_, index) => index >= from && index !== at)),
  };
}

function skillAttempt({ model }: Facts, call: ToolCall): Attempt | undefined {
  const skill = plainSkillName(call.skill ?? '');
  const owed = model.obligations.find((one) => one.skill === skill);
  if (owed === undefined || agentNamed(model, owed.agent)?.kind !== 'orchestrator') return undefined;
  const args = String(call.input['args'] ?? '');
  const isMeant = (command: string): boolean =>
    !isSetupCommand(model, command) &&
    (ADVANCING.includes(skillVerb(command) ?? '') || opensWithAnOrder(command));
  if (!args.replace(QUOTED, ' ').split(BETWEEN_COMMANDS).some(isMeant)) return undefined;
  return { tool: call.nativeName, words: `${skill} ${args}`.slice(0, WORDS_LENGTH) };
}

/** The attempt, if the call's prompt or description passes the test. */
function saysTo(call: ToolCall, matches: (text: string) => boolean): Attempt | undefined {
  const { description } = call.input;
  const texts = [call.prompt ?? '', typeof description === 'string' ? description : ''];
  if (!texts.some(matches)) return undefined;
  const first = texts.find((text) => text.trim() !== '') ?? '';
  return { tool: call.nativeName, words: (first.trim().split('\n', 1)[0] ?? '').slice(0, WORDS_LENGTH) };
}

const PROGRAM = /(?:^|\/)holdpoint(?:@[^/]*|\.[cm]?[jt]s|\.cmd)?$/;
/** Programs that only print or search for their arguments. Any other program may run them. */
const PRINTERS = 'echo printf grep egrep fgrep rg ag ack man which type'.split(' ');

/** Which `holdpoint flow` command the words run, also through a runner such as `node` or `npx`. */
function flowVerb(words: readonly string[]): string | undefined {
  if (PRINTERS.includes(words[0] ?? '')) return undefined;
  for (const [at, word] of words.entries()) {
    if (!PROGRAM.test(word)) continue;
    const args = words.slice(at + 1);
    const [noun, verb] = args.filter((arg) => !arg.startsWith('-'));
    if (noun === 'flow') return args.includes('--help') ? undefined : verb;
  }
  return undefined;
}
