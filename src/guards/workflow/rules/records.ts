import { objectAt, textAt, withMembersAt } from '../../../config/pointer';
import { WRITING_OPERATIONS } from '../../../core/effect-kinds';
import type { Event, EventOf } from '../../../core/event';
import { isJsonObject, type Json } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { agentNamed, notedName, usageOf } from '../delegation';
import { commandEffects, elsewhereText, type Facts, type Finding, noteFinding, type Rule } from '../facts';
import { isTestedFile, projectAt } from '../place';
import {
  currentPhase,
  evidencePath,
  type Interaction,
  interaction,
  type State,
  skillEnforcement,
  usage,
} from '../state';

/** Records delegations and their phases. A failed delegation handed nothing over. */
export const logSkillUsage: Rule = ({ event, call, state, model, ctx, workflow }) => {
  if (event.kind !== 'tool.after' || call?.op !== 'agent' || event.outcome === 'failure') return undefined;
  const { enabled, mode } = skillEnforcement(state);
  const given = call.agentType;
  if (given === undefined || state === undefined || !enabled) return undefined;
  const current = currentPhase(state) ?? '01-requirements';
  const { phase, reason } = usageOf(model, agentNamed(model, given), current);
  const { description } = call.input;
  const name = notedName(model, given);
  const unexpected = mode === 'warn' ? 'warned' : mode === 'audit' ? 'audited' : 'observed';
  const entry = {
    timestamp: isoTime(ctx.now),
    agent: name,
    agent_phase: phase,
    current_phase: current,
    description: typeof description === 'string' && description !== '' ? description : 'N/A',
    status: reason === 'cross-phase-usage' ? unexpected : 'executed',
    reason,
    enforcement_mode: mode,
    external_skills_registered: 0,
    // While a workflow is suspended, nothing is done for it.
    workflow_started_at: workflow?.startedAt === undefined ? null : isoTime(workflow.startedAt),
    ...(call.callId !== undefined && { tool_use_id: call.callId }),
  };
  return noteFinding(`${name} was delegated to`, usage(entry));
};

/** The choices of a menu, by letter. */
const CHOICES = new Map(Object.entries({ a: 'adjust', r: 'refine', c: 'continue', s: 'save', x: 'exit' }));

const MENU_ITEMS = ['[A] Adjust', '[R] Refine', '[C] Continue', '[S] Save', '[X] Exit'];
const MENU_PROMPTS = ['your choice:', 'enter selection'];

/** Counts the questions that the user answered in a phase with elicitation, and keeps their last choice. */
export const menuTracker: Rule = ({ event, phase, asked, workflow, ctx, state }) => {
  if (workflow === undefined || phase === undefined || asked.elicitation === undefined) return undefined;
  const seen = interactionIn(event);
  if (seen === undefined) return undefined;
  const note = interaction(phase, seen, asked.elicitation.minInteractions, isoTime(ctx.now));
  return note.apply(state ?? {}) === state ? undefined : noteFinding(note.what, note);
};

/** A call of the question tool, a menu that an agent shows, or the user's plain answer to one. */
function interactionIn(event: Event): Interaction | undefined {
  if (event.kind === 'prompt.submit') {
    const selection = event.origin === 'human' ? choiceIn(event.text) : undefined;
    return selection === undefined ? undefined : { answers: true, selection };
  }
  if (event.kind === 'turn.stop') return isMenu(event.lastMessage ?? '') ? { asks: true } : undefined;
  return event.kind === 'tool.after' && event.outcome !== 'failure' ? interactionOfCall(event) : undefined;
}

function interactionOfCall({ call, response }: EventOf<'tool.after'>): Interaction | undefined {
  const { callId } = call;
  if (call.names.includes('AskUserQuestion')) {
    const given = answersIn(response.raw);
    const takesLetters = offersMenu(call.input['questions'] ?? null);
    const clear = given?.filter((text) => takesLetters || text.length >= SHORTEST_CHOICE);
    const selection = clear?.flatMap((text) => choiceIn(text) ?? [])[0];
    return { asks: true, answers: given !== undefined, selection, callId };
  }
  return call.op === 'agent' && isMenu(response.text ?? '') ? { asks: true, callId } : undefined;
}

function isMenu(text: string): boolean {
  const items = MENU_ITEMS.filter((item) => text.includes(item));
  const prompts = MENU_PROMPTS.filter((prompt) => text.toLowerCase().includes(prompt));
  return items.length + prompts.length >= 2;
}

const SHORTEST_CHOICE = 4;

