import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import { findGit } from '../../git/find-git';
import type { Scope } from '../../hosts/setup';
import type { Context } from '../verb';
import { homeIn } from './home';
import { hostsInUse } from './hosts-in-use';
import * as say from './messages';
import { namedHosts } from './named-hosts';
import type { InstallRequest, RemovalRequest } from './request';

const OPTIONS = {
  host: { type: 'string', multiple: true, default: [] as string[] },
  user: { type: 'boolean', default: false },
  local: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

const INSTALL_OPTIONS = {
  ...OPTIONS,
  replace: { type: 'boolean', default: false },
  'fail-closed': { type: 'boolean', default: false },
  resident: { type: 'boolean', default: false },
  direct: { type: 'boolean', default: false },
} as const;

/** What was asked for on the command line. */
export interface Asked<Request> {
  readonly request: Request;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** Whether a server shall answer events, and if so, how hosts reach it. */
export type Wish = 'none' | 'by-shell' | 'direct';

/** Reads the options of `install`. Without names it is for the hosts in use, or for Claude Code where none is. */
export function installOptions(
  args: readonly string[],
  context: Context,
): Result<Asked<InstallRequest> & { readonly server: Wish }, string> {
  const { values } = parseArgs({ args: [...args], options: INSTALL_OPTIONS });
  if (values.direct && !values.resident) return fail(say.DIRECT_ALONE);
  const place = placeFor(values, context);
  if (!place.ok) return place;
  const named = namedHosts(values.host);
  if (!named.ok) return named;
  const { ground, scope } = place.value;
  const inUse = named.value.length > 0 ? named.value : hostsInUse(ground, scope);
  const hosts: readonly HostName[] = inUse.length > 0 ? inUse : ['claude-code'];
  const request: InstallRequest = {
    ...place.value,
    hosts,
    replace: values.replace,
    failClosed: values['fail-closed'],
    start: 'one-shot',
  };
  const server = values.direct ? 'direct' : values.resident ? 'by-shell' : 'none';
  return succeed({ request, dryRun: values['dry-run'], json: values.json, server });
}

/** Reads the options of `uninstall`. Without names it is for all hosts. */
export function removalOptions(
  args: readonly string[],
  context: Context,
): Result<Asked<RemovalRequest>, string> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const place = placeFor(values, context);
  if (!place.ok) return place;
  const named = namedHosts(values.host);
  if (!named.ok) return named;
  const hosts = named.value.length > 0 ? named.value : HOST_NAMES;
  return succeed({ request: { ...place.value, hosts }, dryRun: values['dry-run'], json: values.json });
}

type Place = Pick<InstallRequest, 'ground' | 'commonDir' | 'scope'>;

/** A person's own settings can be written from anywhere; those of a project need one. */
function placeFor(flags: { user: boolean; local: boolean }, { cwd, env }: Context): Result<Place, string> {
  if (flags.user && flags.local) return fail(say.TWO_SCOPES);
  const home = homeIn(env);
  if (!home.ok) return home;
  const scope: Scope = flags.user ? 'user' : flags.local ? 'local' : 'project';
  const git = findGit(cwd);
  if (git === undefined && scope !== 'user') return fail(say.NO_REPOSITORY);
  const ground = { project: git?.root ?? cwd, home: home.value, env };
  return succeed({ ground, commonDir: git?.commonDir, scope });
}
