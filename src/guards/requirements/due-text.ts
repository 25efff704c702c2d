import type { Effect } from '../../core/effect-kinds';
import type { Requirement } from './section';

/* When a requirement is due, in words. */

const EFFECT_PHRASES: Readonly<Record<Effect, string>> = {
  edit: 'an edit',
  commit: 'a commit',
  push: 'a push',
  merge: 'a merge',
  pr: 'a pull request',
  delete: 'a deletion',
  network: 'network access',
  config: 'a config change',
};

/** What it holds, as part of a sentence. */
export function heldActionText({ triggers, effects, stopOnly }: Requirement): string {
  if (stopOnly) return 'the turn ends';
  const named = triggers.map((trigger) => {
    if (trigger.kind === 'command')
      return `\`${trigger.pattern.replace(/\\s[+*]?/g, ' ').replaceAll('\\b', '')}\``;
    return /^(?:(?:Multi|Notebook)?Edit|Write)$/.test(trigger.tool) ? 'an edit' : trigger.tool;
  });
  return [...new Set([...effects.map((effect) => EFFECT_PHRASES[effect]), ...named])].join(' or ');
}

/** Before which calls it must be satisfied, for messages in advance. */
export function dueBeforeText(requirement: Requirement): string {
  const moment = heldActionText(requirement);
  if (requirement.type !== 'blocking') return '';
  return requirement.scope === 'single_use'
    ? `, before each ${moment.replace(/(^| or )an? /g, '$1')}`
    : `, before ${moment}`;
}
