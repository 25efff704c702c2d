import { isJsonObject, type Json } from '../../../core/json';
import type { FoundCheck, PassedOver, Purpose } from './kind';

/** Names under which projects keep the script for a purpose, the likeliest first. */
const NAMES: readonly (readonly [Purpose, readonly string[]])[] = [
  ['test', ['test', 'test:unit', 'tests', 'unit']],
  ['lint', ['lint', 'lint:check', 'lint:ci', 'eslint']],
  ['typecheck', ['typecheck', 'type-check', 'check-types', 'check:types', 'types:check', 'tsc']],
  ['format', ['format:check', 'fmt:check', 'check:format', 'prettier:check']],
  ['check', ['check']],
  ['build', ['build']],
];

const PLACEHOLDER = /no test specified/;
const WATCHES =
  /(?:^|\s)(?:--watch(?:All|-all)?(?!\S*=false)(?=[\s=]|$)|-w(?=\s|$))|(?:^|\s)(?:nodemon|chokidar)\s/;
const CHANGES_FILES = /(?:^|\s)(?:--fix(?!\S*=false)|--write|--apply)(?=[\s=]|$)/;

/** Programs that watch by themselves, and what makes them run once. */
const RUN_ONCE: readonly (readonly [RegExp, string])[] = [
  [/\breact-scripts test\b(?!.*--watchAll=false)/, '--watchAll=false'],
  [/\bng test\b(?!.*--(?:no-)?watch)/, '--watch=false'],
];

/** How a script is run: its name in, a command line out. `more` are arguments for the script itself. */
export type RunScript = (script: string, more: string) => string;

interface Scripts {
  readonly checks: readonly FoundCheck[];
  readonly passedOver: readonly PassedOver[];
}

/** The checks among the scripts of a manifest. `where` names the mapping: `package.json, scripts`. */
export function checksAmong(scripts: Json | undefined, where: string, run: RunScript): Scripts {
  const checks: FoundCheck[] = [];
  const passedOver: PassedOver[] = [];
  const known = isJsonObject(scripts) ? scripts : {};
  for (const [purpose, names] of NAMES) {
    // A script called `check` is usually the others together.
    if (purpose === 'check' && checks.some((one) => one.purpose === 'lint' || one.purpose === 'typecheck'))
      continue;
    for (const name of names) {
      const line = lineOf(known[name]);
      if (line === undefined) continue;
      const why = troubleWith(line);
      if (why !== undefined) {
        passedOver.push({ what: `${where}.${name}`, why });
        continue;
      }
      const more = RUN_ONCE.find(([program]) => program.test(line))?.[1] ?? '';
      checks.push({ purpose, command: run(name, more), source: `${where}.${name}` });
      break;
    }
  }
  return { checks, passedOver };
}

function lineOf(script: Json | undefined): string | undefined {
  if (typeof script === 'string') return script.trim() === '' ? undefined : script;
  if (Array.isArray(script)) return script.join(' && ');
  return isJsonObject(script) && typeof script['command'] === 'string' ? script['command'] : undefined;
}

function troubleWith(line: string): string | undefined {
  if (PLACEHOLDER.test(line)) return "is npm's placeholder for tests that are not there";
  if (WATCHES.test(line)) return 'watches files and never ends';
  return CHANGES_FILES.test(line) ? 'changes files, and a check only looks' : undefined;
}
