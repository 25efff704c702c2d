import { type Command, defineRule, hold } from '../../../api';
import { generatedKind, inProject, isSource, isTest } from './files';

const SHOWN = 5;
const READING = ['read', 'search', 'web'];

/** Sources must change together with tests. It holds once per file, since some changes need no test. */
export const testsWithSources = defineRule({
  name: 'tests-with-sources',
  on: ['turn.stop', 'commit'],
  description: 'Sources change together with tests.',
  decide(_event, ctx) {
    const calls = ctx.history.filter(({ outcome, op }) => outcome !== 'failure' && !READING.includes(op));
    const changed = changedBy([...calls, ctx]).flatMap((path) => {
      const below = inProject(path, ctx.root);
      return below === undefined ? [] : [{ path, below }];
    });
    if (changed.some(({ below }) => isTest(below))) return;
    const told = Array.isArray(ctx.state['told']) ? (ctx.state['told'] as unknown[]) : [];
    const missing = changed.filter(
      ({ path, below }) =>
        isSource(below) &&
        !told.includes(below) &&
        isWithoutTest(below, ctx.read(path)) &&
        generatedKind(path, below, ctx) === undefined,
    );
    if (missing.length === 0) return;
    const names = missing.map(({ below }) => below);
    ctx.state['told'] = [...told, ...names];
    const shown = names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ', …' : '');
    return hold(
      `${shown} changed in this session, and no test did. Add or adapt a test, or tell the user why none is needed; then try again. Each file is held once.`,
    );
  },
});

/** The files that calls changed. Moving or removing a file does not count, unless it was changed before. */
function changedBy(
  calls: readonly { readonly paths: readonly string[]; readonly commands: readonly Command[] }[],
): string[] {
  const changed = new Set<string>();
  for (const { paths, commands } of calls)
    if (!isMove(commands) || paths.some((path) => changed.has(path)))
      for (const path of paths) changed.add(path);
  return [...changed];
}

const MOVING = /^(?:mv|rm|git mv|git rm)$/;
const BESIDE = /^(?:cd|ls|mkdir|git (?:add|commit|status|diff|push))$/;

function isMove(commands: readonly Command[]): boolean {
  const names = commands.map(({ program, arguments: [verb] }) =>
    program === 'git' ? `git ${verb}` : program,
  );
  return (
    names.some((name) => MOVING.test(name)) && names.every((name) => MOVING.test(name) || BESIDE.test(name))
  );
}

/** A deleted file needs no test, and a Rust source may contain its own. */
function isWithoutTest(path: string, text: string | undefined): boolean {
  return text !== undefined && !(path.endsWith('.rs') && /^\s*#\[cfg\(test\)\]/m.test(text));
}
