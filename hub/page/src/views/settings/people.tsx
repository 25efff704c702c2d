import { useState } from 'preact/hooks';
import { api } from '../../api';
import { CopyLine, Loading, Problem, Trouble, useAct } from '../../parts/bits';
import { dialog, me } from '../../state';
import type { Invite, Person, Role } from '../../types';
import { useList } from './use-list';

export function People() {
  const { items, error, read } = useList(api.people);
  const form = useAct();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [invite, setInvite] = useState<Invite | null>(null);
  const remove = (person: Person) => {
    dialog.value = {
      kind: 'confirm',
      title: `Remove ${person.name}?`,
      text: 'Their sign-ins end at once. What they approved stays approved, and stays in the audit.',
      act: 'Remove',
      run: () => api.removePerson(person.id).then(read),
    };
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void form.act(async () => {
      setInvite(await api.invitePerson(role, name.trim() || undefined));
      setName('');
    });
  };
  return (
    <section class="panel" aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      {error && <Trouble text={error} again={read} />}
      {items === null && !error && <Loading />}
      {items && (
        <ul class="entries">
          {items.map((person) => (
            <li class="entry" key={person.id}>
              <span class="entry-name">{person.name}</span>
              <span class="quiet-text">
                {person.role}
                {person.name === me.value?.name && ', you'}
              </span>
              <button
                type="button"
                class="link"
                aria-label={`Remove ${person.name}`}
                onClick={() => remove(person)}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      <form class="line-form" onSubmit={submit}>
        <label for="person-name">Name (optional)</label>
        <input
          id="person-name"
          value={name}
          maxLength={64}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <label for="person-role">Role</label>
        <select
          id="person-role"
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
        >
          <option value="viewer">Viewer: can look</option>
          <option value="approver">Approver: can answer</option>
          <option value="admin">Admin: can do everything</option>
        </select>
        <button type="submit" disabled={form.busy}>
          Invite a person
        </button>
      </form>
      <Problem text={form.error} />
      {invite && (
        <div role="status">
          <p>Give them this link. It works once, within 24 hours.</p>
          <CopyLine label="The link for the person" text={invite.url} />
        </div>
      )}
    </section>
  );
}
