import type { HostName } from '../../core/host-name';
import type { Ground } from '../../hosts/setup';
import { installAgain, meansFrom } from '../doctor/install-command';
import { type InstalledFile, installedState } from '../install/installed-state';
import type { OpenProject } from '../project';
import type { Context } from '../verb';
import { callsOf } from './host-calls';
import type { View } from './host-troubles';
import type { Reason } from './messages';

/** How far the hosts' settings have us called. `deaf`: they name us, and nothing comes of it. */
export type Calling =
  | { readonly kind: 'called' | 'uncalled' }
  | { readonly kind: 'partly' | 'deaf'; readonly reasons: readonly Reason[] };

/** What hosts are told in this project, be it by lines of ours, by hand or by the plugin; or one host alone. */
export function callingIn({ root, home, git }: OpenProject, env: Context['env'], only?: HostName): Calling {
  const ground = { project: root, home, env };
  const files = installedState(ground, git?.commonDir);
  const hosts = [...new Set(files.map(({ host }) => host))].filter(
    (host) => only === undefined || host === only,
  );
  const view = { ground, install: installer(files, ground, git !== undefined) };
  const calls = hosts.map((host) =>
    callsOf(
      files.filter((file) => file.host === host),
      view,
    ),
  );
  const told = calls.filter(({ kind }) => kind !== 'uncalled');
  if (told.length === 0) return { kind: 'uncalled' };
  const reasons = onceEach(told.flatMap((one) => ('reasons' in one ? one.reasons : [])));
  if (reasons.length === 0) return { kind: 'called' };
  return { kind: told.every(({ kind }) => kind === 'deaf') ? 'deaf' : 'partly', reasons };
}

/** By which command a file is written anew; that is looked into only where it is needed. */
function installer(files: readonly InstalledFile[], ground: Ground, inRepository: boolean): View['install'] {
  return (found) => {
    const { command, description } = installAgain(found, meansFrom(files, ground, inRepository));
    return command ?? description;
  };
}

/** Several hosts may go by the same file. */
function onceEach(reasons: readonly Reason[]): Reason[] {
  return reasons.filter(({ text }, at) => reasons.findIndex((one) => one.text === text) === at);
}
