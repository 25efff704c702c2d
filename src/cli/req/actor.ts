/** Who runs a command, as far as the hosts mark the shells of their agents. */
export type Actor = 'agent' | 'person';

export function actorIn(env: Readonly<Record<string, string | undefined>>): Actor {
  return env['CLAUDECODE'] === '1' || env['AI_AGENT'] !== undefined ? 'agent' : 'person';
}
