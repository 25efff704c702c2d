/** What the environment says of a build server that we run on. */
export interface Ci {
  readonly ci: boolean;
  /** The branch that a pull request wants to go to, without its remote. */
  readonly baseRef?: string;
  /** The commit that is built. */
  readonly sha?: string;
}

/** Outside a build server the variables of one mean nothing. */
export function ciOf(env: Readonly<Record<string, string | undefined>>): Ci {
  const said = env['CI']?.toLowerCase();
  const ci = said === 'true' || said === '1' || env['GITHUB_ACTIONS'] === 'true';
  if (!ci) return { ci };
  const { GITHUB_BASE_REF: baseRef, GITHUB_SHA: sha } = env;
  return { ci, ...(baseRef && { baseRef }), ...(sha && { sha }) };
}
