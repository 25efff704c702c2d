import { textAt } from '../../config/pointer';
import type { Event } from '../../core/event';
import type { Context, Guard, Interest } from '../../core/guard';
import { isJsonObject } from '../../core/json';
import { type Grounds, NOTHING, type ShadowVerdict, type Verdict } from '../../core/verdict';
import { advanceAttempt, completionClaim } from './attempts';
import { commandEffects, type Facts, type Finding, factsOf, type Rule } from './facts';
import {
  RULE_NAMES,
  type RuleMode,
  type RuleName,
  type RuleSetting,
  type Tell,
  type WorkflowModel,
} from './model';
import { ISDLC_DIR, stateUnreadable } from './place';
import * as branch from './rules/branch';
import * as delegations from './rules/delegations';
import * as gates from './rules/gates';
import * as records from './rules/records';
import { stateWriteValidator } from './rules/state-writes';
import { activeWorkflow, isPhaseLost, type StateNote } from './state';

/** Keeps work in order: its phases, the agent and the evidence for each, and the branch it touches. */
export const guard: Guard<WorkflowModel> = { name: 'workflow', interest, decide };

/** Without one of these files no workflow is active, and the rules cost the project nothing. */
const STATE_FILES = [
  `${ISDLC_DIR}/state.json`,
  `${ISDLC_DIR}/projects`,
  'holdpoint/workflow.json',
  '.holdpoint/state/workflow.json',
];

/** Without any config, only a workflow that was started by hand counts. */
const STARTED_BY_HAND = ['holdpoint/workflow.json'];

const SHELLS = ['Bash', 'PowerShell', 'Monitor'];
const TURN_EVENTS = ['prompt.submit', 'prompt.expand', 'turn.stop'] as const;
const EDITORS = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

function interest({ rules, byHand = false }: WorkflowModel): readonly Interest[] {
  const watchesTurns = [
    rules['skill-delegation-enforcer'],
    rules['delegation-gate'],
    rules['menu-tracker'],
  ].some(({ mode }) => mode !== 'disabled');
  const whenFile = byHand ? STARTED_BY_HAND : STATE_FILES;
  return [
    { kind: 'tool.before', tools: ['Task', 'Agent', 'Skill', ...SHELLS, ...EDITORS], whenFile },
    // A new state must not switch the rules off before there is a workflow.
    ...(byHand
      ? []
      : [
          {
            kind: 'tool.before',
            tools: [...SHELLS, ...EDITORS],
            whenFile: [ISDLC_DIR],
            plain: false,
          } as const,
        ]),
    { kind: 'tool.after', tools: ['Skill', 'AskUserQuestion', ...SHELLS, ...EDITORS], whenFile },
    // The discovery menu is shown before there is any state.
    { kind: 'tool.after', tools: ['Task', 'Agent'], whenFile: byHand ? whenFile : [ISDLC_DIR, ...whenFile] },
    // The session briefing names the workflow and its phase, or says that none is active.
    { kind: 'session.start', ...(byHand && { whenFile }) },
    ...(watchesTurns ? TURN_EVENTS : []).map((kind) => ({ kind, whenFile })),
  ];
}

export const RULES: Readonly<Record<RuleName, Rule>> = {
  'iteration-corridor': gates.iterationCorridor,
  'skill-validator': delegations.skillValidator,
  'phase-loop-controller': delegations.phaseLoopController,
  'plan-surfacer': delegations.planSurfacer,
  'phase-sequence-guard': delegations.phaseSequenceGuard,
  'gate-blocker': gates.gateBlocker,
  'constitution-validator': gates.constitutionValidator,
  'branch-guard': branch.branchGuard,
  'state-write-validator': stateWriteValidator,
  'log-skill-usage': records.logSkillUsage,
  'menu-tracker': records.menuTracker,
  'walkthrough-tracker': records.walkthroughTracker,
  'discover-menu-guard': records.discoverMenuGuard,
  'skill-delegation-enforcer': delegations.skillDelegationEnforcer,
  'test-watcher': records.testWatcher,
  'review-reminder': branch.reviewReminder,
  'delegation-gate': delegations.delegationGate,
  'model-provider-router': delegations.modelProviderRouter,
};

type Concerns = Readonly<Partial<Record<RuleName, (facts: Facts) => boolean>>>;

const isPhaseWork = ({ delegation }: Facts): boolean => delegation.kind === 'phase';

