import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HostName } from '../../core/host-name';
import { programOn } from '../../exec/programs';
import type { Ground, HostSetup, Scope } from '../../hosts/setup';
import { SETUPS } from '../../hosts/setup-table';

/**
 * The hosts that are used here: those with files in the project; where there are none, those of the person,
 * then those that are only there to be run. A project is not given files for everything on a machine.
 */
export function hostsInUse(ground: Ground, scope: Scope): readonly HostName[] {
  const inProject = (setup: HostSetup): boolean =>
    setup.signs.project.some((path) => existsSync(join(ground.project, path)));
  const inHome = (setup: HostSetup): boolean =>
    setup.signs.home.some((path) => existsSync(join(ground.home, path)));
  const onPath = (setup: HostSetup): boolean =>
    setup.signs.programs.some((program) => programOn(ground.env['PATH'] ?? '', program) !== undefined);
  const possible = SETUPS.filter(({ scopes }) => scopes.includes(scope));
  const signs = scope === 'user' ? [inHome, onPath] : [inProject, inHome, onPath];
  const found = signs.map((sign) => possible.filter(sign)).find((setups) => setups.length > 0);
  return (found ?? []).map(({ name }) => name);
}
