import { basename, join, resolve } from 'node:path';
import { ask, type Command, defineRule, type Event, type RuleContext } from '../../../api';
import { realPath } from '../../../core/context';
import { editedText } from '../../../core/event';
import { isBelow } from '../../../core/project-paths';
import { inProject } from './files';
import { manifestAt, pythonName } from './manifests';
import { filesTypedInto, hereDocuments } from './shell-text';

/** Names of allowed dependencies, one per line. */
const ALLOWED = '.holdpoint/dependencies.txt';

/** A person decides on new dependencies: the host asks or, if it cannot, the call is held. */
export const noNewDependencies = defineRule({
  name: 'no-new-dependencies',
  on: ['edit', 'network'],
  description: `A new dependency needs a person's yes, or a line in ${ALLOWED}.`,
  decide(event, ctx) {
    if (event.kind !== 'tool.before') return;
    if (ctx.paths.includes(join(ctx.root, ALLOWED)))
      return ask(`${ALLOWED} lists the dependencies that need no question; only a person extends it.`);
    const allowed = (ctx.read(ALLOWED) ?? '').split('\n').map((line) => line.trim().toLowerCase());
    const commands = ctx.commands.filter((command) => !isElsewhere(command, event, ctx));
    const added = [...commands.flatMap((command) => installed(command, ctx)), ...addedByEdit(event, ctx)];
    const fresh = [...new Set(added)].filter((name) => !allowed.includes(name.toLowerCase()));
    if (fresh.length === 0) return;
    const shown = fresh.slice(0, 8).join(', ') + (fresh.length > 8 ? ', …' : '');
    return ask(
      `this adds ${fresh.length === 1 ? 'a dependency' : `${fresh.length} dependencies`} (${shown}). A person can list it in ${ALLOWED}; then nothing asks.`,
    );
  },
});

/* Commands. */

interface Installer {
  /** Matches the beginning of its arguments without options. */
  readonly verbs: RegExp;
  /** Options that take a value. */
  readonly valued: RegExp;
  /** With one of these options nothing is added to the project. */
  readonly free?: RegExp;
  readonly manifests: readonly string[];
  nameOf(word: string): string | undefined;
}

/** A package that is not from the registry, perhaps with a name in front. */
const REMOTE =
  /^(?:[@\w][\w./-]*(?:\[[\w,-]*\])?\s*@\s*)?(?:(?:git|hg|svn|bzr)(?:\+(?!file)[a-z]+)?:|https?:|ssh:|git@|(?:github|gitlab|bitbucket|gist):)/i;
/** Options whose value is such a package. */
const FROM = /^(?:-e|--editable|--git)$/;

const LOCAL = /^[./~]|(?:^|@)(?:file|link|portal|workspace):|\.(?:tgz|tar\.gz|tar)$/;

