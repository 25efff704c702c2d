import { defineRule, hold } from '../../../api';
import { generatedKind, inProject, THIRD_PARTY } from './files';
import { filesTypedInto } from './shell-text';

const BY_HAND = ['write', 'edit', 'patch', 'mcp', 'other'];

/** Holds edits of generated files, which only their generator should change. */
export const noGeneratedEdits = defineRule({
  name: 'no-generated-edits',
  on: 'edit',
  description: 'Generated files, lock files and vendored code are not edited by hand.',
  decide(event, ctx) {
    if (event.kind !== 'tool.before') return;
    const { op } = event.call;
    const removed = ctx.effects.flatMap(({ kind, paths = [] }) => (kind === 'delete' ? paths : []));
    const typed = op === 'shell' ? filesTypedInto(event, ctx) : [];
    const isByHand = (path: string): boolean => BY_HAND.includes(op) || typed.includes(path);
    for (const path of ctx.paths) {
      const below = inProject(path, ctx.root);
      if (below === undefined || !isByHand(path) || (removed.includes(path) && op !== 'patch')) continue;
      const kind = generatedKind(path, below, ctx);
      if (kind !== undefined) return hold(`${below} is ${kind}. ${insteadOf(kind)}`);
    }
    return;
  },
});

function insteadOf(kind: string): string {
  return THIRD_PARTY.some((one) => one === kind)
    ? 'Change it upstream, or update the package.'
    : 'Change what it is made from, and run the tool that makes it.';
}
