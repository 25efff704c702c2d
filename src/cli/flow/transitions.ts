import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../core/json';
import { elsewhereText } from '../../guards/workflow/facts';
import {
  gateStrictness,
  HOW_TO_ASK,
  type Missing,
  missingLine,
  readWorkflowStatus,
  timesOf,
  triggersOf,
} from '../../guards/workflow/gate';
import { gateOf, isSamePhase, needsPlan, type WorkflowModel } from '../../guards/workflow/model';
import { absentIn, agentsFor, requirementsFor } from '../../guards/workflow/phase-requirements';
import { usesIsdlcDir } from '../../guards/workflow/place';
import {
  constitutionEvidence,
  elicitationEvidence,
  gateBlocked,
  testEvidence,
  trigger,
} from '../../guards/workflow/state';
import {
  approveGate,
  beginPhase,
  cancelWorkflow,
  enterPhase,
  finishWorkflow,
  passGate,
  recordConstitution,
  recordSelection,
  redoPhase,
  resumeWorkflow,
  rollBack,
  suspendWorkflow,
  withAbsent,
  withFailuresOf,
} from '../../guards/workflow/transitions';
import { type Caller, whoOf } from '../caller';
import { type Context, cannotRun, type ExitCode, type Options, Refusal } from '../context';
import { hintFor } from '../messages';
import { printError } from '../ui/output';
import { requireYes } from '../ui/prompts';
import { pathOf, stillAbsent } from './absences';
import {
  type Active,
  currentTree,
  type FlowPlace,
  type FlowState,
  gateLines,
  type Move,
  oneArgument,
  type Plan,
  readState,
  requireActive,
  requireFlow,
  requirePerson,
  requireWorkflow,
  runMove,
  waitingLines,
  workedOnBy,
} from './flow';

/** A command without arguments. */
function simpleCommand(command: string, plan: (place: FlowPlace, ...from: Parameters<Plan>) => Move) {
  return (context: Context): ExitCode => {
    const place = requireFlow(context);
    if (command === 'suspend') requirePerson(command, place);
    return runMove(command, place, (...from) => plan(place, ...from));
  };
}

export const begin = simpleCommand('begin', (place, flowState, now) => {
  const { model } = place;
  const { phase, phases, workflow } = requireActive(flowState);
  const course = { workflow: workflow.type ?? '', phases };
  const before = absentIn(flowState.state);
  const absent = usesIsdlcDir(place) ? before : stillAbsent(place, course, flowState.state);
  const isSame = isDeepStrictEqual(absent, before);
  const apply: Move['apply'] = (state) => {
    const looked = isSame ? state : withAbsent(state, absent);
    return beginPhase(looked, phase, now);
  };
  const next = apply(flowState.state);
  const workflowStatus = readWorkflowStatus(model, next);
  const isNew = beginPhase(flowState.state, phase, now) !== flowState.state;
  const [agent] = agentsFor(model, next, phase);
  const plan = pathOf('plan', place);
  const isPlanned = agent !== undefined && needsPlan(model, workflow.type, phase);
  const lines = [
    isNew ? `Began ${phase}${workedOnBy(model, next, phase)}.` : `${phase} has already begun.`,
    ...(isPlanned ? [`Before you delegate it to ${agent.name}, the task plan has to be in ${plan}.`] : []),
    ...(workflowStatus === undefined ? [] : gateLines(workflowStatus, phase)),
  ];
  return { what: `began ${phase}`, apply, lines };
});

export const suspend = simpleCommand('suspend', (_, flowState, now) => {
  const { workflow } = requireWorkflow(flowState);
  if (workflow.suspended)
    throw new Refusal('The workflow is already suspended. `holdpoint flow resume` continues it.');
  const lines = [
    `Suspended ${workflow.type ?? 'the workflow'}. Its rules are off; its state stays protected.`,
    '`holdpoint flow resume` continues it. You can start another workflow in the meantime.',
  ];
  return { what: 'suspended the workflow', apply: (state) => suspendWorkflow(state, now), lines };
});

export const resume = simpleCommand('resume', ({ head }, flowState) => {
  const workflowStatus = requireWorkflow(flowState);
  const { workflow, phase } = workflowStatus;
  if (!workflow.suspended) throw new Refusal('The workflow is not suspended.');
  const resumed = `Resumed ${workflow.type ?? 'the workflow'}, in ${phase ?? 'no phase'}.`;
  const lines = [resumed, elsewhereText(workflow, head) ?? []].flat();
  return { what: 'resumed the workflow', apply: resumeWorkflow, lines };
});

