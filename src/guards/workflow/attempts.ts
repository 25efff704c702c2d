import type { ToolCall } from '../../core/event';
import { agentNamed, isSetupCommand, plainAgentName, plainSkillName, skillVerb } from './delegation';
import { commandWords, type Facts } from './facts';

/** An attempt to leave the phase, with the first words of the call. */
type Attempt = { readonly tool: string; readonly words: string };

const WORDS_LENGTH = 80;

/** Arguments of the workflow's skill that mean that the phase is to be left. */
const ADVANCING = ['advance', 'gate', 'gate-check', 'proceed', 'next'];

/** Agents that only read: nothing that they are told makes the work go on. */
const READERS = ['explore', 'plan'];

/**
 * The call's attempt to leave the phase: the skill or the command that advances, or a delegation whose
 * words order it. `strictly` counts such words to any agent, else only those to agents outside of the phases,
 * since the agent of a phase may well be told what comes after it.
 */
export function advanceAttempt(facts: Facts, strictly: boolean): Attempt | undefined {
  const { call, event, delegation, phases } = facts;
  if (call === undefined || event.kind !== 'tool.before') return undefined;
  if (call.op === 'skill') return skillAttempt(facts, call);
  if (call.op === 'shell') {
    const line = commandWords(facts)?.find((words) => flowVerb(words) === 'advance');
    return line && { tool: call.nativeName, words: line.join(' ').slice(0, WORDS_LENGTH) };
  }
  const counts = ['orchestrator', 'generic', ...(strictly ? ['phase'] : [])].includes(delegation.kind);
  return counts ? saysTo(call, (text) => ordersToAdvance(text, phases)) : undefined;
}

/** A delegation that claims the work of the phase to be complete, to somebody who is to act on that. */
export function completionClaim({ call, event, delegation, phases }: Facts): Attempt | undefined {
  const acts = delegation.kind === 'orchestrator' || delegation.kind === 'generic';
  if (call === undefined || event.kind !== 'tool.before' || !acts) return undefined;
  return saysTo(call, (text) => claimsCompletion(text, phases));
}

function skillAttempt({ model }: Facts, call: ToolCall): Attempt | undefined {
  const skill = plainSkillName(call.skill ?? '');
  const owed = model.obligations.find((one) => one.skill === skill);
  if (owed === undefined || agentNamed(model, owed.agent)?.kind !== 'orchestrator') return undefined;
  const args = String(call.input['args'] ?? '');
  if (isSetupCommand(model, args) || !ADVANCING.includes(skillVerb(args) ?? '')) return undefined;
  return { tool: call.nativeName, words: `${skill} ${args}`.slice(0, WORDS_LENGTH) };
}

/** The delegation, where its prompt or description says so to an agent that does more than read. */
function saysTo(call: ToolCall, isSaid: (text: string) => boolean): Attempt | undefined {
  const { description } = call.input;
  const texts = [call.prompt ?? '', typeof description === 'string' ? description : ''];
  if (READERS.includes(plainAgentName(call.agentType ?? '')) || !texts.some(isSaid)) return undefined;
  const first = texts.find((text) => text.trim() !== '') ?? '';
  return { tool: call.nativeName, words: (first.trim().split('\n', 1)[0] ?? '').slice(0, WORDS_LENGTH) };
}

/** The commands that only a person may run on a workflow. */
const PERSONS = ['approve', 'suspend', 'cancel'] as const;

const PROGRAM = /(?:^|\/)holdpoint(?:@[^/]*|\.[cm]?[jt]s|\.cmd)?$/;
/** Programs that only print or search for the words they are given. Any other one may run them. */
const PRINTERS = 'echo printf grep egrep fgrep rg ag ack man which type'.split(' ');
/** A person's command in a text that a shell may read. */
const IN_TEXT = /\bholdpoint[\w.@-]{0,40}\s{1,20}flow\s{1,20}(approve|suspend|cancel)\b/;

