type Env = Readonly<Record<string, string | undefined>>;

/** Inside one of git's own hooks these would point at another repository than the one asked about. */
export function withoutGitVariables(env: Env): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_')));
}