export function cancel(context: Context, values: Options<never, 'reason'>): ExitCode {
  const reason = values.reason?.trim() ?? '';
  const place = requireFlow(context);
  if (reason === '' && place.model.discipline.requireCancellationReason)
    throw cannotRun('Say why: `holdpoint flow cancel --reason TEXT`. The reason is kept in the history.');
  requirePerson('cancel', place);
  return runMove('cancel', place, (flowState, now) => {
    const { workflow } = requireWorkflow(flowState);
    const branch = workflow.branch?.name;
    const lines = [
      `Cancelled ${workflow.type ?? 'the workflow'}.`,
      ...(branch === undefined ? [] : [`Its branch ${branch} stays as it is.`]),
      ...waitingLines(flowState.state),
    ];
    const apply: Move['apply'] = (state) => cancelWorkflow(state, reason, now);
    return { what: 'cancelled the workflow', about: reason, apply, lines };
  });
}

export const redo = goBack('redo');
export const rollback = goBack('rollback');

/** Goes back to a phase that was reached: `redo` restarts it alone, `rollback` also all phases after it. */
function goBack(command: 'redo' | 'rollback') {
  return (context: Context, _options: Options, [word, ...more]: readonly string[]): ExitCode => {
    if (more.length > 0 || (command === 'rollback' && word === undefined))
      throw oneArgument(command, 'PHASE');
    const place = requireFlow(context);
    const { actor } = context.caller();
    return runMove(command, place, (flowState, now) => {
      // `rollback` also sets the phase of a state that names none.
      const isLost = command === 'rollback' && requireWorkflow(flowState).phase === undefined;
      const active = isLost ? { ...requireWorkflow(flowState), phase: '' } : requireActive(flowState);
      const { phase: current, phases } = active;
      if (actor === 'agent' && isEscalated(flowState.state, current)) throw new Refusal(escalated(current));
      const { phase, index } = reachedPhase(place.model, active, word ?? current, actor);
      const later = phases.length - index - 1;
      const rest =
        command === 'redo' || later === 0
          ? 'Its earlier evidence no longer counts.'
          : `Earlier evidence of this phase and the ${later} after it no longer counts.`;
      const apply: Move['apply'] = (state) => {
        const back =
          command === 'redo' ? redoPhase(state, phase, index, now) : rollBack(state, phases, index, now);
        return actor === 'agent' ? withFailuresOf(state, back, phases) : back;
      };
      const lines = [`Back in ${phase}, which starts over. ${rest}`];
      return { what: `${command} ${phase}`, about: word ?? '', apply, lines };
    });
  };
}

/** The phase that an argument names; refuses one that has not been reached. */
function reachedPhase(
  model: WorkflowModel,
  { phases, phase: current, workflow }: Active,
  word: string,
  actor: Caller['actor'],
) {
  const index = indexOf(model, phases, word);
  const phase = phases[index];
  if (phase === undefined) throw noSuchPhase(word, phases);
  // If the state contradicts itself, the earlier position counts for an agent, so that it cannot skip ahead by
  // going back; for a person the later one does.
  const places = [indexOf(model, phases, current), workflow.index ?? -1].filter((place) => place >= 0);
  const found = places.length > 0 ? places : [0, phases.length - 1];
  const reached = actor === 'agent' ? Math.min(...found) : Math.max(...found);
  if (index <= reached) return { phase, index };
  throw new Refusal(
    `The workflow ${current === '' ? 'is in no phase' : `is in ${current}`} and has not reached ${phase}. Only \`holdpoint flow advance\` moves forward.`,
  );
}

function indexOf(model: WorkflowModel, phases: readonly string[], word: string): number {
  const exact = phases.indexOf(word);
  if (exact >= 0) return exact;
  return phases.findIndex((phase) => isSamePhase(model, phase, word) || phase.split('-')[0] === word);
}

export function noSuchPhase(word: string, phases: readonly string[], code: ExitCode = 1): Refusal {
  return new Refusal(`The workflow has no phase '${word}'. ${hintFor(word, phases)}`, code);
}

/** Whether a phase waits for a person, so that an agent cannot restart it. */
function isEscalated(state: JsonObject, phase: string): boolean {
  return [testEvidence(state, phase), constitutionEvidence(state, phase)].some(
    (seen) => seen?.status === 'escalated' && !seen.approved,
  );
}

function escalated(phase: string): string {
  return `${phase} was escalated, so a person has to run \`holdpoint flow approve ${gateOf(phase)}\` or \`holdpoint flow redo\` in their own terminal.`;
}

