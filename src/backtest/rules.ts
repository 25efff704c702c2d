import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Mode, modeIn } from '../core/effect-kinds';
import { type Chunks, type GuardName, OWN_FILES } from '../core/guard';
import type { ProjectWithState } from '../core/hook';
import { isJsonObject, type Json, nameIn, objectIn, objectsIn } from '../core/json';
import type { CompiledConfig, CompiledGuard } from '../core/project';
import { runGit } from '../git/run-git';

/** The rules that sessions are replayed through. */
export interface Rules {
  /** As written in the config files. */
  readonly config: CompiledConfig;
  /** The same with every rule in mode `hold`, to see what each would do. */
  readonly played: CompiledConfig;
  /** Problems of the config, ready to be shown. */
  readonly problems: readonly string[];
}

/** A guard with its config, in addition to those of the config files. */
export interface ExtraGuard {
  readonly compiled: CompiledGuard;
  readonly config: Json;
}

/** The rules of a project as its files are now, plus `extra`. */
export function rulesOf(
  project: ProjectWithState,
  chunks: Chunks,
  extra: readonly ExtraGuard[],
  files?: string,
): Rules {
  const written = chunks.part('compile-config').compileAsWritten(project, chunks, files);
  const { head } = written;
  const config: CompiledConfig = {
    head: { ...head, guards: [...head.guards, ...extra.map(({ compiled }) => compiled)] },
    configOf: (index) => extra[index - head.guards.length]?.config ?? written.configOf(index),
  };
  return { config, played: everyRuleHolds(config, chunks), problems: head.problems };
}

function everyRuleHolds({ head, configOf }: CompiledConfig, chunks: Chunks): CompiledConfig {
  const configs = head.guards.map((_, index) => holding(configOf(index)));
  const guards = head.guards.map(({ shadow: _, silent: __, ...guard }, index): CompiledGuard => {
    if (guard.name === OWN_FILES) return guard;
    return { ...guard, interests: chunks.guard(guard.name).interest(configs[index] ?? null) };
  });
  return { head: { ...head, guards }, configOf: (index) => configs[index] ?? null };
}

/** A guard's config with every mode set to `hold`, in a workflow to `deny`; disabled rules stay disabled. */
function holding(config: Json): Json {
  return JSON.parse(
    JSON.stringify(config, (key, value: Json) => {
      if (key !== 'mode') return value;
      if (value === 'observe') return 'deny';
      return value === 'shadow' || value === 'warn' ? 'hold' : value;
    }),
  );
}

/** Where a commit may contain config. */
const CONFIG_PLACES = ['.holdpoint', '.claude', '.gauntlet', '.isdlc'];

/** The rules of another commit; `undefined` if git does not know the ref. */
export async function rulesAt(
  ref: string,
  project: ProjectWithState,
  chunks: Chunks,
  extra: readonly ExtraGuard[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Rules | undefined> {
  const git = async (...args: string[]) => runGit({ cwd: project.root, args, env });
  const named = ['--end-of-options', `${ref}^{commit}`];
  const { code, printed } = await git('rev-parse', '--verify', '--quiet', ...named);
  if (code !== 0) return undefined;
  const commit = printed.trim();
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-backtest-'));
  try {
    const listed = await git('ls-tree', '-r', '-z', '--name-only', commit, '--', ...CONFIG_PLACES);
    for (const path of listed.printed.split('\0').filter(Boolean)) {
      const file = join(dir, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, (await git('show', `${commit}:${path}`)).printed);
    }
    return rulesOf(project, chunks, extra, dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The rules that a config names. Others, such as a workflow's, are only known once they give a verdict. */
export function namedRules({ head, configOf }: CompiledConfig) {
  return head.guards.flatMap(({ name: guard, byHand }, index) => {
    if (byHand === true) return [];
    const config = configOf(index);
    const lists = ['requirements', 'rules', 'checks', 'reviews'].flatMap((key) => objectsIn(config, key));
    return lists.flatMap((one) => {
      const rule = nameIn(one, 'name');
      return rule === undefined ? [] : [{ guard, rule, mode: modeIn(one['mode']) }];
    });
  });
}

/** The mode of a rule that gave a verdict. A workflow's rules are a mapping with its own words for modes. */
export function modeOf({ head, configOf }: CompiledConfig, guard: GuardName, rule: string): Mode {
  const config = head.guards.flatMap(({ name }, index) => (name === guard ? [configOf(index)] : []));
  const [setting] = config.flatMap((one) => {
    const rules = objectIn(one, 'rules')[rule];
    return isJsonObject(rules) ? [rules] : [];
  });
  return modeIn(setting?.['mode']);
}