/** Rules that hold what they cannot judge if the state is unreadable, each with the calls it would judge. */
const JUDGES: Concerns = {
  'phase-loop-controller': isPhaseWork,
  'plan-surfacer': isPhaseWork,
  'phase-sequence-guard': isPhaseWork,
  'iteration-corridor': (facts) => advanceAttempt(facts, true) !== undefined,
  'gate-blocker': (facts) => advanceAttempt(facts, false) !== undefined,
  'constitution-validator': (facts) => completionClaim(facts) !== undefined,
  'branch-guard': (facts) => branch.protectedWrite(facts) !== undefined,
};

/** Rules that record something, each with when it would. People who rely on the record must be told. */
const RECORDERS: Concerns = {
  'log-skill-usage': ({ call, event }) => event.kind === 'tool.after' && call?.op === 'agent',
  'test-watcher': (facts) =>
    facts.event.kind === 'tool.after' && (commandEffects(facts)?.tests.length ?? 0) > 0,
  'delegation-gate': ({ event }) => event.kind === 'turn.stop',
};

/**
 * A rule's finding if the state is unreadable, or names no phase; protected branches do not depend on that. A missing
 * state is different: then no workflow is active.
 */
function unreadableFinding(name: RuleName, facts: Facts): Finding | undefined {
  const { unreadable, event, place, state } = facts;
  const isLost = name !== 'branch-guard' && isPhaseLost(state);
  if (unreadable === undefined && !isLost) return undefined;
  const { file, why } = unreadable ?? { file: place.file, why: 'names no current phase' };
  const fact = `${file} ${why}`;
  if (!isLost && RECORDERS[name]?.(facts) === true) {
    const text = `WORKFLOW STATE UNREADABLE: ${fact}. The workflow records nothing until a person restores the file.`;
    return { weight: 'warn', text, fact };
  }
  if (event.kind !== 'tool.before' || JUDGES[name]?.(facts) !== true) return undefined;
  if (!isLost) return { weight: 'deny', text: stateUnreadable(file, why), fact, waive: 'a person' };
  const clear = 'holdpoint flow rollback PHASE';
  return { weight: 'deny', text: stateUnreadable(file, why, `\`${clear}\` sets it.`), fact, clear };
}

async function decide(event: Event, model: WorkflowModel, ctx: Context): Promise<Verdict> {
  const facts = factsOf(event, model, ctx);
  if (event.kind === 'session.start') {
    // The briefing belongs to no rule, so it is left out if only some rules were requested.
    if (ctx.rules.length === 0) ctx.armed(armedText(facts));
    return NOTHING;
  }
  const asked = RULE_NAMES.filter(
    (name) => (ctx.rules.length === 0 || ctx.rules.includes(name)) && model.rules[name].mode !== 'disabled',
  );
  const wantsTree =
    (asked.includes('gate-blocker') && gates.gateWantsTree(facts)) ||
    (asked.includes('test-watcher') && records.watcherWantsTree(facts));
  // Await nothing unless an effect is needed, so that the core's watchdog covers all of it.
  if (ctx.git === undefined || !wantsTree) return judge(facts, asked);
  const found = await ctx.run({ name: 'tree', input: ctx.git.root });
  return judge({ ...facts, tree: textAt(found, 'tree') ?? '', head: textAt(found, 'head') }, asked);
}

/** The workflow and its phase, for the session briefing. */
function armedText({ state, unreadable, workflow, phase, phases }: Facts): string {
  if (unreadable !== undefined) return 'a workflow with an unreadable state';
  const type = activeWorkflow(state)?.type;
  if (type === undefined) return 'no active workflow';
  if (workflow === undefined) return `workflow ${type} (suspended)`;
  const place = phase === undefined ? -1 : phases.indexOf(phase);
  return place < 0 ? `workflow ${type}` : `workflow ${type} at phase ${place + 1} of ${phases.length}`;
}

function judge(facts: Facts, asked: readonly RuleName[]): Verdict {
  const { event, model, ctx, place, state, unreadable, workflow, phase, delegation } = facts;
  const standing = unreadable?.why ?? (state === undefined ? 'missing' : 'read');
  ctx.note(
    `state ${place.file} (${standing}), workflow ${workflow?.type ?? 'none'}, phase ${phase ?? 'none'}, delegation ${delegation.kind}`,
  );
  const all = asked.flatMap((name): RuleOutcome[] => {
    const finding = unreadableFinding(name, facts) ?? RULES[name](facts);
    const outcome = finding && applyMode(name, finding, model.rules[name], event);
    ctx.note(outcome ? `${name}: ${outcome.effect}: ${outcome.fact}` : `${name}: nothing to say`);
    return outcome ? [outcome] : [];
  });
  ctx.asked(all.map(({ name }) => name));
  const isHeldAlready = (ctx.refusedStops.byGuard.workflow ?? 0) > 0;
  const outcomes = all.filter((one) => {
    const shadowed = isHeldAlready && one.would === 'hold' ? undefined : inShadow(one);
    if (shadowed !== undefined) ctx.shadow(shadowed);
    return shadowed === undefined;
  });
  const notes = notesOf(all);
  if (notes.length > 0 && state !== undefined) {
    // One change, so that all notes are on disk together or not at all.
    ctx.change({
      document: place.document,
      what: notes.map(({ what }) => what).join(', '),
      apply: (current) =>
        isJsonObject(current) ? notes.reduce((now, note) => note.apply(now), current) : current,
    });
  }
  // This guard holds the end of a prompt's turn only once, whatever is still missing.
  const isMilder = ({ effect }: RuleOutcome): boolean => isHeldAlready && effect === 'hold';
  return verdictOf(outcomes.map((one) => (isMilder(one) ? { ...one, effect: 'warn', tell: 'person' } : one)));
}

