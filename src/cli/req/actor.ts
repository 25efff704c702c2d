import { HOST_VARIABLES } from '../../core/host-variables';

/** Who runs a command, as far as the hosts mark the shells of their agents. */
export type Actor = 'agent' | 'person';

const MARKS = Object.values(HOST_VARIABLES).flatMap(({ agent }) => agent);

export function actorIn(env: Readonly<Record<string, string | undefined>>): Actor {
  return MARKS.some((name) => isSet(env[name])) ? 'agent' : 'person';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}
