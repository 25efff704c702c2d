import type { Facts } from './facts';
import type { RuleName } from './model';
import type { Heard } from './speak';

/** What each rule made of an event, a line each, for whoever wants to watch them think. */
export function debugNotes(facts: Facts, asked: readonly RuleName[], heard: readonly Heard[]): string[] {
  const { phase, workflow, delegation, place, unreadable, state } = facts;
  const standing = unreadable?.why ?? (state === undefined ? 'missing' : 'read');
  const where = `state ${place.file} (${standing}), workflow ${workflow?.type ?? 'none'}, phase ${phase ?? 'none'}, delegation ${delegation.kind}`;
  return [
    where,
    ...asked.map((name) => {
      const one = heard.find((each) => each.name === name);
      return one === undefined ? `${name}: nothing to say` : `${name}: ${one.effect}: ${one.finding.fact}`;
    }),
  ];
}
