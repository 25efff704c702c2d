import type { GitPlace } from '../../core/git-head';
import type { HostName } from '../../core/host-name';
import type { Ground } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { hostsInUse } from '../install/hosts-in-use';
import type { Context } from '../verb';
import { type DefaultBranch, defaultBranchOf } from './default-branch';
import { type Survey, surveyOf } from './detect/survey';
import { type ProposedCheck, proposedChecks } from './proposed-checks';
import { isThere, OWN_CONFIG, type Taken, takenSections } from './taken';

/** Everything that is known before anybody is asked. */
export interface Situation {
  readonly place: GitPlace;
  readonly ground: Ground;
  readonly hasConfig: boolean;
  readonly taken: readonly Taken[];
  readonly branch: DefaultBranch | undefined;
  readonly survey: Survey;
  readonly checks: readonly ProposedCheck[];
  /** Hosts that can be set up in a project; those of `unfit` only for a whole machine. */
  readonly hosts: readonly HostName[];
  readonly unfit: readonly HostName[];
  /** Whether any host was seen, or the first of the table stands in. */
  readonly sawHost: boolean;
}

const STANDARD_HOST: HostName = 'claude-code';

export function lookAround(place: GitPlace, named: readonly HostName[], { env }: Context): Situation {
  const ground: Ground = { project: place.root, home: env['HOME'] ?? '', env };
  const survey = surveyOf(place.root);
  const seen = named.length > 0 ? named : hostsInUse(ground, 'project');
  const fits = (name: HostName): boolean => setupOf(name)?.scopes.includes('project') === true;
  const hosts = seen.filter(fits);
  return {
    place,
    ground,
    hasConfig: isThere(place.root, OWN_CONFIG),
    taken: takenSections(place.root),
    branch: defaultBranchOf(place),
    survey,
    checks: proposedChecks(survey.parts),
    hosts: hosts.length > 0 || named.length > 0 ? hosts : [STANDARD_HOST],
    unfit: seen.filter((name) => !fits(name)),
    sawHost: seen.length > 0,
  };
}
