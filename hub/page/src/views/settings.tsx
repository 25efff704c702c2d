import { api } from '../api';
import { Problem, useAct } from '../parts/bits';
import { Icon } from '../parts/icon';
import { canUsePasskeys, registerPasskey } from '../passkeys';
import { isAdmin, me, say } from '../state';
import { Audit } from './settings/audit';
import { Machines } from './settings/machines';
import { People } from './settings/people';
import { ReachSettings } from './settings/reach';

const ROLES = {
  viewer: 'You can look at everything, and answer nothing.',
  approver: 'You can approve, reject and mark decisions.',
  admin: 'You can do everything, and look after people and machines.',
};

function You() {
  const { error, busy, act } = useAct();
  const person = me.value;
  if (!person) return null;
  const signOut = () =>
    act(async () => {
      await api.logout();
      me.value = null;
    });
  const addPasskey = () =>
    act(async () => {
      await registerPasskey({});
      say('The passkey is added. You can sign in with it from now on.');
    });
  return (
    <section class="panel" aria-labelledby="you-title">
      <h2 id="you-title">You</h2>
      <p>
        Signed in as <strong>{person.name}</strong>, {person.role}. {ROLES[person.role]}
      </p>
      <div class="flow buttons">
        {canUsePasskeys && (
          <button type="button" disabled={busy} onClick={addPasskey}>
            Add a passkey
          </button>
        )}
        <button type="button" disabled={busy} onClick={signOut}>
          <Icon name="out" />
          Sign out
        </button>
      </div>
      <Problem text={error} />
      <p class="hint">
        Holdpoint hub {person.hub.version}, at {person.hub.url}
      </p>
    </section>
  );
}

export function Settings() {
  return (
    <div class="column">
      <div class="flow view-head">
        <h1 id="view-title">Settings</h1>
      </div>
      <You />
      {isAdmin.value && (
        <>
          <Machines />
          <People />
          <ReachSettings />
          <Audit />
        </>
      )}
    </div>
  );
}
