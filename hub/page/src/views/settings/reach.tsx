import { useState } from 'preact/hooks';
import { api } from '../../api';
import { Problem, Reading, useAct, useLoaded } from '../../parts/bits';
import { say } from '../../state';
import type { Reach } from '../../types';

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly type?: 'url' | 'password';
  readonly placeholder?: string;
}

function Field({ id, label, value, set, type = 'url', placeholder = '' }: FieldProps) {
  const input = {
    id,
    value,
    placeholder,
    autocomplete: 'off',
    onInput: (event: { currentTarget: HTMLInputElement }) => set(event.currentTarget.value),
  };
  return (
    <>
      <label for={id}>{label}</label>
      {type === 'password' ? <input type="password" {...input} /> : <input type="url" {...input} />}
    </>
  );
}

/** An empty secret is not sent, so the stored one stays. */
function target(url: string, name: 'secret' | 'token', secret: string): object | null {
  if (url.trim() === '') return null;
  return secret === '' ? { url: url.trim() } : { url: url.trim(), [name]: secret };
}

function Form({ reach }: { reach: Reach }) {
  const { error, busy, act } = useAct();
  const [webhook, setWebhook] = useState(reach.webhook?.url ?? '');
  const [secret, setSecret] = useState('');
  const [ntfy, setNtfy] = useState(reach.ntfy?.url ?? '');
  const [token, setToken] = useState('');
  const kept = (is: unknown, none: string) => (is ? 'Kept. Type to change it.' : none);
  const save = (event: Event) => {
    event.preventDefault();
    void act(async () => {
      await api.setReach({ webhook: target(webhook, 'secret', secret), ntfy: target(ntfy, 'token', token) });
      setSecret('');
      setToken('');
      say('Saved.');
    });
  };
  const test = () =>
    act(async () => {
      await api.testReach();
      say('A test message is on its way.');
    });
  return (
    <form class="grid-form" onSubmit={save}>
      <Field id="webhook" label="Webhook address" value={webhook} set={setWebhook} placeholder="https://…" />
      <Field
        id="secret"
        label="Webhook secret"
        type="password"
        value={secret}
        set={setSecret}
        placeholder={kept(reach.webhook?.hasSecret, 'At least 16 characters')}
      />
      <Field id="ntfy" label="ntfy topic" value={ntfy} set={setNtfy} placeholder="https://ntfy.sh/…" />
      <Field
        id="token"
        label="ntfy token (optional)"
        type="password"
        value={token}
        set={setToken}
        placeholder={kept(reach.ntfy?.hasToken, '')}
      />
      <Problem text={error} />
      <div class="flow buttons">
        <button type="submit" disabled={busy}>
          Save
        </button>
        <button type="button" disabled={busy} onClick={test}>
          Send a test
        </button>
      </div>
    </form>
  );
}

/** How to notify people away from this page that something waits. */
export function ReachSettings() {
  const { value: reach, error, read } = useLoaded(api.reach);
  return (
    <section class="panel" aria-labelledby="reach-title">
      <h2 id="reach-title">Reach</h2>
      <p>
        Tells people elsewhere that something waits. The message links to this page and holds no secret; the
        answer is given here.
      </p>
      <Reading error={error} done={reach !== null} again={read} />
      {reach && <Form reach={reach} />}
    </section>
  );
}
