import type { Mode } from '../../core/effect-kinds';
import type { Event, EventOf, ToolCall } from '../../core/event';
import type { Context, Interest, RefusedStops } from '../../core/guard';
import type { HostName } from '../../core/host-name';
import { isJsonObject, type JsonObject, objectIn, objectsIn } from '../../core/json';
import { ownJson } from '../../core/text';
import { type Grounds, NOTHING, type Verdict } from '../../core/verdict';
import type { Change, Document, DocumentRef } from '../../state/documents';
import { SESSION_FILES } from '../../state/sessions';
import type { Requirement, RequirementsConfig } from './section';
import { presentValue, REF_EFFECTS, rulesJudgedAfter, TREE_EFFECTS, VALUES_FILE, type View } from './view';

/* Cheap checks whether the expensive parts of this guard, people.ts and effect-rules.ts, must be loaded. */

/** The tool with which an agent of Claude Code asks its user. */
export const QUESTION_TOOL = 'AskUserQuestion';

/** Hosts whose own dialog a hook can request, and hosts where a person types a line instead. */
export const DIALOG_HOSTS: readonly HostName[] = ['gemini', 'copilot'];
export const LINE_HOSTS: readonly HostName[] = ['codex'];

const LINE = /^holdpoint approve((?: [^\s-]\S*)+)$/;

/** The rules that a person approves with a typed line, which must be the whole prompt. */
export function typedLine({ host, text, origin, agent }: EventOf<'prompt.submit'>): string[] | undefined {
  if (!LINE_HOSTS.includes(host) || origin !== 'human' || agent !== undefined) return undefined;
  return LINE.exec(text.trim())?.[1]?.trim().split(' ');
}

/** The kernel stamps files with the time of its last tick, which lags behind the clock. */
export const CLOCK_LAG_MS = 10;

/** A session's last look: a snapshot of the refs, and the calls since then that may have changed something. */
export function snapshotFile(key: string): DocumentRef {
  return ownJson(`changes/${key}.json`, 'bookkeeping');
}

/** Whether an edit must be told from what other calls of this turn have changed. */
export function tellsEditsApart(view: View): boolean {
  const isOfTree = ({ effects }: Requirement): boolean => effects.some((one) => TREE_EFFECTS.includes(one));
  return rulesJudgedAfter(view.config).some(isOfTree) && hasUncheckedCalls(view);
}

/** Whether calls of this turn are still to be checked at its end. */
export function hasUncheckedCalls({ ctx, key }: View): boolean {
  return objectsIn(presentValue(ctx.document(snapshotFile(key))), 'calls').length > 0;
}

/** Whether the refs must be checked right after each shell call. */
export function checksRefsAfterCalls(config: RequirementsConfig): boolean {
  return rulesJudgedAfter(config).some(({ effects }) => effects.some((one) => REF_EFFECTS.includes(one)));
}

/** Whether a shell call may use up a pass for one of its effects. */
export function hasEffectPasses({ requirements }: RequirementsConfig): boolean {
  return requirements.some(({ scope, effects }) => scope === 'single_use' && effects.length > 0);
}

/** Only the program and subcommand of a command: the rest may be private. */
export function labelOf({ command, nativeName }: Pick<ToolCall, 'command' | 'nativeName'>): string {
  const words = /^\s*[\w./-]{1,40}(?: [a-z][\w-]{0,20})?/.exec(command ?? '')?.[0].trim();
  return words === undefined || words === '' ? nativeName.replace(/\s+/g, ' ').slice(0, 60) : words;
}

/*
 * Rules in warn and shadow mode run through the same code as holding rules, one mode at a time: with a config of only
 * these rules, and their own session counts and ref snapshots. What they say goes out only through this file.
 */

/** Warn and shadow rules ask no person and brief no session, so they need no other kinds. */
const KINDS: readonly Event['kind'][] = [
  'session.start',
  'session.end',
  'tool.before',
  'tool.after',
  'prompt.submit',
  'prompt.expand',
  'turn.stop',
];

/** The interests that warn and shadow rules need. */
export function nonHoldingInterest(all: readonly Interest[]): readonly Interest[] {
  return all.filter(({ kind }) => KINDS.includes(kind));
}

/** Whether warn and shadow rules judge this event. They judge the end of a turn once, as it is held once. */
export function concernsNonHolding(event: Event): boolean {
  return KINDS.includes(event.kind) && !(event.kind === 'turn.stop' && event.continuing);
}

const NONE_REFUSED: RefusedStops = { byGuard: {}, inRow: 0 };

