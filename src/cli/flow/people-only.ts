import { actorIn } from '../req/actor';
import type { Context } from '../verb';
import { agentMayNot } from './messages';

/** Why an agent may not run a command; nothing where a person runs it. */
export function peopleOnly(command: 'approve' | 'suspend' | 'cancel', { env }: Context): string | undefined {
  return actorIn(env) === 'agent' ? agentMayNot(command) : undefined;
}
