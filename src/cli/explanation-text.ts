import type { Explanation } from '../core/explain-event';
import type { JsonObject } from '../core/json';
import { sentenceOf } from '../core/messages';
import type { Spoken } from '../core/verdict';
import type { Output } from './ui/output';

type Told = Exclude<Explanation, { kind: 'no-event' }>;
type Watched = Extract<Explanation, { kind: 'watched' }>;
type Row = readonly [label: string, text: string];

export function explanationJson(explanation: Told): JsonObject {
  if (explanation.kind === 'settings-changed' && explanation.lost !== undefined) {
    const { reason, grounds } = explanation.lost;
    return { watched: true, decision: 'hold', reason, grounds: [{ ...grounds }] };
  }
  if (explanation.kind !== 'watched') return { watched: false, decision: 'nothing' };
  const { event, root, guards, spoken, decision, changes, effect, failures, answer } = explanation;
  return {
    watched: true,
    event: event.hostEvent,
    kind: event.kind,
    project: root,
    guards: guards.map((guard) => ({ ...guard })),
    verdicts: spoken.map(({ guard, verdict }) => ({
      guard,
      verdict: verdict.kind,
      grounds: 'grounds' in verdict ? verdict.grounds.map((ground) => ({ ...ground })) : [],
    })),
    decision: decision.kind,
    ...(effect && { effect: { ...effect } }),
    changes: changes.map(({ what }) => what),
    failures: failures.map(({ code }) => code),
    losses: [...answer.losses],
    stdout: answer.stdout,
    exit_code: answer.exitCode,
  };
}

/** The way of the event in the order in which it was judged. */
export function explanationLines(explanation: Told, out: Output): string[] {
  if (explanation.kind === 'unwatched' && explanation.answeredFor !== undefined)
    return [
      `This event is of ${explanation.answeredFor}, whose own settings call Holdpoint too: it is answered there (--host ${explanation.answeredFor}), and here with nothing.`,
    ];
  if (explanation.kind === 'unwatched')
    return ['Nobody watches this event in the project of its `cwd`: it goes on, and nothing is written.'];
  if (explanation.kind === 'homeless') {
    return [
      `Neither git nor .holdpoint at ${out.style('bold', explanation.glance.cwd)}: nothing is enforced.`,
    ];
  }
  if (explanation.kind === 'unconfigured') {
    return [`No config in ${out.style('bold', explanation.project.root)}: nothing is enforced.`];
  }
  if (explanation.kind === 'unarmed') {
    return [
      `The config of ${out.style('bold', explanation.project.root)} names nothing to hold: nothing is enforced.`,
    ];
  }
  if (explanation.kind === 'settings-changed') {
    return explanation.lost === undefined
      ? ['The settings still call Holdpoint, so their change goes on.']
      : ['The change would be refused.', ...explanation.lost.reason.split('\n')];
  }
  const rows: Row[] = [
    ['event', `${explanation.event.hostEvent} (${explanation.event.kind})`],
    ['project', explanation.root],
    ...explanation.guards.map(({ name, concerned }): Row => {
      return ['guard', `${name}: ${concerned ? 'watches this event' : 'does not watch this event'}`];
    }),
    ...explanation.spoken.flatMap(verdictRows),
    ...endRows(explanation),
  ];
  return rows.map(([label, text]) => `${out.style('dim', label.padEnd(13))}${out.style('bold', text)}`);
}

function verdictRows({ guard, verdict }: Spoken): Row[] {
  const grounds = 'grounds' in verdict ? verdict.grounds : [];
  return [
    ['verdict', `${guard}: ${verdict.kind}`],
    ...grounds.flatMap((ground): Row[] => [
      ['  rule', `${ground.rule}${ground.place === undefined ? '' : ` (${ground.place})`}`],
      ['  because', ground.fact],
      ...(ground.clear === undefined ? [] : [['  clears it', ground.clear] as const]),
      ...(ground.waive === undefined ? [] : [['  may waive', ground.waive] as const]),
    ]),
  ];
}

function endRows({ decision, effect, changes, failures, answer }: Watched): Row[] {
  return [
    ...(effect === undefined ? [] : [['would run', `${effect.guard}: ${effect.name}, then decide`] as const]),
    ['decision', decision.kind],
    ...changes.map(({ what }): Row => ['would note', what]),
    ...failures.map((failure): Row => ['failure', sentenceOf(failure)]),
    ...answer.losses.map((loss): Row => ['lost', loss]),
    ['would print', answer.stdout.trimEnd() || 'nothing'],
    ['exit code', String(answer.exitCode)],
  ];
}