/** A context in which these rules can change only what is satisfied, and counts and snapshots of their own. */
export function nonHoldingContext(ctx: Context, mode: Mode, names: readonly string[]): Context {
  const change = (one: Change): void => {
    const { document } = one;
    if (mayChange(document)) ctx.change({ ...one, document: separateRef(document, mode) });
  };
  return {
    ...ctx,
    refusedStops: NONE_REFUSED,
    document: (ref) => {
      const found = ctx.document(separateRef(ref, mode));
      return isCounts(ref) ? withSatisfied(found, ctx.document(ref), names) : found;
    },
    change,
    run: (effect) => ctx.run({ ...effect, run: mode }),
    armed: () => undefined,
    trouble: () => undefined,
  };
}

function isCounts({ base, path }: DocumentRef): boolean {
  return base === 'git' && path.startsWith(`${SESSION_FILES}/`) && path.endsWith('.json');
}

function isSnapshotFile({ base, path }: DocumentRef): boolean {
  return base === 'own' && path.startsWith('changes/');
}

/** They may not change approval requests or the session registry. */
function mayChange(ref: DocumentRef): boolean {
  const isState = ref.base === 'git' && ref.path.startsWith('requirements/');
  return isState || isSnapshotFile(ref) || ref.path === VALUES_FILE.path;
}

/** Counts and snapshots are kept in files separate from those of the holding rules. */
function separateRef(ref: DocumentRef, mode: Mode): DocumentRef {
  if (!isCounts(ref) && !isSnapshotFile(ref)) return ref;
  const name = ref.path.slice(ref.path.lastIndexOf('/') + 1);
  return { ...ref, base: 'own', path: `${mode}/${isSnapshotFile(ref) ? 'changes' : 'sessions'}/${name}` };
}

/** `req satisfy` notes the branch in the normal counts, whatever the rule's mode: copy those entries. */
function withSatisfied(own: Document, shared: Document, names: readonly string[]): Document {
  const counted = objectIn(presentValue(shared), 'requirements');
  const told = names.filter((name) => objectIn(counted, name)['satisfied_on'] !== undefined);
  if (told.length === 0) return own;
  const value: JsonObject = own.kind === 'present' && isJsonObject(own.value) ? own.value : {};
  const requirements = {
    ...objectIn(value, 'requirements'),
    ...Object.fromEntries(told.map((name) => [name, objectIn(counted, name)])),
  };
  const version = own.kind === 'present' ? own.version : '';
  return { kind: 'present', value: { ...value, requirements }, version };
}

/** The verdict of rules that do not hold, worded as what they would have done. */
export function asHypothetical(verdict: Verdict): Verdict {
  if (verdict.kind === 'nothing') return NOTHING;
  const grounds = verdict.grounds.map((one) => ({
    ...one,
    fact: one.fact.replace(' is held ', ' would be held '),
  }));
  return { ...verdict, grounds };
}

/** Adds the warnings of warn rules to a verdict, unless it already holds something: that comes first. */
export function withWarnings(verdict: Verdict, said: Verdict, event: Event): Verdict {
  if ('reason' in verdict || said.kind === 'nothing' || said.grounds.length === 0) return verdict;
  const grounds = said.grounds.map((one): Grounds => ({ ...one, mode: 'warn' }));
  const text = grounds.map(warningOf).join('\n');
  const also = verdict.kind === 'nothing' ? { kind: 'advise' as const, grounds: [] } : verdict;
  const after = (before: string | undefined): string =>
    before === undefined ? text : `${before}\n\n${text}`;
  // At the end of a turn the agent can no longer follow a warning, so the person gets it.
  const warning =
    event.kind === 'turn.stop' ? { toPerson: after(also.toPerson) } : { toAgent: after(also.toAgent) };
  return { ...verdict, ...also, ...warning, grounds: [...also.grounds, ...grounds] };
}

function warningOf({ rule, fact, clear }: Grounds): string {
  const next = clear === undefined ? '' : ` What to do: ${clear}.`;
  return `Rule \`${rule}\` warns: ${fact}.${next} Nothing is held.`;
}

const FEWEST_WORDS = 4;
/** Words of a prompt that asks to edit, commit or publish something. */
export const CHANGE_WORDS =
  /\b(?:add|build|change|create|delete|edit|fix|implement|modify|pr|refactor|remove|update|write)\b|commit|deploy|merge|pull request|push|release/i;

/** Whether a prompt asks for work. Short answers, commands and prompts that a machine sent do not. */
export function asksForWork({ text, origin }: EventOf<'prompt.submit'>): boolean {
  if (origin === 'machine' || origin === 'continuation' || /^\s*[/!#]/.test(text)) return false;
  return CHANGE_WORDS.test(text) || text.trim().split(/\s+/, FEWEST_WORDS).length === FEWEST_WORDS;
}
