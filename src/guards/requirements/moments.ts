import type { Effect } from '../../core/moments';
import type { Requirement } from './section';

/* When a requirement is due, in words. */

const EDITS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'];

const MOMENTS: Readonly<Record<Effect, string>> = {
  edit: 'an edit',
  commit: 'a commit',
  push: 'a push',
  merge: 'a merge',
  pr: 'a pull request',
  delete: 'a deletion',
  network: 'network access',
  config: 'a config change',
};

/** What it holds, in the words of a sentence. */
export function momentOf({ triggers, effects, stopOnly }: Requirement): string {
  if (stopOnly) return 'the turn ends';
  const named = triggers.map((trigger) => {
    if (trigger.kind === 'command')
      return `\`${trigger.pattern.replace(/\\s[+*]?/g, ' ').replaceAll('\\b', '')}\``;
    return EDITS.includes(trigger.tool) ? 'an edit' : trigger.tool;
  });
  return [...new Set([...effects.map((effect) => MOMENTS[effect]), ...named])].join(' or ');
}

/** Before which calls it is due, for who is told ahead of time. */
export function whenOf(requirement: Requirement): string {
  const moment = momentOf(requirement);
  if (requirement.type !== 'blocking') return '';
  return requirement.scope === 'single_use'
    ? `, before each ${moment.replace(/^an? /, '')}`
    : `, before ${moment}`;
}
