import { useState } from 'preact/hooks';
import { NO_FILTERS, setFilters } from '../decisions';
import { count, field, textOf } from '../format';
import { Ago, Empty, Id, Loading, Search, Since } from '../parts/bits';
import { Icon } from '../parts/icon';
import { go, loadError, sessions } from '../state';
import type { Session } from '../types';

/** Sessions shown before "more". */
const MANY = 100;

function order(one: Session, two: Session): number {
  if (one.heldSince && two.heldSince) return Date.parse(one.heldSince) - Date.parse(two.heldSince);
  if (one.heldSince || two.heldSince) return one.heldSince ? -1 : 1;
  return Date.parse(two.lastAt) - Date.parse(one.lastAt);
}

function fits(session: Session, text: string): boolean {
  const { id, project, branch, host, model, machine, doing, heldBy, phase } = session;
  const all = [id, project.name, branch, host, model, machine.name, doing, phase, ...heldBy]
    .join(' ')
    .toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** `3 of 10`. */
function loopWords(loop: unknown): string {
  const [at, max] = [textOf(field(loop, 'iteration')), textOf(field(loop, 'max'))];
  return max === '' ? at : `${at} of ${max}`;
}

function State({ session }: { session: Session }) {
  const { heldBy, heldSince, endedAt, lastAt } = session;
  if (heldBy.length > 0)
    return (
      <span class="kind held">
        <Icon name="held" />
        Held {heldSince && <Since at={heldSince} />}
      </span>
    );
  if (endedAt)
    return (
      <span class="kind quiet">
        <Icon name="other" />
        Ended <Ago at={endedAt} />
      </span>
    );
  return (
    <span class="kind pass">
      <Icon name="pass" />
      Active <Ago at={lastAt} />
    </span>
  );
}

function Row({ session }: { session: Session }) {
  const { id, project, branch, host, model, machine, doing, heldBy, loop, phase, gates } = session;
  const lines = field(gates, 'lines');
  const iterations = loopWords(loop);
  return (
    <li class="session" data-item tabIndex={-1}>
      <div class="session-state">
        <State session={session} />
      </div>
      <div class="session-who">
        <strong>{project.name}</strong> <span class="mono">{branch}</span>
        <div class="quiet-text">
          {host}
          {model && `, ${model}`}, on {machine.name}, session <Id id={id} />
        </div>
      </div>
      <div class="session-what">
        {doing && <div class="doing">{doing}</div>}
        {heldBy.some((rule) => !doing?.includes(rule)) && (
          <div>
            Held by{' '}
            {heldBy.map((rule) => (
              <code key={rule}>{rule}</code>
            ))}
          </div>
        )}
        <div class="flow">
          {iterations && (
            <span class="chip">
              <Icon name="loop" />
              Loop {iterations}
            </span>
          )}
          {phase && <span class="chip">Phase {phase}</span>}
          {field(gates, 'running') === true && (
            <span class="chip">
              <Icon name="gates" />
              Gates running
            </span>
          )}
        </div>
        {Array.isArray(lines) && <pre class="lines">{lines.map(textOf).join('\n')}</pre>}
      </div>
      <button
        type="button"
        class="link"
        aria-label={`Decisions of session ${id}`}
        onClick={() => {
          setFilters({ ...NO_FILTERS, session: id });
          go('decisions');
        }}
      >
        Decisions
      </button>
    </li>
  );
}

function Rows({ items, title }: { items: readonly Session[]; title: string }) {
  const [shown, setShown] = useState(MANY);
  return (
    <>
      <ul class="sessions-list" aria-label={title}>
        {items.slice(0, shown).map((session) => (
          <Row key={`${session.machine.id} ${session.id}`} session={session} />
        ))}
      </ul>
      {items.length > shown && (
        <button type="button" onClick={() => setShown(shown + MANY)}>
          Show {count(Math.min(MANY, items.length - shown), 'more session')}
        </button>
      )}
    </>
  );
}

export function Sessions() {
  const [text, setText] = useState('');
  const all = sessions.value;
  const found = (all ?? []).filter((session) => fits(session, text)).sort(order);
  const live = found.filter(({ endedAt }) => !endedAt);
  const ended = found.filter(({ endedAt }) => endedAt);
  const held = live.filter(({ heldBy }) => heldBy.length > 0).length;
  return (
    <section aria-labelledby="view-title">
      <div class="flow view-head">
        <h1 id="view-title">Sessions</h1>
        <span class="figures">
          {all && `${live.length.toLocaleString('en')} at work${held > 0 ? `, ${held} held` : ''}`}
        </span>
        <Search label="Filter sessions" value={text} set={setText} />
      </div>
      {all === null && !loadError.value && <Loading />}
      {all?.length === 0 && (
        <Empty title="No sessions yet">
          <p>
            Start an agent in a project where Holdpoint is set up, on a machine that has joined this hub. Its
            session appears with its first event.
          </p>
          <p>
            To join a machine, an admin makes an invite under <a href="#settings">Settings</a> and runs the
            line it gives on that machine.
          </p>
        </Empty>
      )}
      {all !== null && all.length > 0 && found.length === 0 && (
        <Empty title="No session matches">
          <p>Clear the filter to see all {all.length.toLocaleString('en')}.</p>
        </Empty>
      )}
      {live.length > 0 && <Rows items={live} title="Sessions at work" />}
      {ended.length > 0 && (
        <details class="ended">
          <summary>{count(ended.length, 'ended session')}</summary>
          <Rows items={ended} title="Ended sessions" />
        </details>
      )}
    </section>
  );
}
