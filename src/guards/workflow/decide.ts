import type { Change } from '../../core/document';
import type { Event } from '../../core/event';
import { isJsonObject } from '../../core/json';
import { type Deliberation, outcome, type Step } from '../../core/old-guard';
import type { Snapshot } from '../../core/snapshot';
import { NOTHING } from '../../core/verdict';
import { armedText } from './armed-text';
import { debugNotes } from './debug-notes';
import { type Facts, factsOf } from './facts';
import type { RuleName, WorkflowModel } from './model';
import { wantsTree as gateWantsTree } from './rules/gate-blocker';
import { RULES } from './rules/rule-table';
import { wantsTree as watcherWantsTree } from './rules/test-watcher';
import { type Heard, hear, notesOf, verdictOf } from './speak';
import { blindFinding } from './unreadable';

/** The discipline's whole judgement of one event. */
export function decide(
  event: Event,
  model: WorkflowModel,
  snapshot: Snapshot,
  deliberation: Deliberation,
): Step {
  const { rules: named, effectResult } = deliberation;
  const facts = factsOf(event, model, snapshot, effectResult);
  if (event.kind === 'session.start') return atStart(facts, named.length > 0);
  const chosen = RULES.filter(
    ({ name }) => (named.length === 0 || named.includes(name)) && model.rules[name].mode !== 'disabled',
  );
  const isOn = (name: RuleName): boolean => chosen.some((one) => one.name === name);
  const wantsTree =
    (isOn('gate-blocker') && gateWantsTree(facts)) || (isOn('test-watcher') && watcherWantsTree(facts));
  if (wantsTree && effectResult === undefined && snapshot.git !== undefined) {
    return { kind: 'effect', name: 'tree', input: null };
  }
  const heard = chosen.flatMap(({ name, rule }): Heard[] => {
    const finding = blindFinding(name, facts) ?? rule(facts);
    return finding === undefined ? [] : [hear(name, finding, model.rules[name], event)];
  });
  return {
    kind: 'outcome',
    verdict: verdictOf(onceHeld(heard, snapshot)),
    changes: changesOf(facts, heard),
    notes: debugNotes(
      facts,
      chosen.map(({ name }) => name),
      heard,
    ),
  };
}

/** No rule speaks to it: the session hears where it stands. Whoever asks a single rule hears nothing. */
function atStart(facts: Facts, isRuleAlone: boolean): Step {
  const nothing = outcome(NOTHING);
  return isRuleAlone ? nothing : { ...nothing, armed: armedText(facts) };
}

/** A prompt's turn is held once by this discipline, whatever it still owes. */
function onceHeld(heard: readonly Heard[], { refusedStops }: Snapshot): readonly Heard[] {
  if ((refusedStops.byGuard.workflow ?? 0) === 0) return heard;
  return heard.map((one) => (one.effect === 'hold' ? { ...one, effect: 'warn', tell: 'person' } : one));
}

/** All notes as one change, so that they are on disk together or not at all. */
function changesOf({ place, state }: Facts, heard: readonly Heard[]): Change[] {
  const notes = notesOf(heard);
  if (notes.length === 0 || state === undefined) return [];
  return [
    {
      document: place.document,
      what: notes.map(({ what }) => what).join(', '),
      apply: (current) =>
        isJsonObject(current) ? notes.reduce((now, note) => note.apply(now), current) : current,
    },
  ];
}
