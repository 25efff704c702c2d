import { nearest } from '../../config/nearest';
import type { JsonObject } from '../../core/json';
import {
  gateOf,
  needsPlan,
  requirementsOf,
  samePhase,
  type WorkflowModel,
} from '../../guards/workflow/model';
import {
  begun,
  cancelled,
  constitutionChecked,
  elicitationEnded,
  redone,
  resumed,
  rolledBack,
  suspended,
} from '../../guards/workflow/moves';
import { constitutionEvidence, elicitationEvidence, testEvidence } from '../../guards/workflow/state';
import type { Context, ExitCode } from '../context';
import { type Actor, actorIn } from '../req/actor';
import { printable } from '../ui/output';
import { cannotRun, Refusal } from '../ui/refusal';
import {
  type Active,
  type FlowPlace,
  type Here,
  type Move,
  oneArgument,
  requireActive,
  requireFlow,
  requireOpen,
  requirePerson,
  runMove,
} from './flow';
import { otherBranch, ownerOf, waitingLines } from './status';

/** A command without arguments of its own. */
function plainMove(command: string, plan: (place: FlowPlace, here: Here) => Move) {
  return (context: Context, { json }: { readonly json: boolean }): ExitCode => {
    const place = requireFlow(context);
    if (command === 'suspend') requirePerson(command, context);
    return runMove(command, json, place, context, (here) => plan(place, here));
  };
}

/** `holdpoint flow begin`. */
export const begin = plainMove('begin', ({ model }, here) => {
  const { phase, workflow } = requireActive(here);
  const now = Date.now();
  const isNew = begun(here.state, phase, now) !== here.state;
  const needed = needsPlan(model, workflow.type, phase) ? ' It needs the plan.' : '';
  const line = `Begun ${phase}${ownerOf(model, phase)}.${needed} \`holdpoint flow status\` says what its gate asks for.`;
  return {
    what: `begun ${phase}`,
    about: '',
    apply: (current) => begun(current, phase, now),
    lines: [isNew ? line : `${phase} has been begun already.`],
  };
});

/** `holdpoint flow suspend`. */
export const suspend = plainMove('suspend', (_, here) => {
  const { workflow } = requireOpen(here);
  if (workflow.suspended)
    throw new Refusal('The workflow is suspended already. `holdpoint flow resume` goes on with it.');
  const now = Date.now();
  return {
    what: 'suspended the workflow',
    about: '',
    apply: (state) => suspended(state, now),
    lines: [
      `Suspended ${workflow.type ?? 'the workflow'}: its rules rest, its state stays protected.`,
      '`holdpoint flow resume` goes on with it; another workflow may be started meanwhile.',
    ],
  };
});

/** `holdpoint flow resume`. */
export const resume = plainMove('resume', ({ head }, here) => {
  const standing = requireOpen(here);
  const { workflow, phase } = standing;
  if (!workflow.suspended) throw new Refusal('The workflow is not suspended.');
  const isElsewhere = otherBranch(standing, head) !== undefined;
  return {
    what: 'resumed the workflow',
    about: '',
    apply: resumed,
    lines: [
      `Resumed ${workflow.type ?? 'the workflow'}, in ${phase ?? 'no phase'}.`,
      ...(isElsewhere ? [`Its branch is another one: \`git switch ${workflow.branch?.name}\`.`] : []),
    ],
  };
});

/** `holdpoint flow cancel`. */
export function cancel(
  context: Context,
  values: { readonly reason?: string; readonly json: boolean },
): ExitCode {
  const place = requireFlow(context);
  const reason = values.reason?.trim() ?? '';
  if (reason === '' && place.model.discipline.requireCancellationReason)
    throw cannotRun(
      'A workflow is not cancelled without a reason: `holdpoint flow cancel --reason TEXT`. It is kept in the history.',
    );
  requirePerson('cancel', context);
  return runMove('cancel', values.json, place, context, (here) => {
    const { workflow } = requireOpen(here);
    const now = Date.now();
    const branch = workflow.branch?.name;
    return {
      what: 'cancelled the workflow',
      about: reason,
      apply: (current) => cancelled(current, reason, now),
      lines: [
        `Cancelled ${workflow.type ?? 'the workflow'}.`,
        ...(branch === undefined ? [] : [`Its branch ${branch} is left as it is.`]),
        ...waitingLines(here.state),
      ],
    };
  });
}