/** Which `holdpoint flow` command the words run, be it through a runner such as `node` or `npx`. */
function flowVerb(words: readonly string[]): string | undefined {
  if (PRINTERS.includes(words[0] ?? '')) return undefined;
  for (const [at, word] of words.entries()) {
    if (!PROGRAM.test(word)) continue;
    const args = words.slice(at + 1);
    const [noun, verb] = args.filter((arg) => !arg.startsWith('-'));
    // Behind `--` nothing is an option.
    const options = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
    const asksForHelp = options.some((arg) => arg === '--help' || arg === '-h');
    if (noun === 'flow') return asksForHelp ? undefined : verb;
  }
  return undefined;
}

/**
 * The command in a line that only a person may run. `lines` is the line taken apart; where that could not be
 * done, a shell may be about to read any text in it.
 */
export function personCommand(command: string, lines: readonly (readonly string[])[] | undefined) {
  const verbs = lines === undefined ? [IN_TEXT.exec(command)?.[1]] : lines.map(flowVerb);
  return PERSONS.find((verb) => verbs.includes(verb));
}

/*
 * Orders and claims in the words of a prompt. They only serve to deny a delegation whose own words say that it
 * leaves the phase. What counts is a clause that begins with the order: "advance" does, "advanced options" and
 * a gate in a file name do not.
 */

const BEGIN =
  "(?:^|[.!?;:,\\n(]|\\b(?:and|then|please|now|just|also|finally|so|can|may|should|must|shall|will|could|let's|ready to|time to|you to|us to|want to|need to|going to|able to))\\s*";
const END = '(?=\\s*(?:$|[.!?;:,)\\n]))';
const KEEPING = '(?=\\s+(?:and|then|now|immediately|anyway|regardless)\\b)';
const UNNAMED = '(?![\\w-]|\\.\\w)';
const DONE = `(?:complete|completed|done|finished)${UNNAMED}`;
const TOWARDS = '(?:to|into|past|through|beyond)';
/** What follows is looked at by itself: it must be a phase or a gate. */
const REST = '(?=(?:the\\s+)?(.{1,60}))';

/** The groups are, in turn, where it goes to (four times) and what is declared done. */
const ORDER = anyOf([
  `advance(?:${END}|${KEEPING})`,
  `advance\\s+(?:(?:${TOWARDS}|this|our|from)\\s+)*${REST}`,
  `(?:proceed|move\\s+on)(?:${END}|(?=\\s+(?:anyway|regardless)\\b))`,
  `(?:proceed|move|move\\s+on|go|go\\s+on|continue|progress|skip|jump|transition|switch)\\s+(?:ahead\\s+|directly\\s+|straight\\s+)?${TOWARDS}\\s+${REST}`,
  '(?:start|begin|enter|initiate)\\s+(?:the\\s+)?next\\s+phase',
  `(?:pass|open|validate|check|run|evaluate|clear|request)\\s+(?:the\\s+)?(?:gate-\\d\\w*|gate\\s+(?:validation|check|review)|gate${UNNAMED}(?:${END}|${KEEPING}|(?=\\s+(?:for|of)\\b)))`,
  `hand\\s*(?:it\\s+|this\\s+)?(?:off|over)(?:${END}|\\s+to\\s+(?:the\\s+)?next\\s+agent|\\s+to\\s+${REST})`,
  `(?:declare|mark)\\s+((?:[\\w-]+\\s+){0,4}?)(?:as\\s+)?${DONE}`,
]);