/** Whether questions offer the menu's choices. A letter may mean anything else, such as a size. */
function offersMenu(questions: Json): boolean {
  const texts = textsIn(questions);
  const choices = texts.filter((text) => text.length >= SHORTEST_CHOICE && choiceIn(text) !== undefined);
  return choices.length >= 2 || texts.some(isMenu);
}

/** `[S]`, `s`, `Save` or `[S] Save`, but nothing that merely begins with such a letter. */
function choiceIn(text: string): string | undefined {
  const plain = text.toLowerCase().replace(/[[\]().]/g, ' ');
  const words = plain.trim().split(/\s+/);
  const [first = '', second] = words;
  const chosen = CHOICES.get(first);
  if (words.length === 1) return chosen ?? [...CHOICES.values()].find((word) => word === first);
  return second === chosen ? chosen : undefined;
}

const UNANSWERED =
  /^(?:the )?user (?:has )?(?:declined|dismissed|rejected|cancell?ed|did(?: not|n't)|does(?: not|n't)|chose not)\b/i;

/** The user's answers; `undefined` if there are none. */
function answersIn(value: Json): string[] | undefined {
  if (!isJsonObject(value))
    return textsIn(value).some((text) => UNANSWERED.test(text)) ? undefined : textsIn(value);
  const { questions, answers } = value;
  if (questions === undefined && answers === undefined)
    return answersIn(Object.values(value).map((one) => one ?? null));
  const given = textsIn(answers ?? null).filter((text) => text.trim() !== '' && !UNANSWERED.test(text));
  return given.length === 0 ? undefined : given;
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object'
    ? Object.values(value).flatMap((one) => textsIn(one ?? null))
    : [];
}

/** Whether the call was a discovery that has ended; in the background it has only begun. */
function hasDiscovered({ event, call, model }: Facts): boolean {
  if (event.kind !== 'tool.after' || call?.op !== 'agent' || event.outcome !== 'success') return false;
  const isEnded = call.background !== true && (event.response.text ?? '').trim() !== '';
  return isEnded && agentNamed(model, call.agentType ?? '')?.name === 'discover-orchestrator';
}

/** Warns if discovery ended without a walk through the constitution. */
export const walkthroughTracker: Rule = (facts) => {
  const context = objectAt(facts.state, ['discovery_context']);
  if (!hasDiscovered(facts) || context === undefined || context['walkthrough_completed'] === true)
    return undefined;
  const text = [
    '[walkthrough-tracker] WARNING: Discovery completed without constitution walkthrough.',
    'Next: go through the constitution with the user before you start a workflow.',
  ].join('\n');
  return { weight: 'warn', text, fact: 'there was no constitution walkthrough' };
};

const SHORTEST_MENU = 50;

/** The options of discovery menus: those of a first discovery, of a later one, and removed ones. */
const OPTIONS = {
  'Chat / Explore': /^(?:chat|explore)/i,
  'New Project': /^new\s+project/i,
  'Existing Project': /^existing\s+project/i,
  'Re-discover (full)': /^re-?discover\s*\(full/i,
  'Re-discover (incremental)': /^re-?discover\s*\(incr/i,
  'Scoped Analysis': /^scoped\s+analysis/i,
  'Auto-detect': /^auto[- ]?detect/i,
};
type Options = readonly (keyof typeof OPTIONS)[];
const FIRST: Options = ['New Project', 'Existing Project', 'Chat / Explore'];
const AGAIN: Options = ['Re-discover (full)', 'Re-discover (incremental)', 'Chat / Explore'];
const REMOVED: Options = ['Scoped Analysis', 'Auto-detect'];

/** Warns if discovery shows a wrong menu. A numbered report is not a menu. */
export const discoverMenuGuard: Rule = (facts) => {
  const { event, call } = facts;
  if (event.kind !== 'tool.after' || !hasDiscovered(facts)) return undefined;
  const fault = [event.response.text ?? '', call?.prompt ?? '']
    .filter((text) => text.length >= SHORTEST_MENU)
    .map((text) => menuFault(labelsIn(text)))
    .find((lines) => lines !== undefined);
  if (fault === undefined) return undefined;
  const text = ['[discover-menu-guard] WARNING: Incorrect discover menu detected.', ...fault].join('\n');
  return { weight: 'warn', text, fact: 'discovery showed a wrong menu' };
};

/** What is wrong with a discovery menu; `undefined` if it is right, or a menu of something else. */
function menuFault(menu: readonly string[]): readonly string[] | undefined {
  const has = (option: Options[number]): boolean => menu.some((label) => OPTIONS[option].test(label));
  if (new Set([...FIRST, ...AGAIN, ...REMOVED].filter(has)).size < 2) return undefined;
  const removed = REMOVED.filter(has);
  const [missing = []] = [FIRST, AGAIN]
    .map((options) => options.filter((option) => !has(option)))
    .sort((a, b) => a.length - b.length);
  const lines = [
    ...(missing.length > 0 ? [`Missing options: ${missing.join(', ')}`] : []),
    ...(removed.length > 0 ? [`Found removed options: ${removed.join(', ')}`] : []),
  ];
  return lines.length === 0 ? undefined : lines;
}

const MARK = /(?:^|(?<=\s))(?:\[\d{1,2}\]|\d{1,2}[.)]|option\s+\d{1,2}[:.)]?)\s+/gi;
const LONGEST_LABEL = 80;

