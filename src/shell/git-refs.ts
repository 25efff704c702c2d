import type { Possible, RefWrite } from '../core/command-effects';
import { has, readArguments, valueOfOption } from './arguments';
import { constantOf, textOf, type Word } from './command';
import { bareBranch, nameIn, type Planner, plan, refNamed, refTo, takesOver, writeTo } from './git-plan';
import { type Options, possibleOf, UNKNOWN } from './possible';

/** The commands that write refs by name, here or at a remote. */

const PUSH_VALUES = '-o --push-option --repo --receive-pack --exec';
const FETCH_VALUES =
  '--depth --deepen --shallow-since --upload-pack -o --server-option -j --jobs --refmap --filter --negotiation-tip';
const PULL_VALUES = `${FETCH_VALUES} -s --strategy -X --strategy-option`;

export const push: Planner = (words, branch) => {
  const args = readArguments(words, PUSH_VALUES);
  const [named, ...specs] = [...args.operands, ...(args.rest ?? [])];
  const remote = possibleOf([constantOf(named ?? valueOfOption(args, '--repo'))]);
  const dryRun = has(args, '-n', '--dry-run');
  const isWide = has(args, '--all', '--mirror', '--branches');
  const refs: RefWrite[] = specs.map((spec) => ({ remote, ref: remoteRef(spec, branch) }));
  if (isWide) refs.push({ remote, ref: UNKNOWN });
  // Without a refspec it depends on the configuration which refs are pushed.
  else if (specs.length === 0) refs.push({ remote, ref: UNKNOWN, implied: true });
  return plan('push', { dryRun, refs: dryRun ? [] : refs });
};

function remoteRef(spec: Word, branch: Options): Possible<string> {
  const text = nameIn(spec);
  if (text === undefined) return UNKNOWN;
  const bare = text.startsWith('+') ? text.slice(1) : text;
  const colon = bare.indexOf(':');
  const target = colon < 0 ? bare : bare.slice(colon + 1);
  if (target.startsWith('refs/tags/')) return possibleOf([target]);
  if (target === '' || target.includes('*') || target.startsWith('$')) return UNKNOWN;
  if (target === 'HEAD' || target === '@') return possibleOf(branch);
  return possibleOf([bareBranch(target)]);
}

export const fetch: Planner = (words) => {
  const args = readArguments(words, FETCH_VALUES);
  const dryRun = has(args, '--dry-run');
  return plan('fetch', { dryRun, refs: dryRun ? [] : localRefs(args.operands.slice(1)) });
};

export const pull: Planner = (words, branch) => {
  const args = readArguments(words, PULL_VALUES);
  const dryRun = has(args, '--dry-run');
  const [, ...specs] = args.operands;
  const follows = specs.every((spec) => branch.length === 1 && constantOf(spec) === branch[0]);
  const refs = dryRun ? [] : [writeTo(branch, follows), ...localRefs(specs)];
  return plan('pull', {
    dryRun,
    createsCommit: has(args, '--ff-only') ? false : 'unknown',
    refs,
    files: 'some',
  });
};

/** `a:b` also writes `b` here; a name alone writes only what tracks the remote. */
function localRefs(specs: readonly Word[]): readonly RefWrite[] {
  return specs.flatMap((spec) => {
    const [source = '', target] = textOf(spec).replace(/["']/g, '').split(':');
    if (target === undefined || target === '' || target.startsWith('refs/remotes/')) return [];
    if (/^[$`]|\*/.test(target)) return [refTo([undefined])];
    return [writeTo([bareBranch(target)], bareBranch(source.replace(/^\+/, '')) === bareBranch(target))];
  });
}

export const reset: Planner = (words, branch) => {
  const args = readArguments(words, '--pathspec-from-file');
  const changesFiles = has(args, '--hard', '--merge', '--keep');
  const hasPaths = args.operands.length > 1 || (args.rest?.length ?? 0) > 0 || has(args, '-p', '--patch');
  const [target] = args.operands;
  const stays = target === undefined || constantOf(target) === 'HEAD';
  const refs = hasPaths || stays ? [] : [writeTo(branch, takesOver(target, branch))];
  return plan('reset', { refs, files: changesFiles ? 'some' : [] });
};

export const tag: Planner = (words) => {
  const args = readArguments(
    words,
    '-m --message -F --file -u --local-user --sort --format --cleanup --points-at --contains --no-contains --merged --no-merged',
  );
  const isListing = has(
    args,
    '-l',
    '--list',
    '--contains',
    '--no-contains',
    '--points-at',
    '--merged',
    '--no-merged',
    '-v',
    '--verify',
  );
  const [name] = args.operands;
  if (name === undefined || isListing) return undefined;
  const names = has(args, '-d', '--delete') ? args.operands : [name];
  return plan('tag', { refs: names.map((each) => refTo([prefixed('refs/tags/', constantOf(each))])) });
};

function prefixed(prefix: string, name: string | undefined): string | undefined {
  return name === undefined ? undefined : prefix + name;
}

export const updateRef: Planner = (words, branch) => {
  const args = readArguments(words, '-m');
  if (has(args, '--stdin'))
    return plan('update-ref', { refs: [refTo([undefined])], createsCommit: 'unknown' });
  const [name] = args.operands;
  const isHead = constantOf(name) === 'HEAD' && !has(args, '--no-deref');
  const written = isHead ? refTo(branch) : refNamed(name);
  return plan('update-ref', { refs: [written], createsCommit: 'unknown' });
};

const STASH_READS = ['list', 'show', 'create'];

export const stash: Planner = (words) => {
  const verb = constantOf(words[0]);
  if (verb !== undefined && STASH_READS.includes(verb)) return undefined;
  const refs = [refTo(['refs/stash'])];
  if (verb === 'branch') {
    return plan('stash', {
      refs: [...refs, refNamed(words[1])],
      branchAfter: [constantOf(words[1])],
      files: 'some',
    });
  }
  return plan('stash', { refs: verb === 'apply' ? [] : refs, files: 'some' });
};

export const notes: Planner = (words) => {
  const args = readArguments(words, '--ref -m -F -C -c');
  const verb = constantOf(args.operands[0]);
  if (verb === undefined || verb === 'list' || verb === 'show' || verb === 'get-ref') return undefined;
  return plan('update-ref', { refs: [refTo(['refs/notes/commits'])] });
};
