import type { UnknownEffect } from '../core/command-effects';
import { constantOf, textOf, type Word } from './command';
import { lazily } from './lazily';
import { baseName } from './paths';
import { SHELLS } from './shell-code';

/** Programs and builtins that write no file by themselves. */
const readers = lazily(
  () =>
    new Set(
      `: [ ag alias apropos arch awk b2sum base32 base64 basename bat bc bg bind break bzcat cal cat cd cksum clear cmp
  column comm command compgen complete continue cut date declare df diff dig dircmp dirname dirs disown du echo
  egrep env exec exit expand export expr factor false fd fg fgrep file find fmt fold free gawk getconf getopt getopts
  gh glab grep gsed groups hash head help hexdump history host hostname iconv id info jobs join jq kill last ldd less
  let local locale logname look ls lsblk lscpu lsof man mapfile md5sum mktemp more nl nm nproc nslookup numfmt objdump od paste pathchk pgrep ping pkill popd pr printenv printf ps pushd pwd read readarray readlink
  readonly realpath return rev rg sed seq set sha1sum sha256sum sha512sum shift shopt sleep sort ss ssh stat strings
  stty sum tac tail test time timeout top tput tr tree true tsort tty type typeset ulimit umask unalias uname unexpand
  uniq unset uptime vmstat w wait wc whatis whereis which who whoami xargs xxd yes yq zcat zgrep`.split(
        /\s+/,
      ),
    ),
);

const CODE = new Set(['eval', 'source', '.', 'trap', 'parallel', 'busybox', 'su', 'watch']);

const scripts = lazily(
  () =>
    new Set(
      `python python2 python3 pypy node nodejs deno bun tsx ts-node ruby perl php lua Rscript R julia osascript expect
  make gmake just task rake ant gradle gradlew mvn mvnw npm yarn pnpm npx bunx cargo go dotnet docker podman
  docker-compose kubectl terraform ansible ansible-playbook`.split(/\s+/),
    ),
);

/** What is left unknown by a command, if it is anything but harmless. */
export function unfollowed(words: readonly Word[]): UnknownEffect | undefined {
  const [first, ...args] = words;
  if (first === undefined) return undefined;
  const kind = kindOf(constantOf(first), args);
  return kind === undefined ? undefined : { kind, text: words.map(textOf).join(' ') };
}

function kindOf(name: string | undefined, args: readonly Word[]): UnknownEffect['kind'] | undefined {
  if (name === undefined) return 'code';
  if (onlyTells(args)) return undefined;
  const program = baseName(name);
  if (CODE.has(name) || SHELLS.has(program)) return codeKind(program, args);
  if (scripts().has(program) || /^python[0-9.]+$/.test(program)) return 'script';
  const acts = ACTS.get(program);
  if (acts !== undefined) return acts(args) ? 'script' : undefined;
  if (readers().has(program) && (!name.includes('/') || isSystemPath(name))) return undefined;
  return name.includes('/') ? 'script' : 'program';
}

const ACTS: ReadonlyMap<string, (args: readonly Word[]) => boolean> = new Map([
  ['awk', awkActs],
  ['gawk', awkActs],
  ['sed', sedActs],
  ['gsed', sedActs],
  ['find', findActs],
]);

/** A shell with a file to run is a script like any other. */
function codeKind(program: string, args: readonly Word[]): 'code' | 'script' {
  const [first] = args;
  const runsFile = SHELLS.has(program) || program === 'source' || program === '.';
  return runsFile && first !== undefined && !textOf(first).startsWith('-') ? 'script' : 'code';
}

function onlyTells(args: readonly Word[]): boolean {
  const [only, ...others] = args;
  return others.length === 0 && ['--version', '-V', '--help', '-h', '-v'].includes(constantOf(only) ?? '');
}

function isSystemPath(path: string): boolean {
  return ['/bin/', '/usr/bin/', '/usr/local/bin/'].some((directory) => path.startsWith(directory));
}

/** A program for awk can write files and run commands. */
function awkActs(args: readonly Word[]): boolean {
  return args.some((word) => {
    const text = textOf(word);
    return (
      text === '-f' ||
      text.includes('system(') ||
      /\bprintf?\b.*[>|]/.test(text) ||
      text.includes('| getline')
    );
  });
}

/** So can one for sed, with `w` and `e`. */
function sedActs(args: readonly Word[]): boolean {
  if (args.some((word) => ['-f', '--file'].includes(textOf(word)))) return true;
  return sedScripts(args).some((script) => {
    const bare = script.replace(SUBSTITUTION, 's').replace(ADDRESS, '');
    return /(^|[;{}\s\d$,])([wW]\s*\S|e(\s|$|;))|s[gIpMm0-9]*[we]/.test(bare);
  });
}

/** `s/a/b/` up to its flags, and an address `/a/`: what stands inside them is text. */
const SUBSTITUTION = /s([^\s\w\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1/g;
const ADDRESS = /\/(?:\\.|[^\\/])*\//g;

/** The words that are sed's program: those after `-e`, else the first that is no option. */
function sedScripts(args: readonly Word[]): string[] {
  const words = args.map(textOf);
  const given = words.filter((_, at) => ['-e', '--expression'].includes(words[at - 1] ?? ''));
  const joined = words.filter((word) => word.startsWith('--expression=')).map((word) => word.slice(13));
  if (given.length + joined.length > 0) return [...given, ...joined];
  return words.filter((word) => !word.startsWith('-')).slice(0, 1);
}

/** `find` prints into files of its own by some of its actions. */
function findActs(args: readonly Word[]): boolean {
  return args.some((word) => ['-fprint', '-fprint0', '-fprintf', '-fls'].includes(textOf(word)));
}