/** `holdpoint flow redo`. */
export const redo = goBack('redo');

/** `holdpoint flow rollback`. */
export const rollback = goBack('rollback');

/** Goes back to a phase that has been reached: to do it again, or everything from it on. */
function goBack(command: 'redo' | 'rollback') {
  return (context: Context, values: { readonly json: boolean }, positionals: readonly string[]): ExitCode => {
    const [word] = positionals;
    if (positionals.length > 1 || (command === 'rollback' && word === undefined))
      throw oneArgument(command, 'PHASE');
    const place = requireFlow(context);
    const actor = actorIn(context.env);
    return runMove(command, values.json, place, context, (here) => {
      const active = requireActive(here);
      const { phase: current, phases } = active;
      if (actor === 'agent' && isEscalated(here.state, current)) throw new Refusal(escalated(current));
      const { phase, index } = reachedPhase(place.model, active, word ?? current, actor);
      const now = Date.now();
      const later = phases.length - index - 1;
      const rest =
        command === 'redo' || later === 0
          ? 'What it has shown before counts no more.'
          : `What it and the ${later} after it have shown counts no more.`;
      return {
        what: `${command} ${phase}`,
        about: word ?? '',
        apply: (before) =>
          command === 'redo' ? redone(before, phase, index, now) : rolledBack(before, phases, index, now),
        lines: [`Back in ${phase}, which is begun anew. ${rest}`],
      };
    });
  };
}

/** The phase that a word means, as long as it has been reached. */
function reachedPhase(
  model: WorkflowModel,
  { phases, phase: current, workflow }: Active,
  word: string,
  actor: Actor,
): { readonly phase: string; readonly index: number } {
  const index = indexOf(model, phases, word);
  const phase = phases[index];
  if (phase === undefined) throw noSuchPhase(word, phases);
  // Where the state contradicts itself an agent gets the earlier of both places, so that nobody gets ahead by
  // going back; a person may choose.
  const places = [indexOf(model, phases, current), workflow.index ?? -1].filter((place) => place >= 0);
  const reached = actor === 'agent' ? Math.min(...places) : Math.max(...places);
  if (index <= reached) return { phase, index };
  throw new Refusal(
    `${phase} has not been reached; the workflow is in ${current}. Only \`holdpoint flow advance\` goes forward.`,
  );
}

function indexOf(model: WorkflowModel, phases: readonly string[], word: string): number {
  const exact = phases.indexOf(word);
  if (exact >= 0) return exact;
  return phases.findIndex((phase) => samePhase(model, phase, word) || phase.split('-')[0] === word);
}

/** The refusal of a word that means no phase. */
export function noSuchPhase(word: string, phases: readonly string[], code: ExitCode = 1): Refusal {
  const near = nearest(word, phases);
  const hint = near === undefined ? `Its phases: ${phases.join(', ')}.` : `Did you mean '${near}'?`;
  return new Refusal(`The workflow has no phase '${printable(word)}'. ${hint}`, code);
}

/** Whether a phase waits for a person's word, so that an agent cannot begin anew by itself. */
function isEscalated(state: JsonObject, phase: string): boolean {
  return [testEvidence(state, phase), constitutionEvidence(state, phase)].some(
    (seen) => seen?.status === 'escalated' && !seen.approved,
  );
}

function escalated(phase: string): string {
  return `${phase} was escalated, so a person decides: \`holdpoint flow approve ${gateOf(phase)}\` or \`holdpoint flow redo\`, in a terminal of their own.`;
}

