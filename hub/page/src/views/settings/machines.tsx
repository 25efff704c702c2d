import { useState } from 'preact/hooks';
import { api } from '../../api';
import { Ago, CopyLine, Loading, Problem, Time, Trouble, useAct } from '../../parts/bits';
import { dialog } from '../../state';
import type { Invite, Machine } from '../../types';
import { useList } from './use-list';

export function Machines() {
  const { items, error, read } = useList(api.machines);
  const form = useAct();
  const [name, setName] = useState('');
  const [invite, setInvite] = useState<Invite | null>(null);
  const revoke = (machine: Machine) => {
    dialog.value = {
      kind: 'confirm',
      title: `Revoke ${machine.name}?`,
      text: 'The machine can no longer send decisions or receive approvals. Its rules with approval: hub stay held until it joins again.',
      act: 'Revoke',
      run: () => api.revokeMachine(machine.id).then(read),
    };
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void form.act(async () => {
      setInvite(await api.inviteMachine(name.trim() || undefined));
      setName('');
    });
  };
  return (
    <section class="panel" aria-labelledby="machines-title">
      <h2 id="machines-title">Machines</h2>
      {error && <Trouble text={error} again={read} />}
      {items === null && !error && <Loading />}
      {items?.length === 0 && (
        <p>No machine has joined yet. Make an invite, and run its line on the machine.</p>
      )}
      {items && items.length > 0 && (
        <ul class="entries">
          {items.map((machine) => (
            <li class="entry" key={machine.id}>
              <span class="entry-name">{machine.name}</span>
              <span class="quiet-text">
                {machine.revokedAt ? (
                  <>
                    revoked <Time at={machine.revokedAt} />
                  </>
                ) : machine.lastSeen ? (
                  <>
                    seen <Ago at={machine.lastSeen} />
                  </>
                ) : (
                  'not seen yet'
                )}
              </span>
              {!machine.revokedAt && (
                <button
                  type="button"
                  class="link"
                  aria-label={`Revoke ${machine.name}`}
                  onClick={() => revoke(machine)}
                >
                  Revoke
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <form class="line-form" onSubmit={submit}>
        <label for="machine-name">Name (optional)</label>
        <input
          id="machine-name"
          value={name}
          maxLength={64}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" disabled={form.busy}>
          Invite a machine
        </button>
      </form>
      <Problem text={form.error} />
      {invite && (
        <div role="status">
          <p>Run this line on the machine. It works once, within 24 hours.</p>
          <CopyLine
            label="The line to run on the machine"
            text={`holdpoint join ${invite.url} ${invite.code}`}
          />
        </div>
      )}
    </section>
  );
}