function npmName(word: string): string | undefined {
  if (LOCAL.test(word)) return undefined;
  // npm takes `user/repo` for a GitHub repository.
  if (/^[\w-][\w.-]*\/[\w.-]+(?:#.*)?$/.test(word)) return word;
  const [, field] = /^\w*[dD]ependencies(?:\.|\[["']?)([^=\]"']+)["']?\]?=/.exec(word) ?? [];
  const [, meant = word] = /^(?:.+@)?npm:(.+)$/.exec(word) ?? [];
  return field ?? /^((?:@[\w.-]+\/)?[\w.-]+)(?:@.*)?$/.exec(meant)?.[1];
}

const NODE: Omit<Installer, 'verbs'> = {
  valued:
    /^(?:--(?:prefix|registry|tag|workspace|filter|cwd|dir|cache|loglevel|userconfig|save-prefix|omit|include|proxy|https-proxy)|-[wCF])$/,
  free: /^(?:-g|--global|--location=global|--dry-run|--no-save)$/,
  manifests: ['package.json'],
  nameOf: npmName,
};
const PYTHON: Omit<Installer, 'verbs'> = {
  valued:
    /^(?:-[rctefipGEop]|--(?:requirements?|constraint|target|editable|find-links|index-url|extra-index-url|index|python|prefix|root|upgrade-strategy|group|extra|extras|source|optional|package|tag|branch|rev|bounds|only-binary|no-binary|platform|python-version|markers|trusted-host|proxy))$/,
  free: /^(?:--dry-run|--help|-h)$/,
  manifests: [
    'pyproject.toml',
    'requirements.txt',
    'requirements-dev.txt',
    'requirements/base.txt',
    'requirements/dev.txt',
  ],
  nameOf: (word) => {
    const name = /[/\\]|^\.|\.whl$/.test(word) ? undefined : pythonName(word);
    return name === undefined || /^(?:pip|setuptools|wheel|uv)$/.test(name) ? undefined : name;
  },
};
const INSTALLERS: Readonly<Record<string, Installer>> = {
  npm: { ...NODE, verbs: /^(?:i|ins?|insta?|instal|isnta?|isntall?|install(?:-test)?|it|add|pkg set) / },
  // Unlike npm's, its `-w` takes no value: it is the root of the workspace.
  pnpm: {
    ...NODE,
    valued: /^(?:--(?:registry|tag|filter|dir|loglevel)|-[CF])$/,
    verbs: /^(?:add|install|i|pkg set) /,
  },
  yarn: { ...NODE, verbs: /^(?:workspace \S+ )?add / },
  bun: { ...NODE, verbs: /^(?:add|install|i|a) / },
  deno: {
    ...NODE,
    verbs: /^(?:add|install|i) /,
    nameOf: (word) => /^(?:npm|jsr):((?:@[\w.-]+\/)?[\w.-]+)/.exec(word)?.[1],
  },
  pip: { ...PYTHON, verbs: /^install / },
  uv: { ...PYTHON, verbs: /^(?:add|pip install) / },
  poetry: { ...PYTHON, verbs: /^add / },
  pdm: { ...PYTHON, verbs: /^add / },
  pipenv: { ...PYTHON, verbs: /^install / },
  conda: {
    ...PYTHON,
    verbs: /^install /,
    valued: /^(?:-[cnp]|--(?:channel|name|prefix|file|solver))$/,
    nameOf: (word) => {
      const name = PYTHON.nameOf(word.replace(/^.*::/, ''));
      return name === 'python' || name === 'conda' ? undefined : name;
    },
  },
  cargo: {
    verbs: /^add /,
    valued:
      /^(?:-[pF]|--(?:features|package|manifest-path|git|path|branch|tag|rev|rename|registry|target|vers))$/,
    free: /^(?:--dry-run|-n|--path(?:=.*)?)$/,
    manifests: ['Cargo.toml'],
    nameOf: (word) => /^([\w-]+)(?:@.*)?$/.exec(word)?.[1]?.replaceAll('_', '-'),
  },
  go: {
    verbs: /^get /,
    valued: /^-C$/,
    manifests: ['go.mod'],
    nameOf: (word) => /^([\w-]+(?:\.[\w-]+)+\/[^@]+?)(?:@.*)?$/.exec(word)?.[1],
  },
  gem: {
    verbs: /^install /,
    valued: /^(?:-[vsinP]|--(?:version|source|install-dir|bindir))$/,
    manifests: ['Gemfile'],
    nameOf: (word) => /^([\w-]+)(?::.*)?$/.exec(word)?.[1],
  },
  bundle: {
    verbs: /^add /,
    valued: /^(?:-[vgsr]|--(?:version|group|source|git|github|branch|path|require|ref|glob))$/,
    manifests: ['Gemfile'],
    nameOf: (word) => /^[\w-]+$/.exec(word)?.[0],
  },
  dotnet: {
    verbs: /^(?:add (?:\S+ )?package|package add) /,
    valued: /^(?:-[vfs]|--(?:version|framework|source|package-directory|project))$/,
    manifests: [],
    nameOf: (word) => /^([\w.-]+)(?:@.*)?$/.exec(word)?.[1],
  },
  composer: {
    verbs: /^require /,
    valued: /^(?:-d|--working-dir)$/,
    free: /^--dry-run$/,
    manifests: ['composer.json'],
    nameOf: (word) => /^([\w.-]+\/[\w.-]+)(?:[:=].*)?$/.exec(word)?.[1],
  },
};
const SAME: Readonly<Record<string, string>> = {
  pip3: 'pip',
  mamba: 'conda',
  micromamba: 'conda',
  bundler: 'bundle',
  'composer.phar': 'composer',
};

/** The dependencies that a command adds, without those already in the manifest. */
function installed(command: Command, ctx: RuleContext): string[] {
  const { program, args } = meant(command);
  const installer = Object.hasOwn(INSTALLERS, program) ? INSTALLERS[program] : undefined;
  if (installer === undefined) return [];
  const { valued, free } = installer;
  const words = args.filter((arg, at) => {
    const before = args[at - 1] ?? '';
    return !arg.startsWith('-') && (!valued.test(before) || (FROM.test(before) && REMOTE.test(arg)));
  });
  const [verb] = installer.verbs.exec(`${words.join(' ')} `) ?? [];
  if (verb === undefined || args.some((arg) => free?.test(arg))) return [];
  const named = words.slice(verb.split(' ').length - 1);
  const names = named.flatMap((word) =>
    REMOTE.test(word) ? withoutLogin(word) : (installer.nameOf(word) ?? []),
  );
  if (names.length === 0) return [];
  const base = command.cwd ?? ctx.root;
  const known = installer.manifests.flatMap((file) =>
    [base, ctx.root].flatMap((dir) => namesIn(join(dir, file), ctx)),
  );
  return names.filter((name) => !known.includes(name));
}

/** Options that say where a program installs. Another program may ignore the same option, or mean something else. */
const PLACE: Readonly<Record<string, RegExp>> = {
  npm: /^(?:--prefix|-C)$/,
  pnpm: /^(?:--dir|-C)$/,
  yarn: /^--cwd$/,
  pip: /^(?:--target|-t)$/,
};
/** These install where the interpreter is, whatever the directory. */
const ANYWHERE = /^(?:pip|conda|gem)$|^uv pip$/;

/** Whether a command installs certainly outside of the project: not in a directory above it either. */
function isElsewhere(command: Command, event: Event, ctx: RuleContext): boolean {
  const { program, args } = meant(command);
  const line = event.kind === 'tool.before' ? (event.call.command ?? '') : '';
  // A variable may lead back, as a value or as a setting of the program.
  if (/(?:^|[\s;&|])\w+=/.test(line) || args.some((arg) => /[$`]/.test(arg))) return false;
  // Where `cd` fails, only `&&` stops what follows.
  const isSure = command.cwd === event.cwd || !/[;|&\n]/.test(line.replaceAll('&&', ''));
  const cwd = (isSure && command.cwd) || ctx.root;
  const root = realPath(ctx.root);
  const isOutside = (path: string): boolean => {
    const real = realPath(resolve(cwd, path.replace(/^["']|["']$/g, '')));
    return !isBelow(real, root) && !isBelow(root, real);
  };
  const words = args.map((arg) => arg.replace(/^(?:--[\w-]+|-\w)=?/, ''));
  if (!words.every((word) => !/^\.|^[^@].*\//.test(word) || isOutside(word))) return false;
  const places = args.flatMap((arg, at) => {
    const [option = '', value] = arg.startsWith('--') ? arg.split('=', 2) : [arg];
    return PLACE[program]?.test(option) ? [value ?? args[at + 1] ?? '.'] : [];
  });
  const isBound = !ANYWHERE.test(program) && !ANYWHERE.test(`${program} ${args[0]}`);
  if (places.length === 0 && isBound) return isOutside('.');
  return places.length > 0 && places.every(isOutside);
}

function withoutLogin(source: string): string {
  return source.replace(/\/\/[^/@\s]*@/, '//');
}

/** Resolves aliases; `python -m pip …` is pip. */
function meant({ program, arguments: args }: Command): {
  readonly program: string;
  readonly args: readonly string[];
} {
  const name = SAME[program] ?? program;
  const at = /^python[\d.]*$/.test(name) ? args.indexOf('-m') : -1;
  return at >= 0 && args[at + 1] === 'pip'
    ? { program: 'pip', args: args.slice(at + 2) }
    : { program: name, args };
}

function namesIn(path: string, ctx: RuleContext): string[] {
  const text = ctx.read(path);
  return text === undefined ? [] : (manifestAt(path)?.(text) ?? []);
}

/* Edits. */

/** The dependencies that an edit adds to a manifest. */
function addedByEdit(event: Event, ctx: RuleContext): string[] {
  return ctx.paths.flatMap((path) => {
    const read = manifestAt(path);
    if (read === undefined || inProject(path, ctx.root) === undefined || /\/node_modules\//.test(path))
      return [];
    const before = ctx.read(path) ?? '';
    // What the packages of a repository share is often in the manifest at its root.
    const known = [...read(before), ...namesIn(join(ctx.root, basename(path)), ctx)];
    return afterEdit(event, path, before, ctx)
      .flatMap((text) => read(text))
      .filter((name) => !known.includes(name));
  });
}

/** The text of the file after the call or, if unknown, the pieces that it adds. */
function afterEdit(event: Event, path: string, before: string, ctx: RuleContext): string[] {
  if (event.kind !== 'tool.before') return [];
  const { op, newText, input, command } = event.call;
  if (op === 'write') return newText === undefined ? [] : [newText];
  if (op === 'edit') return [editedText(input, before) ?? newText ?? ''];
  if (command === undefined) return newText === undefined ? [] : [newText];
  if (!filesTypedInto(event, ctx).includes(path)) return [];
  const typed = ctx.commands.filter(({ program }) => program === 'echo' || program === 'printf');
  return [
    ...hereDocuments(command),
    ...typed.map(({ arguments: args }) => args.join('\n').replaceAll('\\n', '\n')),
  ];
}
