import type { Effects } from './command-effects';
import type { Context } from './guard';

/* Whether a command uses the network, as far as its words tell. */

const NETWORK_PROGRAMS =
  ' curl wget ssh scp sftp ftp lftp nc ncat socat telnet mosh autossh rsync dig nslookup host ping gh glab http https aria2c lynx w3m svn hg mail sendmail aws gcloud az kubectl helm psql mysql mongosh redis-cli uvx pipx ';
/** Network access by the shell itself. */
const SHELL_SOCKET = /[<>]\s*["']?\/dev\/(?:tcp|udp)\//;
/** These mostly run what is installed, and fetch with these words; some always fetch. */
const FETCHING_RUN =
  /(?:^|[\s;&|(])(?:(?:npx|bunx)\s+(?:-y\b|--yes\b|["']?[@\w][^\s@"']*@\S)|(?:uvx|(?:pnpm|yarn)\s+dlx|pipx\s+run|uv\s+tool\s+run|npm\s+(?:exec|x)(?!\s+--no(?:-install)?\s(?!.*\s(?:-y|--yes)))|bun\s+x)\s)/;
const INTERPRETERS = /^(?:python|node|deno|bun|perl|ruby|php)$/;
/** Network access in inline code. */
const NETWORK_CODE =
  /(?:\b|(?<=-[rM]))(?:urllib|requests\.|(?:import|from) (?:requests|ftplib|smtplib|imaplib)|http\.client|aiohttp|httpx|(?:create_connection|connect(?:_ex)?)\(\((?!\s*['"](?:localhost|127\.))|open_connection|gethostby|getaddrinfo|inet_aton|fetch\(|(?<!\.)axios(?!["']\]|\/package)|axios(?:\.\w+)?\(|https?\.(?:get|request)|net\.connect|IO::Socket|LWP|HTTP::Tiny|net\/http|open-uri|WebSocket\(|(?:read_\w+|download\w*|file_get_contents|fopen|got|get|goto|open|post|put|request)\(\s*[fb]?["'`]https?:)|['"](?:node:)?(?:https?|net|tls|dns|undici)['"][\s\S]*\.(?:get|request|connect|createConnection|lookup)\(/;
/** What of it makes no request to another machine: one to this machine, a version, an import of what is not used. */
const HARMLESS_CODE = [
  /(?<![\w.])[\w.]*\(\s*[bf]?(["'`])(?:https?|wss?):\/\/(?:localhost|127\.0\.0\.1)(?::(?:\d+|\$?\{\w+\}))?(?:[/?][^"'`]*)?\1/g,
  /\burllib\.(?:parse|error)\b|\brequests\.__\w+__/g,
  /\b(?:from (?:requests|urllib\.request) )?import (requests|urllib\.request|urlopen|get)(?=[ \t]*(?:[;\r\n]|$))(?![\s\S]*?\b\1\b)/g,
];
/** An interpreter without a script, followed by the input that it runs. */
const RUNS_INPUT = /^(?:\S*\/)?(?:python|node|deno|bun|perl|ruby|php)[\d.]*(?: -\S*)*(?:(?<= -) [^\n]*)?\n/;
/** Programs that use the network for some subcommands; an empty alternative matches a call without one. */
const NETWORK_VERBS: Readonly<Record<string, RegExp>> = {
  git: /^(?:clone|fetch|pull|push|ls-remote|lfs (?:push|pull|fetch|clone)|submodule (?:update|add|foreach)|remote (?:update|show|prune)|send-email)/,
  npm: /^(?:install|i|ci|add|update|up|publish|unpublish|deprecate|dist-tag|ping|token|whoami|view|info|search|audit|outdated|login|exec|create|init .+)\b/,
  pnpm: /^(?:install|i|add|update|up|publish|fetch|dlx|create|audit|outdated)\b/,
  yarn: /^(?:$|install|add|workspace \S+ add|up|upgrade|npm|dlx|create|audit|outdated)/,
  bun: /^(?:install|i|add|update|x|create|publish)\b/,
  deno: /^(?:add|install|i|cache|publish)\b/,
  dotnet: /^(?:add (?:\S+ )?package|package add|restore|tool install)\b/,
  conda: /^(?:install|create|update|search)\b/,
  pip: /^(?:install|download|search|index)\b/,
  uv: /^(?:sync|add|lock|publish|pip install|tool install|python install)\b/,
  poetry: /^(?:install|add|update|lock|publish)\b/,
  pdm: /^(?:install|add|update|lock|publish|sync)\b/,
  pipenv: /^(?:install|update|lock|sync)\b/,
  python: /^(?:pip (?:install|download|index)|twine upload)\b/,
  cargo: /^(?:install|add|update|fetch|publish|search)\b/,
  go: /^(?:get|install|mod (?:download|tidy))\b/,
  gem: /^(?:install|update|push|fetch)\b/,
  bundle: /^(?:$|install|update|add)/,
  composer: /^(?:install|update|require)\b/,
  apt: /^(?:install|update|upgrade|download|source)\b/,
  brew: /^(?:install|update|upgrade|fetch)\b/,
  docker: /^(?:compose )?(?:pull|push|login|build|run|up)\b/,
  openssl: /^s_client\b/,
  terraform: /^init\b/,
  playwright: /^install\b/,
};
/** Options that select a package or directory; they may precede the subcommand. */
const LOCATION_OPTIONS = /^(?:\w+ (?:--(?:filter|prefix|workspace|dir|cwd)|-[CF])|npm -w)$/;
const PROGRAM_ALIASES: Readonly<Record<string, string>> = {
  pip3: 'pip',
  mamba: 'conda',
  micromamba: 'conda',
  python3: 'python',
  bundler: 'bundle',
  'apt-get': 'apt',
  podman: 'docker',
  hub: 'gh',
};

/** A word with a variable is given as written, with its quotes. */
const LOCAL_HOST =
  /^file:\/\/\/|^"?(?:\w+:\/\/)?(?:[^/?#\\@\s]*@)?(?:(?:[\w-]+\.)*localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?)(?::(?:\d+|\$\{?\w*PORT(?::-\d+)?\}?))?(?:[/?#]|"?$)/i;

function isUnknown([program]: readonly string[], { unknown }: Effects, isScript = false): boolean {
  const isMeant = (kind: string): boolean => kind === 'program' || (isScript && kind === 'script');
  return unknown.some(({ kind, text }) => isMeant(kind) && `${text} `.startsWith(`${program} `));
}

function makesRequest(code: string): boolean {
  const rest = HARMLESS_CODE.reduce((text, harmless) => text.replace(harmless, ''), code);
  // A proxy may be on another machine.
  const isSentOn = rest !== code && /prox(?:y|ies)/i.test(rest) && rest.includes('://');
  return NETWORK_CODE.test(isSentOn ? code : rest);
}

/** What programs that we do not know call the work that they need the network for. */
const NETWORK_WORK = /^(?:publish|deploy|upload|download|login)\b|^install \S/;
const CLIENTS = /^(?:git|gh|glab|aws|gcloud|az|kubectl|helm)$/;
/** Calls of network programs that only concern the program itself, or files of this machine. */
const STAYS_HERE = [
  /^(?:gh|glab|aws|gcloud|az|kubectl|helm) (?:version|help|completion|config)\b/,
  /^(?:gh|glab) alias list\b|^aws configure (?:list|get|set)\b|^cargo install (?:.* )?--(?:list|path)(?: |$)|^go install (?:-\S+ )*\./,
  /^helm (?!.*(?::\/\/| --(?:validate|repo|dep|dry-run[= ]server)))(?:lint|create|env|template (?:[\w-]+ )?(?:\.{1,2}|\.{0,2}\/\S*))(?: |$)/,
  /^(?:python[\d.]* -m )?pip[\d.]* install (?!.*(?:\/\/|@))(?:.* )?--no-index(?: |$)/,
  /^npm (?:exec|x) --no(?:-install)? (?!.*(?:-y|--yes)(?: |$))/,
  /^gh extension list$|^pipx list(?: |$)|^(?:nc|ncat) -[lkvn]+ (?:-p )?\d+$/,
  /^mongosh(?: --quiet| --norc| --port \d+)*(?: --eval (?!\S*:\/\/)\S+)?$/,
  /^(?:docker|podman) (?:push|pull) (?:localhost|127\.\d+\.\d+\.\d+)(?::\d+)?\/[\w./:-]+$/,
  /^git submodule foreach (?:--\w+ )*["']?git[ _](?:status|diff|log|show|describe)(?![^ _"'])[\w .-]*["']?$/,
  // Of these, only with an address, or a wish for what is new, does a call leave the machine.
  /^hg (?!.*:\/\/)(?:status|st|diff|log|add|remove|commit|ci|update|up|branch(?:es)?|bookmarks?|revert|annotate|cat|files|root|heads|parents|summary)(?! .*--remote)(?: |$)/,
  /^svn (?!.*(?::\/\/| -\w*[ur]| --(?:show-updates|revision|remote)))(?:status|st|stat|diff|di|add|revert|cleanup|info|resolve)(?: |$)/,
];

/** Options that name the server for all that a program asks. */
const SERVER_OPTION = /^(?:aws --endpoint-url|kubectl (?:-s|--server)|openssl -connect)$/;

/** Whether all servers that a program is given are this machine. */
function asksHere(program: string, args: readonly string[]): boolean {
  const servers = args.flatMap((arg, at) => {
    const [option = '', value] = arg.startsWith('--') ? arg.split('=', 2) : [arg];
    return SERVER_OPTION.test(`${program} ${option}`) ? [value ?? args[at + 1] ?? ''] : [];
  });
  const isMoved = args.some((arg) => /^-+(?:proxy|kubeconfig|context|cluster)\b/.test(arg));
  return servers.length > 0 && servers.every((server) => LOCAL_HOST.test(server)) && !isMoved;
}

/** Whether curl asks through a socket of this machine. After `--next`, its options are forgotten. */
function asksSocket(program: string, args: readonly string[]): boolean {
  const at = args.findIndex((arg) => /^--(?:abstract-)?unix-socket$/.test(arg));
  const isOption = at === 0 || (at > 0 && /^(?!-)|^-[sSfkvigI]+$/.test(args[at - 1] ?? ''));
  return program === 'curl' && isOption && !args.some((arg) => /^(?:--nex|-\w*:|-\w*[xK])/.test(arg));
}

/** Whether a word is an address of another machine. */
function isElsewhere(word: string): boolean {
  return /^(?!file:)[a-z]+:\/\//.test(word) && !LOCAL_HOST.test(word);
}

/** Options that send a request to another host than the URL says. */
const REDIRECTING_OPTION =
  /^(?:wget -e|\w* (?:-x|-K|--(?:execute|proxy|preproxy|resolve|connect-to|socks\w*|config|url|interface)\b))/;

const LOCAL_PROGRAMS = ' curl wget http https nc ncat telnet ping mongosh ';

/** Without the name of a server, these talk to this machine. */
const DATABASES = ' psql mysql redis-cli ';
/** Names a server: an option with its value, `host=x`, a variable, an address, or settings in which one may be named. */
const SERVER = /^(?:-h|--host=|host(?:addr)?=)(.+)|^"?(?:\$|\w+:\/\/|service=|--defaults|--login-path).*/s;
const SERVER_VARIABLE = /\b(?:PGHOST|PGSERVICE|MYSQL_HOST)\w*=/;

function staysLocal(program: string, args: readonly string[], command: string): boolean {
  if (DATABASES.includes(` ${program} `)) return !SERVER_VARIABLE.test(command) && isLocalDatabase(args);
  // `http :3000/x` asks this machine.
  const named = /^https?$/.test(program) ? args.map((arg) => arg.replace(/^:(?=\d)/, 'localhost:')) : args;
  return LOCAL_PROGRAMS.includes(` ${program} `) && isLocal(named, program);
}

function isLocalDatabase(args: readonly string[]): boolean {
  const words = args.flatMap((arg) => (/^\w+=/.test(arg) ? arg.split(' ') : [arg]));
  const servers = words.flatMap((word, at) => {
    if (/^(?:-h|--host)$/.test(words[at - 1] ?? '')) return [word];
    const [all, host = all] = SERVER.exec(word) ?? [];
    return host === undefined ? [] : [host];
  });
  return servers.every((server) => LOCAL_HOST.test(server) || server.startsWith('/'));
}

/** Options whose value is not an address, such as the data to send. */
const VALUED: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-[sSfLkvigGIN]*[dHoXFuAwbcmTDe]|--(?:referer|data(?:-\w+)?|json|header|output|request|form(?:-string)?|user(?:-agent)?|write-out|cookie(?:-jar)?|max-time|upload-file))$/,
  wget: /^(?:-[qcS]*[oOtTU]|--(?:post-(?:data|file)|body-(?:data|file)|header|output-document|method|user-agent))$/,
};

/** Whether a program talks to this machine only: it names this machine and no other. */
export function isLocal(args: readonly string[], program = ''): boolean {
  const isOther = (arg: string): boolean => /:\/\/|^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)|@/.test(arg);
  const named = withoutOptions(args, VALUED[program]);
  return (
    named.some((arg) => LOCAL_HOST.test(arg)) &&
    !args.some((arg) => REDIRECTING_OPTION.test(`${program} ${arg}`)) &&
    !named.some((arg) => isOther(arg) && !LOCAL_HOST.test(arg))
  );
}

function withoutOptions(args: readonly string[], valued: RegExp | undefined): string[] {
  const named: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (valued?.test(arg)) at++;
    else if (!arg.startsWith('-')) named.push(arg);
  }
  return named;
}

function verbsOf(name: string, program: string, effects: Effects): RegExp {
  return NETWORK_VERBS[name] ?? (isUnknown([program], effects) ? NETWORK_WORK : /(?!)/);
}

/** Whether a call only shows help or a version, or needs nothing but this machine. */
function staysHere([program = '', ...args]: readonly string[]): boolean {
  if (/^(?:--?(?:version|help)|-[Vvh])$/.test(args.join(' '))) return true;
  const isHelp = args.at(-1) === '--help' && !args.at(-2)?.startsWith('-') && !args.includes('--');
  // After a package or an image, it would be the option of what is run.
  const isShort = args.length === (args[0] === 'compose' ? 3 : 2);
  if (isHelp && (CLIENTS.test(program) || (isShort && NETWORK_VERBS[nameOf(program)]))) return true;
  const line = [program, ...args].map((word) => word.replace(/\s/g, '_')).join(' ');
  return STAYS_HERE.some((pattern) => pattern.test(line));
}

function nameOf(program: string): string {
  return PROGRAM_ALIASES[program] ?? program.replace(/^(python|pip)3?(?:\.\d+)?$/, '$1');
}

/** Options of git that take no value and run nothing. */
const PLAIN_FLAG =
  /^(?:-[qvfun46]+|--(?:quiet|verbose|force|tags|prune|heads|all|bare|mirror|no-hardlinks|local|dry-run))$/;

/**
 * Whether git works with a directory of this machine in place of a remote. Git takes only a word with a colon for an
 * address elsewhere.
 */
function remoteIsHere([program, verb = '', ...args]: readonly string[]): boolean {
  const isPlace = (arg: string): boolean => /^(?:\.{0,2}\/|\.{1,2}$|~|file:)/.test(arg);
  const isElse = (arg: string): boolean => /^(?!file:).*:|^--recurse/.test(arg);
  if (program !== 'git' || args.some(isElse)) return false;
  if (verb === 'clone') return args.some(isPlace);
  const remote = args.find((arg) => !PLAIN_FLAG.test(arg));
  return /^(?:fetch|pull|push|ls-remote)$/.test(verb) && remote !== undefined && isPlace(remote);
}

export function usesNetwork(command: string, effects: Effects, ctx: Context): boolean {
  const { unknown, git } = effects;
  const remote = git.filter(({ operation }) => /^(?:clone|push|pull|fetch)$/.test(operation));
  const lines = ctx.commandLines(command);
  if (lines === undefined || isUnread(command, effects))
    return remote.length > 0 || /\b(?:curl|wget|ssh(?!-(?:agent|add|keygen)\b)|scp|sftp)\b/.test(command);
  const here = lines.filter((words) => remoteIsHere(words) && words[1] !== 'ls-remote');
  // A setting may send git elsewhere.
  if (remote.length > here.length || (remote.length > 0 && /insteadof/i.test(command))) return true;
  if (SHELL_SOCKET.test(command) || FETCHING_RUN.test(command)) return true;
  if (unknown.some(({ text }) => RUNS_INPUT.test(text) && makesRequest(text))) return true;
  const isCalled = (words: readonly string[]): boolean =>
    words.some(isElsewhere) && words[1] !== 'config' && isUnknown(words, effects, true);
  if (lines.some(isCalled)) return true;
  const acting = lines.filter((words) => !staysHere(words) && !remoteIsHere(words));
  return acting.some(([program = '', ...args]) => {
    const name = nameOf(program);
    if (name === 'git' && args[0] === 'archive') return args.some((arg) => arg.startsWith('--remote'));
    if (INTERPRETERS.test(name) && args.some((arg) => /^-\w*[ceEpr]$|^(?:--?)?eval/.test(arg)))
      return makesRequest(args.join(' '));
    if (asksHere(name, args) || asksSocket(name, args)) return false;
    if (name === 'rsync') return args.some((arg) => /^[^/]+:/.test(arg));
    if (NETWORK_PROGRAMS.includes(` ${name} `)) return !staysLocal(name, args, command);
    if (args.includes('--offline')) return false;
    const words = args.filter(
      (arg, at) => !arg.startsWith('-') && !LOCATION_OPTIONS.test(`${name} ${args[at - 1]}`),
    );
    return verbsOf(name, program, effects).test(words.join(' '));
  });
}

/** Whether the whole line is code that cannot be followed. */
export function isUnread(command: string, { unknown }: Effects): boolean {
  return unknown.some(({ kind, text }) => kind === 'code' && text === command);
}
