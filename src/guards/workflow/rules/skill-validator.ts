import type { Rule } from '../finding';
import { MANIFEST_BROKEN } from '../messages';
import { skillEnforcement } from '../state';

/** Looks on, unless the project wants to be held when nobody can tell which agent owns what. */
export const skillValidator: Rule = ({ call, event, model, state }) => {
  if (event.kind !== 'tool.before' || call?.op !== 'agent' || state === undefined) return undefined;
  const { enabled, failBehavior } = skillEnforcement(state);
  if (model.manifest !== 'unreadable' || !enabled || failBehavior !== 'block') return undefined;
  return { weight: 'deny', text: MANIFEST_BROKEN, fact: 'the skills manifest cannot be read' };
};
