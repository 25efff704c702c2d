import { useEffect, useState } from 'preact/hooks';
import { count, scopeWords, short } from '../format';
import { moveFocus, useKeysOf } from '../keys';
import { notifying, switchNotifications } from '../notify';
import { Empty, Facts, Loading, Since } from '../parts/bits';
import { Icon } from '../parts/icon';
import { canAnswer, dialog, loadError, sessions, waiting } from '../state';
import type { Changes, Waiting } from '../types';

/** Names of changed files shown before "more". */
const FEW = 6;

function Change({ changes }: { changes: Changes }) {
  const { files, added = 0, removed = 0, names = [] } = changes;
  const [all, setAll] = useState(false);
  const shown = all ? names : names.slice(0, FEW);
  const total = Math.max(files ?? 0, names.length);
  const rest = total - shown.length;
  return (
    <div class="part">
      <h3>
        Change so far <span class="figures">{count(total, 'file')}</span> <span class="added">+{added}</span>{' '}
        <span class="removed">−{removed}</span>
      </h3>
      {shown.length > 0 && (
        <ul class="files mono">
          {shown.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      )}
      {rest > 0 && (all || names.length <= FEW) && <p class="hint">and {count(rest, 'more file')}</p>}
      {names.length > shown.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {count(rest, 'more file')}
        </button>
      )}
    </div>
  );
}

function Plan({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const isLong = text.length > 420 || text.split('\n').length > 6;
  return (
    <div class="part">
      <h3>What the agent wants</h3>
      <p class={isLong && !all ? 'plan cut' : 'plan'}>{text}</p>
      {isLong && (
        <button type="button" class="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  );
}

function Where({ item }: { item: Waiting }) {
  const { project, branch, session, machine } = item;
  const host = sessions.value?.find(
    ({ id, machine: { id: on } }) => id === session && on === machine.id,
  )?.host;
  return (
    <Facts
      class="facts"
      of={[
        ['Project', project.name],
        ['Branch', branch],
        ['Session', short(session), session],
        ['Agent', host ?? ''],
        ['Machine', machine.name],
      ]}
    />
  );
}

function Card({ item }: { item: Waiting }) {
  const { id, rule, description, plan, changes, since, scope, ttl } = item;
  const ask = (kind: 'approve' | 'reject') => () => {
    dialog.value = { kind, request: item };
  };
  return (
    <article class="card" data-item data-id={id} tabIndex={-1} aria-labelledby={`rule-${id}`}>
      <header class="flow">
        <h2 id={`rule-${id}`} class="mono">
          {rule}
        </h2>
        <span class="kind held">
          <Icon name="held" />
          waits <Since at={since} />
        </span>
      </header>
      {description && <p class="description">{description}</p>}
      <Where item={item} />
      {plan && <Plan text={plan} />}
      {changes && <Change changes={changes} />}
      <footer class="flow">
        <p class="scope">
          An approval counts <strong>{scopeWords(scope, ttl)}</strong>.
        </p>
        {canAnswer.value ? (
          <div class="answers">
            <button type="button" class="reject" onClick={ask('reject')}>
              Reject <kbd>r</kbd>
            </button>
            <button type="button" class="primary" onClick={ask('approve')}>
              Approve <kbd>a</kbd>
            </button>
          </div>
        ) : (
          <p class="hint">You can look. An approver answers.</p>
        )}
      </footer>
    </article>
  );
}

function NotifyButton() {
  const state = notifying.value;
  if (state === 'impossible')
    return <p class="hint">This browser shows no notifications. An admin can set up ntfy under Settings.</p>;
  if (state === 'refused')
    return <p class="hint">The browser refuses notifications here. Allow them in its site settings.</p>;
  return (
    <button type="button" aria-pressed={state === 'on'} onClick={switchNotifications}>
      <Icon name="bell" />
      {state === 'on' ? 'Notifications are on' : 'Notify me'}
    </button>
  );
}

/** The card that the keys act on: the focused one, else the first. */
function chosen(): Waiting | undefined {
  const all = waiting.value ?? [];
  const focused = document.activeElement?.closest('[data-id]')?.getAttribute('data-id');
  return all.find(({ id }) => id === focused) ?? all[0];
}

function answer(kind: 'approve' | 'reject'): void {
  const request = chosen();
  if (!request || !canAnswer.value) return;
  document.querySelector<HTMLElement>(`[data-id="${CSS.escape(request.id)}"]`)?.focus();
  dialog.value = { kind, request };
}

export function WaitingView() {
  useEffect(
    () => useKeysOf({ move: moveFocus, approve: () => answer('approve'), reject: () => answer('reject') }),
    [],
  );
  const items = waiting.value;
  return (
    <section class="column" aria-labelledby="view-title">
      <div class="flow view-head">
        <h1 id="view-title">Waiting for you</h1>
        <span class="figures">{items && items.length > 0 && count(items.length, 'request')}</span>
        <NotifyButton />
      </div>
      {items === null && !loadError.value && <Loading />}
      {items?.length === 0 && (
        <Empty title="Nothing waits for you">
          <p>
            When an agent is held by a rule with <code>approval: hub</code>, its request appears here, with
            what it wants and what it has changed so far.
          </p>
          <p>
            To make a rule wait here, add <code>approval: hub</code> to it in the project’s config, on a
            machine that has joined this hub.
          </p>
        </Empty>
      )}
      {items?.map((item) => (
        <Card key={item.id} item={item} />
      ))}
    </section>
  );
}
