import { useState } from 'preact/hooks';
import { api } from '../../api';
import { me } from '../../state';
import type { Role } from '../../types';
import { Members } from './members';

export function People() {
  const [role, setRole] = useState<Role>('viewer');
  return (
    <Members
      title="People"
      one="person"
      get={api.people}
      about={({ name, role }) => `${role}${name === me.value?.name ? ', you' : ''}`}
      end={({ id }) => ({
        act: 'Remove',
        text: 'Their sign-ins end at once. What they approved stays approved, and stays in the audit.',
        run: () => api.removePerson(id),
      })}
      invite={(name) => api.invitePerson(role, name)}
      invited="Give them this link."
      line={({ url }) => url}
    >
      <label for="person-role">Role</label>
      <select id="person-role" value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
        <option value="viewer">Viewer: can look</option>
        <option value="approver">Approver: can answer</option>
        <option value="admin">Admin: can do everything</option>
      </select>
    </Members>
  );
}