export function constitution(context: Context, values: Options<never, 'articles'>): ExitCode {
  const articles = (values.articles ?? '').toUpperCase().match(/[^\s,]+/g) ?? [];
  const odd = articles.find((article) => !/^[IVXLC]{1,10}$/.test(article));
  if (articles.length === 0)
    throw cannotRun(
      'Which articles did you check? Use `holdpoint flow record constitution --articles I,II,…`.',
    );
  if (odd !== undefined) throw cannotRun(`'${odd}' is not an article. They are numbered I, II, III, …`);
  const place = requireFlow(context);
  return runMove('record', place, (flowState, now) => {
    const { phase } = requireActive(flowState);
    const asked = requirementsFor(place.model, flowState.state, phase).constitution;
    if (asked === undefined)
      throw new Refusal(`${phase} needs no check against the constitution. Nothing was recorded.`);
    if (context.caller().actor === 'agent' && isEscalated(flowState.state, phase))
      throw new Refusal(escalated(phase));
    const apply: Move['apply'] = (state) => recordConstitution(state, phase, asked, articles, now);
    const lines = [checkedLine(phase, asked.articles, apply(flowState.state))];
    const about = `constitution ${articles.join(',')}`;
    return { what: `checked articles of ${phase}`, about, apply, lines };
  });
}

function checkedLine(phase: string, asked: readonly string[], state: JsonObject): string {
  const seen = constitutionEvidence(state, phase);
  const open = asked.filter((article) => !(seen?.articlesChecked ?? []).includes(article));
  const rounds = seen?.maxIterations ?? 0;
  const round = `round ${seen?.iterationsUsed ?? 0} of ${rounds}`;
  if (open.length === 0) return `Recorded (${round}): ${phase} is checked against ${asked.join(', ')}.`;
  if (seen?.status !== 'escalated') return `Recorded (${round}). Not checked yet: ${open.join(', ')}.`;
  return `Recorded (${round}, the last). Not checked: ${open.join(', ')}. ${escalated(phase)}`;
}

/** The choices of the menu that the user is shown. */
const SELECTIONS = ['adjust', 'refine', 'continue', 'save', 'exit'];

export function elicitation(context: Context, values: Options<never, 'final'>): ExitCode {
  const given = values.final?.trim().toLowerCase() ?? '';
  if (given === '') throw cannotRun(noChoice(given, SELECTIONS));
  const place = requireFlow(context);
  return runMove('record', place, (flowState, now) => {
    const { phase } = requireActive(flowState);
    const asked = requirementsFor(place.model, flowState.state, phase).elicitation;
    if (asked === undefined)
      throw new Refusal(`${phase} needs no answers from the user. Nothing was recorded.`);
    const { minInteractions, finalSelections: accepted } = asked;
    const known = [...new Set([...accepted, ...SELECTIONS])];
    const final = known.find((choice) => choice.toLowerCase() === given);
    if (final === undefined) throw cannotRun(noChoice(given, known));
    const { interactions: count = 0, isExited } = elicitationEvidence(flowState.state, phase) ?? {};
    if (isExited && final !== 'exit')
      throw new Refusal(`The user chose exit in ${phase}, so nothing was recorded. First ${HOW_TO_ASK}.`);
    if (count < minInteractions)
      throw new Refusal(
        `The user has answered ${timesOf(count, minInteractions)} in ${phase}, so nothing was recorded. First ${HOW_TO_ASK}.`,
      );
    const counts = accepted.length === 0 || accepted.includes(final);
    const but = counts ? '' : ` ${gateOf(phase)} needs ${accepted.join(' or ')}.`;
    const lines = [`Recorded: the user's last choice in ${phase} is ${final}.${but}`];
    const apply: Move['apply'] = (state) => recordSelection(state, phase, final, now);
    return { what: `ended the elicitation of ${phase}`, about: `elicitation ${final}`, apply, lines };
  });
}

function noChoice(given: string, known: readonly string[]): string {
  if (given !== '')
    return `holdpoint flow record elicitation: unknown choice '${given}'. Known: ${known.join(', ')}.`;
  return `What did the user choose? Use \`holdpoint flow record elicitation --final CHOICE\` with one of: ${known.join(', ')}.`;
}

export async function advance(context: Context): Promise<ExitCode> {
  const place = requireFlow(context);
  const { tree, trouble } = await currentTree(place, readState(place));
  if (trouble !== undefined)
    printError(`git cannot read the working tree, so no test run counts: ${trouble}`);
  return runMove('advance', place, (...from) => advanceFrom(place, ...from), tree);
}

function advanceFrom({ model, head }: FlowPlace, flowState: FlowState, now: number): Move {
  const active = requireActive(flowState);
  const { missing, workflow, index } = active;
  const elsewhere = elsewhereText(workflow, head);
  if (elsewhere !== undefined) throw new Refusal(elsewhere);
  if (index < 0 || isContradictory(missing)) throw new Refusal(gateClosed(active));
  const force = gateStrictness(model, workflow.type);
  // Even a gate that only warns holds a phase that has not begun.
  const isBegun = missing.every(({ what }) => what !== 'phase_started');
  const isHeld = missing.length > 0 && (force === 'refuse' || !isBegun);
  if (isHeld) return refusal(active, now);
  return passGateMove(model, flowState.state, active, force === 'warn' ? missing : [], now);
}

