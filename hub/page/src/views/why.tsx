import { useState } from 'preact/hooks';
import { api } from '../api';
import { changeRow } from '../decisions';
import { objectsIn, textOf, took, wholeTime } from '../format';
import { Facts, Problem, Reading, useAct, useLoaded } from '../parts/bits';
import { Kind, kindOf } from '../parts/kind';
import { canAnswer } from '../state';
import type { Grounds, Mark, Verdict, WholeDecision } from '../types';

function Ground({ ground }: { ground: Grounds }) {
  const { rule, fact, place, clear, waive } = ground;
  return (
    <li>
      {rule && <code>{rule}</code>} {fact}
      {place && <div class="quiet-text mono">{place}</div>}
      {clear && <div class="quiet-text">Satisfied by: {clear}</div>}
      {waive && <div class="quiet-text">Waived by: {waive}</div>}
    </li>
  );
}

function VerdictPart({ verdict }: { verdict: Verdict }) {
  const { guard } = verdict;
  const kind = textOf(verdict.verdict);
  const grounds = objectsIn<Grounds>(verdict.grounds);
  return (
    <li class="verdict">
      <strong>{guard ?? 'Holdpoint'}</strong> {kind && <Kind kind={kind} />}
      {grounds.length > 0 && (
        <ul>
          {grounds.map((ground, index) => (
            <Ground key={index} ground={ground} />
          ))}
        </ul>
      )}
    </li>
  );
}

function About({ whole }: { whole: WholeDecision }) {
  const { at, event, tool, project, branch, session, host, machine, actor, by, channel, id, ms } = whole;
  const facts: readonly (readonly [string, string])[] = [
    ['When', wholeTime(at)],
    ['Event', [event, tool].filter(Boolean).join(', ')],
    ['Project', project.name],
    ['Branch', branch],
    ['Session', session],
    ['Agent', host],
    ['Machine', machine.name],
    ['By', [textOf(by) || actor, channel && `by ${channel}`].filter(Boolean).join(', ')],
    ['Took', typeof ms === 'number' ? took(ms) : ''],
    ['Id', id],
  ];
  return <Facts class="list" of={facts} />;
}

function MarkButton({ machine, id, mark }: { machine: string; id: string; mark: Mark | null }) {
  const [current, setCurrent] = useState(mark);
  const { error, busy, act } = useAct();
  const isFalse = current === 'false-alarm';
  const change = () =>
    act(async () => {
      const wanted = isFalse ? null : 'false-alarm';
      await api.mark(machine, id, wanted);
      setCurrent(wanted);
      changeRow(`${machine} ${id}`, { mark: wanted });
    });
  return (
    <div class="flow">
      <button type="button" aria-pressed={isFalse} disabled={busy} onClick={change}>
        {isFalse ? 'Marked as a false alarm' : 'Mark as a false alarm'}
      </button>
      <span class="hint">
        {isFalse ? 'Click again to take it back.' : 'Counts in the statistics of its rules.'}
      </span>
      <Problem text={error} />
    </div>
  );
}

/** Everything known about one decision. */
export function Why({ machine, id }: { machine: string; id: string }) {
  const { value: whole, error, read } = useLoaded(() => api.decision(machine, id));
  if (error || whole === null) return <Reading error={error} done={false} again={read} />;
  const { event, tool, mark } = whole;
  const verdicts = objectsIn<Verdict>(whole.verdicts);
  const changes = Array.isArray(whole.changes) ? whole.changes.map(textOf).filter(Boolean) : [];
  return (
    <>
      <h2 class="flow">
        <Kind kind={kindOf(whole)} /> {event} <span class="mono">{tool}</span>
      </h2>
      {verdicts.length > 0 ? (
        <ul class="verdicts">
          {verdicts.map((verdict, index) => (
            <VerdictPart key={index} verdict={verdict} />
          ))}
        </ul>
      ) : (
        <p class="quiet-text">No rule held or warned.</p>
      )}
      {canAnswer.value && verdicts.length > 0 && <MarkButton machine={machine} id={id} mark={mark ?? null} />}
      <About whole={whole} />
      {changes.length > 0 && (
        <>
          <h3>Changes</h3>
          <ul>
            {changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary>Raw JSON</summary>
        <pre class="lines">{JSON.stringify(whole, null, 2)}</pre>
      </details>
    </>
  );
}