/** A rule's finding, and what it leads to in the rule's mode. */
export type RuleOutcome = Finding & {
  readonly name: RuleName;
  readonly mode: RuleMode;
  readonly effect: Finding['weight'];
  /** What it would lead to if its rule were in mode `deny`. */
  readonly would: Finding['weight'];
  readonly tell: Tell;
};

/** Limits a finding to what its rule's mode allows and what the event can still do. */
export function applyMode(name: RuleName, finding: Finding, { mode, tell }: RuleSetting, event: Event) {
  const isTooLate = event.kind !== 'tool.before' && ['deny', 'ask'].includes(finding.weight);
  const would = isTooLate ? 'warn' : finding.weight;
  return { ...finding, name, mode, would, effect: effectOf(mode, would), tell };
}

/** What a rule in shadow mode would have done. A finding that is only a note is never reported. */
function inShadow(outcome: RuleOutcome): ShadowVerdict | undefined {
  const { mode, would, text, input } = outcome;
  if (mode !== 'observe' || would === 'note' || (text === '' && input === undefined)) return undefined;
  return { would: would === 'warn' ? 'advise' : would, grounds: [groundsOf(outcome)] };
}

function groundsOf({ name, mode, fact, clear, waive }: RuleOutcome): Grounds {
  return {
    rule: name,
    fact,
    ...(clear !== undefined && { clear }),
    ...(waive !== undefined && { waive }),
    ...(mode === 'warn' && { mode }),
  };
}

function effectOf(mode: RuleMode, weight: Finding['weight']): Finding['weight'] {
  if (mode === 'disabled' || mode === 'observe' || weight === 'note') return 'note';
  if (mode === 'warn') return 'warn';
  return mode === 'ask' && weight === 'deny' ? 'ask' : weight;
}

export function notesOf(outcomes: readonly RuleOutcome[]): readonly StateNote[] {
  return outcomes.flatMap(({ records = [], onRefusal = [], effect }) =>
    effect === 'deny' || effect === 'ask' ? [...records, ...onRefusal] : records,
  );
}

/** One line about a further rule that holds the same call. */
function alsoLine({ name, text, fact }: RuleOutcome): string {
  return text.startsWith('Held by') ? `Also held by ${name}: ${fact}.` : `Also: ${text.split('\n', 1)[0]}`;
}

/** The strictest verdict of all rules: the first rule's message in full, and a line for each other. */
export function verdictOf(outcomes: readonly RuleOutcome[]): Verdict {
  const spoken = outcomes.filter(({ text, input }) => text !== '' || input !== undefined);
  const grounds = spoken.map(groundsOf);
  for (const kind of ['deny', 'ask', 'hold'] as const) {
    const [first, ...others] = spoken.filter(({ effect }) => effect === kind);
    if (first === undefined) continue;
    const more = others.filter(({ text }) => text !== first.text).map(alsoLine);
    return { kind, reason: [first.text, ...more].join('\n'), grounds };
  }
  if (spoken.length === 0) return NOTHING;
  const told = spoken.filter(({ effect }) => effect === 'warn');
  const textFor = (reader: Tell): string => {
    const read = told.filter(({ tell, text }) => (tell === reader || tell === 'both') && text !== '');
    return read.map(({ text }) => text).join('\n\n');
  };
  const [toAgent, toPerson] = [textFor('agent'), textFor('person')];
  const updatedInput = told.find(({ input }) => input !== undefined)?.input;
  return {
    kind: 'advise',
    ...(toAgent !== '' && { toAgent }),
    ...(toPerson !== '' && { toPerson }),
    ...(updatedInput !== undefined && { updatedInput }),
    grounds,
  };
}
