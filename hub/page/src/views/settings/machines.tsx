import { api } from '../../api';
import { Ago, Time } from '../../parts/bits';
import type { Machine } from '../../types';
import { Members } from './members';

function seen({ revokedAt, lastSeen }: Machine) {
  if (revokedAt)
    return (
      <>
        revoked <Time at={revokedAt} />
      </>
    );
  return lastSeen ? (
    <>
      seen <Ago at={lastSeen} />
    </>
  ) : (
    'not seen yet'
  );
}

export function Machines() {
  return (
    <Members
      title="Machines"
      one="machine"
      get={api.machines}
      none="No machine has joined yet. Make an invite, and run its line on the machine."
      about={seen}
      end={({ id, revokedAt }) =>
        revokedAt
          ? null
          : {
              act: 'Revoke',
              text: 'The machine can no longer send decisions or receive approvals. Its rules with approval: hub stay held until it joins again.',
              run: () => api.revokeMachine(id),
            }
      }
      invite={api.inviteMachine}
      invited="Run this line on the machine."
      line={({ url, code }) => `holdpoint join ${url} ${code}`}
    />
  );
}
