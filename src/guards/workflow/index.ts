import type { Event } from '../../core/event';
import type { Context, Guard, Interest } from '../../core/guard';
import { isJsonObject } from '../../core/json';
import { NOTHING, type Verdict } from '../../core/verdict';
import { type Facts, factsOf } from './facts';
import { textAt } from './json-path';
import { RULE_NAMES, type RuleName, type WorkflowModel } from './model';
import { applyMode, debugNotes, notesOf, type RuleOutcome, verdictOf } from './outcome';
import { SEED_DIR } from './place';
import { gateWantsTree } from './rules/gates';
import { RULES, unreadableFinding } from './rules/table';
import { watcherWantsTree } from './rules/tests';
import { activeWorkflow } from './state';

/** Keeps work in order: phases, who does each, what must have been shown, which branch it touches. */
export const guard: Guard<WorkflowModel> = { name: 'workflow', interest, decide };

/** Without one of these no workflow is active, and the project pays nothing for its rules. */
const STATE_FILES = [
  `${SEED_DIR}/state.json`,
  `${SEED_DIR}/projects`,
  'holdpoint/workflow.json',
  '.holdpoint/state/workflow.json',
];

/** Where nobody has configured anything, only a workflow that was started by hand counts. */
const STARTED_BY_HAND = ['holdpoint/workflow.json'];

const SHELLS = ['Bash', 'PowerShell', 'Monitor'];
const EDITORS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

function interest({ rules, ...model }: WorkflowModel): readonly Interest[] {
  const byHand = model.byHand === true;
  const owes = (['skill-delegation-enforcer', 'delegation-gate'] as const).some(
    (name) => rules[name].mode !== 'disabled',
  );
  const whenFile = byHand ? STARTED_BY_HAND : STATE_FILES;
  return [
    { kind: 'tool.before', tools: ['Task', 'Agent', 'Skill', ...SHELLS, ...EDITORS], whenFile },
    { kind: 'tool.after', tools: ['Skill', 'AskUserQuestion', ...SHELLS, ...EDITORS], whenFile },
    // The menu of discovery is shown before there is any state.
    { kind: 'tool.after', tools: ['Task', 'Agent'], whenFile: byHand ? whenFile : [SEED_DIR, ...whenFile] },
    // A session is told where its workflow stands, and where one could be, that there is none.
    { kind: 'session.start', ...(byHand && { whenFile }) },
    ...(owes ? (['prompt.submit', 'prompt.expand', 'turn.stop'] as const) : []).map((kind) => ({
      kind,
      whenFile,
    })),
  ];
}

async function decide(event: Event, model: WorkflowModel, ctx: Context): Promise<Verdict> {
  const facts = factsOf(event, model, ctx);
  if (event.kind === 'session.start') {
    // No rule speaks to it, so nobody who asks for single rules is told anything.
    if (ctx.rules.length === 0) ctx.armed(armedText(facts));
    return NOTHING;
  }
  const asked = RULE_NAMES.filter(
    (name) => (ctx.rules.length === 0 || ctx.rules.includes(name)) && model.rules[name].mode !== 'disabled',
  );
  const wantsTree =
    ctx.git !== undefined &&
    ((asked.includes('gate-blocker') && gateWantsTree(facts)) ||
      (asked.includes('test-watcher') && watcherWantsTree(facts)));
  // Without an effect nothing is awaited, so that the watchdog of the core sees all of it.
  if (!wantsTree) return judge(facts, asked);
  const found = await ctx.run({ name: 'tree', input: null });
  return judge({ ...facts, tree: textAt(found, 'tree') ?? '', head: textAt(found, 'head') }, asked);
}

/** Where the workflow stands, for the one line that says what is on. */
function armedText({ state, unreadable, workflow, phase, phases }: Facts): string {
  if (unreadable !== undefined) return 'a workflow whose state cannot be read';
  const type = activeWorkflow(state)?.type;
  if (type === undefined) return 'no workflow under way';
  if (workflow === undefined) return `workflow ${type} (suspended)`;
  const place = phase === undefined ? -1 : phases.indexOf(phase);
  return place < 0 ? `workflow ${type}` : `workflow ${type} at phase ${place + 1} of ${phases.length}`;
}

function judge(facts: Facts, asked: readonly RuleName[]): Verdict {
  const { event, model, ctx, place, state } = facts;
  const outcomes = asked.flatMap((name): RuleOutcome[] => {
    const finding = unreadableFinding(name, facts) ?? RULES[name](facts);
    return finding === undefined ? [] : [applyMode(name, finding, model.rules[name], event)];
  });
  const notes = notesOf(outcomes);
  if (notes.length > 0 && state !== undefined) {
    // As one change, so that all notes are on disk together or not at all.
    ctx.change({
      document: place.document,
      what: notes.map(({ what }) => what).join(', '),
      apply: (current) =>
        isJsonObject(current) ? notes.reduce((now, note) => note.apply(now), current) : current,
    });
  }
  for (const note of debugNotes(facts, asked, outcomes)) ctx.note(note);
  return verdictOf(onceHeld(outcomes, ctx));
}

/** A prompt's turn is held once by this discipline, whatever is still missing. */
function onceHeld(outcomes: readonly RuleOutcome[], { refusedStops }: Context): readonly RuleOutcome[] {
  if ((refusedStops.byGuard.workflow ?? 0) === 0) return outcomes;
  return outcomes.map((one) => (one.effect === 'hold' ? { ...one, effect: 'warn', tell: 'person' } : one));
}