/** The short labels of numbered options in a text. The sentences of a numbered report are longer. */
export function labelsIn(text: string): string[] {
  const marks = [...text.matchAll(MARK)];
  return marks
    .map((mark, at) => labelOf(text.slice(mark.index + mark[0].length, marks[at + 1]?.index)))
    .filter((label) => label.length <= LONGEST_LABEL);
}

/** The first line, without Markdown for bold text or a list. */
function labelOf(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  const unlisted = line.replace(/^[*_`\-\s]+/, '');
  return unlisted.replace(/[*_`]/g, '').trim();
}

/** Records the test runs of a phase. A later failure or edit invalidates an earlier pass. */
export const testWatcher: Rule = (facts) => {
  const watch = watchOf(facts);
  if (watch === undefined) return undefined;
  const { verdict, elsewhere } = watch;
  if (elsewhere === undefined)
    return verdict ? facts.ctx.part('test-run').runFinding(facts, watch, verdict) : editFinding(facts, watch);
  const text = `TESTS NOT RECORDED: ${elsewhere}`;
  return verdict && { weight: 'warn', text, fact: 'tests ran on another branch' };
};

/** Whether the git tree is needed, since a pass is recorded with it. */
export function watcherWantsTree(facts: Facts): boolean {
  return watchOf(facts)?.verdict?.result === 'passed';
}

/** A tool call in a phase whose gate requires tests; `verdict` is about the tests it ran, if any. */
function watchOf(facts: Facts) {
  const { event, workflow, phase } = facts;
  const asked = facts.asked.tests;
  const { projectRoot, git } = facts.ctx;
  if (event.kind !== 'tool.after' || !workflow || !phase || asked === undefined) return undefined;
  const effects = commandEffects(facts);
  // The work tree may be outside the project's directory.
  const roots = git === undefined ? [projectRoot] : [projectRoot, git.root];
  const ran = effects !== undefined && effects.tests.length > 0 ? effects : undefined;
  const isOther = (path: string): boolean => isOtherProject(facts, path);
  const verdict = ran && facts.ctx.part('test-run').testVerdict(event, ran, roots, isOther);
  return { event, phase, asked, verdict, elsewhere: elsewhereText(workflow, git) };
}

/** Whether a directory is that of another project of the monorepo. */
function isOtherProject({ model, place, ctx }: Facts, path: string): boolean {
  const projects = model.projects && { ...model.projects, default: place.project };
  const project = projectAt({ projects }, { named: undefined, cwd: path, root: ctx.projectRoot });
  return project !== place.project;
}

export type Watch = NonNullable<ReturnType<typeof watchOf>>;

function editFinding({ state = {}, ctx }: Facts, { event, phase }: Watch): Finding | undefined {
  const { call, outcome } = event;
  const isEdit = WRITING_OPERATIONS.includes(call.op) && outcome !== 'failure';
  const root = ctx.git?.root ?? ctx.projectRoot;
  const isCode = isEdit && call.paths.some((path) => isTestedFile(path, root));
  const apply = (current: State): State => withEdit(current, phase, ctx.now);
  if (!isCode || apply(state) === state) return undefined;
  const note = { what: 'test evidence taken back', apply };
  return noteFinding('a file was edited after the tests had passed', note);
}

/** Marks passed tests as followed by an edit: they no longer count. */
export function withEdit(state: State, phase: string, now: number): State {
  const path = evidencePath(phase, 'tests');
  const record = objectAt(state, path);
  const isStanding = record?.['completed'] === true && record['status'] !== 'escalated';
  if (!isStanding || textAt(record, 'edited_at') !== undefined) return state;
  return withMembersAt(state, path, { edited_at: isoTime(now) });
}
