import * as v from 'valibot';
import { notEnforced } from '../config/messages';
import { pointerOf } from '../config/pointer';
import { type CompileContext, type Section, type SeedFile, section } from '../config/section';
import type { GuardName } from '../domain/guard-name';
import { isJsonObject } from '../domain/json';

type Mount = SeedFile['mount'];

/** The files of the older programs, each with where its keys belong. */
const FILES: Readonly<Partial<Record<GuardName, readonly SeedFile[]>>> = {
  gates: [
    seedFile('global', 'home', '.config/agent-gauntlet/config.yml', (key) => ['gates', key]),
    seedFile('project', 'project', '.gauntlet/config.yml', (key) => ['gates', key]),
    seedFile('project', 'project', '.gauntlet/checks/*.yml', (key, name) => ['gates', 'checks', name, key]),
    seedFile('project', 'project', '.gauntlet/reviews/*.md', (key, name) => ['gates', 'reviews', name, key]),
  ],
  workflow: [
    seedFile('project', 'project', '.isdlc/config/*.json', (key, name) => ['workflow', name, key]),
    seedFile('project', 'project', '.claude/hooks/config/*.json', (key, name) => ['workflow', name, key]),
    seedFile('project', 'project', '.isdlc/monorepo.json', (key) => ['workflow', 'monorepo', key]),
  ],
};

/**
 * Disciplines whose keys and files are known but which this version does not have. They are read like
 * all others, so that their mistakes show, and said not to be enforced, so that nobody counts on them.
 */
export const NOT_YET: readonly Section[] = (['workflow', 'gates', 'loop'] as const).map((guard) =>
  section({
    guard,
    keys: { [guard]: v.unknown() },
    seedOnly: [],
    files: FILES[guard] ?? [],
    units: [],
    tolerated: [],
    freeForm: [],
    compile(valid, context) {
      if (!Object.hasOwn(valid, guard)) return undefined;
      const message = notEnforced(`\`${guard}\``);
      const pointer = firstPlaced(valid[guard], [guard], context);
      context.report(pointer, { code: 'config.not-enforced', severity: 'warning', message });
      return undefined;
    },
  }),
);

/** What stands in files of its own has no place as a whole; the first thing in it has. */
function firstPlaced(value: unknown, path: readonly string[], context: CompileContext): string {
  const pointer = pointerOf(path);
  const [first] = isJsonObject(value) ? Object.entries(value) : [];
  if (context.place(pointer) !== undefined || first === undefined) return pointer;
  return firstPlaced(first[1], [...path, first[0]], context);
}

function seedFile(layer: SeedFile['layer'], base: SeedFile['base'], path: string, mount: Mount): SeedFile {
  return { layer, base, path, yaml: '1.2', mount };
}
