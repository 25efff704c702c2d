import { defineRule, hold } from '../../../api';
import { generatedKind, inProject, isSource, isTest } from './files';

const SHOWN = 5;
const READING = ['read', 'search', 'web'];

/** Whoever changes sources changes tests too. It holds once for each file: some changes need none. */
export const testsWithSources = defineRule({
  name: 'tests-with-sources',
  on: ['turn.stop', 'commit'],
  description: 'Sources change together with tests.',
  decide(_event, ctx) {
    const calls = ctx.history.filter(({ outcome, op }) => outcome !== 'failure' && !READING.includes(op));
    const changed = [...new Set([...calls.flatMap(({ paths }) => paths), ...ctx.paths])].flatMap((path) => {
      const below = inProject(path, ctx.root);
      return below === undefined ? [] : [{ path, below }];
    });
    if (changed.some(({ below }) => isTest(below))) return;
    const told = Array.isArray(ctx.state['told']) ? (ctx.state['told'] as unknown[]) : [];
    const missing = changed.filter(
      ({ path, below }) =>
        isSource(below) &&
        !told.includes(below) &&
        // A file that is gone needs no test.
        ctx.read(path) !== undefined &&
        generatedKind(path, below, ctx) === undefined,
    );
    if (missing.length === 0) return;
    const names = missing.map(({ below }) => below);
    ctx.state['told'] = [...told, ...names];
    const shown = names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ', …' : '');
    return hold(
      `${shown} changed in this session, and no test did. Add or adapt a test. If no test is needed, tell the user why and go on: this is said once.`,
    );
  },
});
