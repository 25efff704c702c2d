import { removeJoined } from '../../state/hub';
import { readHub } from '../../uplink/link';
import type { Context, ExitCode } from '../context';
import { openProject } from '../project';
import { noteByHand, report } from '../req/context';
import { Refusal } from '../ui/refusal';
import { personsAct } from './join';

/** `holdpoint leave`: this machine forgets its hub. What only the hub can approve stays held. */
export function leave(context: Context, { json }: { readonly json: boolean }): ExitCode {
  personsAct('leave the hub', context);
  const home = context.env['HOME'] ?? '';
  const joined = readHub(home);
  // Also a file that is not ours goes: it links nobody.
  removeJoined(home);
  if (joined === undefined) throw new Refusal('This machine has not joined a hub.');
  const project = openProject(context);
  if (project !== undefined)
    noteByHand(project.layout, 'leave', [], { about: joined.url, by: context.caller() });
  return report(context, json, { joined: false, url: joined.url }, [
    `Left the hub at ${joined.url}. Rules with \`approval: hub\` stay held until this machine joins again.`,
    `The hub still lists it: \`holdpoint hub revoke ${joined.name}\` there ends its token.`,
  ]);
}