/** The groups are what is declared done, and what is said to be so. */
const CLAIM = anyOf([
  `(?:declare|mark)\\s+((?:[\\w-]+\\s+){0,4}?)(?:as\\s+)?${DONE}`,
  `((?:[\\w-]+\\s+){1,4}?)(?:(?:is|are|has\\s+been)\\s+)?(?:now\\s+)?${DONE}`,
  `(?:(?:we\\s+are|it\\s+is|this\\s+is|is|are)\\s+)?ready\\s+for\\s+(?:the\\s+)?gate${UNNAMED}`,
  '(?:run\\s+|do\\s+|perform\\s+)?(?:the\\s+)?gate\\s+validation',
  'submit\\s+(?:\\S+\\s+){0,3}for\\s+review',
  'finali[sz]e\\s+(?:the\\s+|all\\s+)?artifacts',
]);

/** A clause with one of these before the order asks, forbids or reports, and orders nothing. */
const NO_ORDER =
  /\b(?:not|never|don't|cannot|can't|won't|without|before|until|unless|why|how|whether|what)\b/;
const NO_CLAIM =
  /\b(?:not|never|isn't|until|unless|when|once|if|after|before|whether|ensure|make|without|how|why)\b/;

/** Whether the words order whoever reads them to leave the phase. `phases` are the names that can be gone to. */
export function ordersToAdvance(text: string, phases: readonly string[]): boolean {
  const names = namesOf(phases);
  return finds(text, ORDER, NO_ORDER, ([, past, to, over, declared]) => {
    const target = past ?? to ?? over;
    if (target !== undefined) return isTarget(target, names);
    return declared === undefined || isSubject(declared, names, true);
  });
}

/** Whether the words claim that the work of a phase is complete. */
export function claimsCompletion(text: string, phases: readonly string[]): boolean {
  const names = [...namesOf(phases), 'implementation', 'testing', 'requirements'];
  return finds(text, CLAIM, NO_CLAIM, ([, declared, subject]) => {
    if (subject !== undefined) return isSubject(subject, names, false);
    return declared === undefined || isSubject(declared, names, true);
  });
}

function anyOf(clauses: readonly string[]): RegExp {
  return new RegExp(`${BEGIN}(?:${clauses.join('|')})`, 'g');
}

/** The phases as people name them: with the number, without it, and in plain words. */
function namesOf(phases: readonly string[]): readonly string[] {
  return phases.flatMap((phase) => {
    const name = phase.toLowerCase();
    const bare = name.replace(/^[0-9a-z]{2}-/, '');
    return [name, bare, bare.replaceAll('-', ' ')];
  });
}

const GENERAL_TARGET =
  /^(?:(?:next|following)\s+(?:phase|stage|gate|step)\b|(?:phase|gate|workflow)(?![\w-]|\.\w)|gate-\d)/;

function isTarget(text: string, names: readonly string[]): boolean {
  if (GENERAL_TARGET.test(text)) return true;
  return names.some((name) => text.startsWith(name) && !/^(?:[\w-]|\.\w)/.test(text.slice(name.length)));
}

/** `the implementation phase`, `phase 06`, or, where something is declared, words that name nothing. */
function isSubject(text: string, names: readonly string[], isDeclared: boolean): boolean {
  const words = text.trim().replace(/^(?:the|this) /, '');
  if (isDeclared && ['', 'it', 'everything'].includes(words)) return true;
  const unnumbered = words.replace(/ ?\bphase\b ?/, ' ').replace(/\b\d+\b/, '');
  const bare = unnumbered.trim();
  return bare === '' ? words.includes('phase') : names.includes(bare);
}

type IsMeant = (found: RegExpExecArray) => boolean;

function finds(text: string, pattern: RegExp, excluded: RegExp, isMeant: IsMeant): boolean {
  // Long runs of blanks are shortened: the patterns would take far too long on them.
  const short = text.replace(/[^\S\n]+/g, ' ').replace(/\n\s+/g, '\n');
  const plain = short.toLowerCase().replaceAll('’', "'");
  return [...plain.matchAll(pattern)].some((found) => {
    const clauses = plain.slice(0, found.index).split(/[.!?;:,\n]/);
    return isMeant(found) && !excluded.test(clauses.at(-1) ?? '');
  });
}
