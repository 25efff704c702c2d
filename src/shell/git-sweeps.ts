import { posix } from 'node:path';
import { matchesName } from '../core/text';
import type { ReachedFile, Target } from './file-writes';
import {
  Arguments,
  isBelow,
  knownWord,
  nameTable,
  type PossibleValues,
  resolveFrom,
  unknownWord,
  type Word,
} from './words';

/** Which work tree files a command writes or removes, by their git status. */
interface Sweep {
  /** The paths it is limited to; if empty, the whole work tree. */
  readonly places?: readonly Word[];
  readonly changed?: boolean;
  readonly untracked?: boolean;
  readonly ignored?: boolean;
  /** Directories without tracked files are left alone. */
  readonly isFlat?: boolean;
  /** Names and globs of files to keep. */
  readonly except?: readonly string[];
}

type Sweeper = (words: readonly Word[]) => Sweep | undefined;

/** Undoes changes in the named paths, or with one of the `force` options everywhere. */
const reverting =
  (withValue: string, force: string, hasPlaces: boolean): Sweeper =>
  (words) => {
    const args = new Arguments(words, withValue);
    const isIndexOnly = args.has('--staged -S') && !args.has('--worktree -W');
    if (isIndexOnly || args.has('--cached -n --dry-run')) return undefined;
    const named = hasPlaces ? args.rest : undefined;
    const isAll = named === undefined && args.has(force);
    const places = named ?? (hasPlaces && !isAll ? args.operands : []);
    return isAll || places.length > 0 ? { changed: true, places } : undefined;
  };

const stashing: Sweeper = (words) => {
  const args = new Arguments(words, '-m --message');
  const verb = words[0]?.value ?? '';
  if (verb !== '' && !/^(?:-.*|push|save)$/.test(verb)) return undefined;
  const all = args.has('-a --all');
  const untracked = all || args.has('-u --include-untracked');
  return { changed: true, untracked, ignored: all, places: args.rest ?? [] };
};

const cleaning: Sweeper = (words) => {
  const args = new Arguments(words, '-e --exclude');
  const places = args.all.length > 0 ? args.all : [knownWord('.')];
  if (args.has('-n --dry-run')) return undefined;
  return {
    places,
    untracked: !args.has('-X'),
    ignored: args.has('-x -X'),
    isFlat: args.all.length === 0 && !args.has('-d'),
    except: args.valuesOf('-e --exclude').map(({ text }) => text),
  };
};

const sweeperOf = nameTable<Sweeper>(() => [
  ['clean', cleaning],
  ['stash', stashing],
  ['reset', reverting('', '--hard', false)],
  ['restore', reverting('-s --source --conflict', '', true)],
  ['checkout', reverting('-b -B --orphan --conflict', '-f --force', true)],
  ['switch', reverting('-c -C --orphan --conflict', '-f --force --discard-changes', false)],
  ['checkout-index', reverting('', '-a --all', true)],
  ['rm', reverting('', '', true)],
]);

/** The watched files that a git command removes or reverts, judging by their `git status`. */
export function sweptFiles(
  subcommand: string | undefined,
  words: readonly Word[],
  dir: PossibleValues,
): readonly Target[] {
  const sweep = sweeperOf(subcommand ?? '')?.(words);
  if (sweep === undefined) return [];
  const { places = [] } = sweep;
  const except = sweep.except?.map((pattern) => pattern.replace(/^\/|\/\**$/g, '')) ?? [];
  const areas = (places.length > 0 ? places : [knownWord('/')]).flatMap(({ value }) =>
    resolveFrom(dir, value?.replace(/^:[/(].*$/, '/')),
  );
  const reaches = ({ file, watched }: ReachedFile): boolean => {
    const isNamed = areas.some((area) => area !== undefined && (area === file || isBelow(area, file)));
    const names = file.split('/');
    if (!isNamed || except.some((each) => names.some((name) => matchesName(each, name)))) return false;
    return dir.some((directory = '') => {
      const code = watched.gitStatus(directory, file).slice(0, 2);
      // Git prints a trailing slash for a directory without tracked files.
      if (sweep.isFlat && /\/$/m.test(watched.gitStatus(directory, posix.dirname(file)))) return false;
      if (code === '!!') return sweep.ignored === true;
      return (code === '??' ? sweep.untracked : code !== '' && sweep.changed) === true;
    });
  };
  return [{ how: 'git', candidates: [unknownWord(`git ${subcommand}`)], reaches }];
}