/** Whether the state contradicts itself, so that no evidence helps. */
function isContradictory(missing: readonly Missing[]): boolean {
  return missing.some(({ what }) => what === 'workflow_state');
}

function gateClosed({ phase, missing }: Active): string {
  const count = missing.length === 1 ? 'one thing' : `${missing.length} things`;
  return [`${gateOf(phase)} is closed: ${phase} still needs ${count}.`, ...missing.map(missingLine)].join(
    '\n',
  );
}

function refusal(active: Active, now: number): Move {
  const { phase, missing } = active;
  return { ...gateBlocked(phase, missing, now), about: phase, lines: [gateClosed(active)], advanced: false };
}

function passGateMove(
  model: WorkflowModel,
  state: JsonObject,
  { phase, phases, index, workflow }: Active,
  unmet: readonly Missing[],
  now: number,
): Move {
  const next = phases[index + 1];
  const notes = triggersOf({ model, state, phase }).map((one) => trigger(one.trigger, phase, now));
  const branch = workflow.branch?.name;
  const end = `The workflow is finished.${branch === undefined ? '' : ` ${branch} may be merged.`}`;
  return {
    what: next === undefined ? `finished after ${phase}` : `advanced to ${next}`,
    about: phase,
    apply: (current) => {
      const done = notes.reduce((after, note) => note.apply(after), passGate(current, phase, now));
      return next === undefined ? finishWorkflow(done, now) : enterPhase(done, next, index + 1);
    },
    lines: [
      `${gateOf(phase)} passed.`,
      ...(unmet.length === 0 ? [] : ['This gate only warns. Still missing:', ...unmet.map(missingLine)]),
      ...(next === undefined
        ? [end, ...waitingLines(state)]
        : [`Now in ${next}${workedOnBy(model, state, next)}. Next: run \`holdpoint flow begin\`.`]),
    ],
    advanced: true,
  };
}

export async function approve(context: Context, _options: Options, words: readonly string[]) {
  const [gate, ...more] = words;
  if (gate === undefined || more.length > 0) throw oneArgument('approve', 'GATE');
  const place = requireFlow(context);
  requirePerson('approve', place);
  const by = whoOf(context.caller());
  const state = readState(place);
  const { tree } = await currentTree(place, state);
  const asked = { state, workflowStatus: readWorkflowStatus(place.model, state, tree) };
  await askToWaive(requireActive(asked), waivedBy(place.model, asked, gate));
  const plan: Plan = (flowState, now) => {
    const waived = waivedBy(place.model, flowState, gate).map(({ what }) => what);
    const { phase } = requireActive(flowState);
    const but = waived.length === 0 ? '' : ` Waived: ${waived.join(', ')}.`;
    const lines = [`Approved ${gateOf(phase)} of ${phase}.${but} Next: run \`holdpoint flow advance\`.`];
    const apply: Move['apply'] = (state) => approveGate(state, phase, waived, now, by);
    return { what: `approved ${gateOf(phase)}`, about: gate, apply, lines };
  };
  return runMove('approve', place, plan, tree);
}

/**
 * What an approval waives: everything except beginning the phase and the approval itself. Only the gate of the
 * current phase can be approved, since a phase that has not been reached has no evidence yet.
 */
function waivedBy(model: WorkflowModel, flowState: FlowState, named: string): readonly Missing[] {
  const active = requireActive(flowState);
  const { phase, missing } = active;
  const gate = gateOf(phase);
  const names = [gate, gate.slice('GATE-'.length), phase].map((name) => name.toLowerCase());
  if (!names.includes(named.toLowerCase()) && !isSamePhase(model, phase, named))
    throw new Refusal(`The current gate is ${gate} of ${phase}, not '${named}'. Nothing was approved.`);
  if (isContradictory(missing)) throw new Refusal(gateClosed(active));
  return missing.filter(({ what, action }) => action !== undefined && what !== 'gate_approval');
}

/** Shows what would be waived, and asks. */
async function askToWaive({ phase }: Active, waived: readonly Missing[]): Promise<void> {
  if (waived.length === 0) return;
  for (const line of [`You would waive for ${gateOf(phase)} of ${phase}:`, ...waived.map(missingLine)])
    printError(line);
  await requireYes(`Approve ${gateOf(phase)} anyway?`, 'Nothing was approved.');
}