/** `holdpoint flow record constitution`. */
export function constitution(
  context: Context,
  values: { readonly articles?: string; readonly json: boolean },
): ExitCode {
  const articles = (values.articles ?? '')
    .toUpperCase()
    .split(/[\s,]+/)
    .filter((article) => article !== '');
  const odd = articles.find((article) => !/^[IVXLC]{1,10}$/.test(article));
  if (articles.length === 0)
    throw cannotRun(
      'Which articles were checked? `holdpoint flow record constitution --articles I,II,…` names them.',
    );
  if (odd !== undefined)
    throw cannotRun(`'${printable(odd)}' is no article: they are numbered I, II, III, …`);
  const place = requireFlow(context);
  return runMove('record', values.json, place, context, (here) => {
    const { phase, workflow } = requireActive(here);
    const asked = requirementsOf(place.model, workflow.type, phase).constitution;
    if (asked === undefined)
      throw new Refusal(`${phase} asks for no constitutional validation; nothing was recorded.`);
    if (actorIn(context.env) === 'agent' && isEscalated(here.state, phase))
      throw new Refusal(escalated(phase));
    const now = Date.now();
    const apply = (current: JsonObject): JsonObject =>
      constitutionChecked(current, phase, asked, articles, now);
    return {
      what: `checked articles of ${phase}`,
      about: `constitution ${articles.join(',')}`,
      apply,
      lines: [checkedLine(phase, asked.articles, apply(here.state))],
    };
  });
}

function checkedLine(phase: string, asked: readonly string[], state: JsonObject): string {
  const seen = constitutionEvidence(state, phase);
  const open = asked.filter((article) => !(seen?.articlesChecked ?? []).includes(article));
  const rounds = seen?.maxIterations ?? 0;
  const round = `round ${seen?.iterationsUsed ?? 0} of ${rounds}`;
  if (open.length === 0) return `${phase} is compliant (${round}): ${asked.join(', ')} have been checked.`;
  if (seen?.status !== 'escalated') return `Recorded (${round}). Still to be checked: ${open.join(', ')}.`;
  return `${phase} is escalated: ${open.join(', ')} were not checked in ${rounds} rounds. ${escalated(phase)}`;
}

/** The choices of the menu that people are shown. */
const SELECTIONS = ['adjust', 'refine', 'continue', 'save', 'exit'];

/** `holdpoint flow record elicitation`. */
export function elicitation(
  context: Context,
  values: { readonly final?: string; readonly json: boolean },
): ExitCode {
  const place = requireFlow(context);
  const final = values.final?.trim().toLowerCase() ?? '';
  if (final === '') throw cannotRun(noChoice(SELECTIONS));
  return runMove('record', values.json, place, context, (here) => {
    const { phase, workflow } = requireActive(here);
    const asked = requirementsOf(place.model, workflow.type, phase).elicitation;
    if (asked === undefined) throw new Refusal(`${phase} asks for no elicitation; nothing was recorded.`);
    const { minInteractions, finalSelections: accepted } = asked;
    const known = [...new Set([...accepted, ...SELECTIONS])];
    if (!known.includes(final)) throw new Refusal(noChoice(known));
    const count = elicitationEvidence(here.state, phase)?.interactions ?? 0;
    if (count < minInteractions)
      throw new Refusal(
        `${count} of ${minInteractions} questions of ${phase} have been put to a person; nothing was recorded. Ask them, then record how it ended.`,
      );
    const now = Date.now();
    const counts = accepted.length === 0 || accepted.includes(final);
    const but = counts ? '' : ` The gate wants ${accepted.join(' or ')}.`;
    return {
      what: `ended the elicitation of ${phase}`,
      about: `elicitation ${final}`,
      apply: (current) => elicitationEnded(current, phase, final, now),
      lines: [`The elicitation of ${phase} ended with ${final}.${but}`],
    };
  });
}

function noChoice(known: readonly string[]): string {
  return `How did it end? \`holdpoint flow record elicitation --final CHOICE\`, with one of: ${known.join(', ')}.`;
}
