import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Who } from '../core/actor';
import { attempt } from '../core/failure';
import type { HostProcess } from '../core/guard';
import { HOST_NAMES, HOST_VARIABLES } from '../core/host-name';
import { findProject } from '../core/project';
import { ancestry, argumentsOf, environmentOf, mountPoints, type ProcessFacts } from '../exec/ancestry';
import { RUN_MARK } from '../exec/guardian';
import { processStartTime, processState } from '../exec/processes';
import { type Layout, readDocument } from '../state/documents';
import { boundClients, notedClients, REGISTRY, registeredClients } from '../state/sessions';
import type { Context } from './context';
import { layoutOfHome } from './req/find-session';

/** Who runs a command: a person only in a terminal with no client above it. Environment variables prove nothing. */
export type Caller =
  | { readonly actor: 'person'; readonly channel: 'terminal' }
  /** Not known to be an agent, but there is no terminal either: a script, a build server. */
  | { readonly actor: 'system'; readonly channel: 'cli'; readonly why: string }
  | { readonly actor: 'agent'; readonly channel: 'cli'; readonly why: string };

/** Host programs, matched against the process name and the first words of its command line. */
const HOST_PROGRAMS =
  /(?:^|[/@])(?:claude|claude-code|codex|gemini|gemini-cli|copilot|cursor-agent|opencode)(?:\.c?js|\.exe)?$/;
/**
 * Programs that a person's shells descend from; the kernel cuts process names to 15 characters. `tmux` and the like
 * are missing because an agent can start one itself; one that is older than the agent counts anyway.
 */
const SESSION_PROGRAMS =
  /^(?:sshd(?:-session|-auth)?|login|systemd|init|launchd|gnome-terminal(?:-.*)?|konsole|kitty|alacritty|wezterm(?:-.*)?|ghostty|foot|xterm|urxvt|xfce4-terminal?|mate-terminal|lxterminal|qterminal|tilix|terminator|terminology|tilda|yakuake|ptyxis(?:-agent)?|kgx|gnome-console|contour|rio|tabby|cosmic-term|st|hyper|deepin-terminal|cursor|windsurf|idea|pycharm|webstorm|goland|clion|rider|phpstorm|rubymine|warp|Terminal|iTerm2?|code(?:-.*)?|codium|zed(?:-editor)?|flatpak-session(?:-.*)?|containerd-shim.*|docker-init|tini|dumb-init|conmon|mosh-server|Relay\(\d+\)|SessionLeader)$/i;

/** Programs that adopt orphaned processes. */
const REAPERS =
  /^(?:systemd|init|launchd|upstart|runit|s6-svscan|containerd-shim.*|docker-init|tini|dumb-init|catatonit|conmon|supervisord|bwrap)$/;

/** Programs that give another program a pseudo terminal. A person runs them inside a terminal of their own. */
const MAKES_TERMINALS = /^(?:script|scriptlive|expect|unbuffer|socat|dtach|abduco)$/;

/** The caller in the form that state entries and journal lines use. */
export function whoOf({ actor, channel }: Caller): Who {
  return { actor, channel };
}

/** The clients that work on this machine. */
export function clientsIn(home: string, stateOf = processState): HostProcess[] {
  return registeredClients(readDocument(layoutOfHome(home), REGISTRY), stateOf);
}

/**
 * Whether an agent may have started this command: a client runs above us, or there is no terminal while an agent
 * works on this machine, which may have started the command detached.
 */
export function mayBeRunByAgent({ caller, env }: Context): boolean {
  const { actor } = caller();
  return actor === 'agent' || (actor === 'system' && clientsIn(env['HOME'] ?? '').length > 0);
}

/** Options of Node. */
const LOADS_CODE = /(?:^|\s)(?:-r|--(?:require|import|(?:experimental-)?loader))(?![\w-])/;

const anAgent = (why: string): Caller => ({ actor: 'agent', channel: 'cli', why });

export function callerOf({ env, cwd }: Pick<Context, 'env' | 'cwd'>, pid = process.pid): Caller {
  if (isAgentEnvironment(env)) return anAgent("this is an agent's shell");
  // Code that Node loads before ours could make up everything below.
  if (LOADS_CODE.test([env['NODE_OPTIONS'], ...process.execArgv].join(' ')))
    return anAgent('NODE_OPTIONS loads other code into it; unset that and run it again');
  const line = ancestry(pid);
  const [self, ...above] = line;
  const home = env['HOME'] ?? '';
  // HOME can be faked; a project's client notes are in its git directory.
  const project = findProject(cwd, env);
  if (hidesClients(project?.layout))
    return anAgent('other files are mounted over those that tell who works here');
  const notedBy = (stateOf: typeof processState): HostProcess[] =>
    project?.layout === undefined
      ? []
      : [...notedClients(project.layout, stateOf), ...boundClients(project.layout, stateOf)];
  const clientsBy = (stateOf: typeof processState): HostProcess[] => [
    ...clientsIn(home, stateOf),
    ...notedBy(stateOf),
  ];
  const clients = clientsBy(processState);
  const client = above.find((one) => isClient(one, clients));
  if (client !== undefined)
    return anAgent(`${client.name} (process ${client.pid}) started it, and an agent works there`);
  if (above.some(({ pid: one }) => isAgentEnvironment(environmentOf(one))))
    return anAgent("an agent's shell started it");
  if (self === undefined && process.platform === 'linux') return anAgent('its processes cannot be seen');
  if (self === undefined ? !process.stdin.isTTY : self.terminal === 0)
    return { actor: 'system', channel: 'cli', why: 'there is no terminal' };
  const beganWith = (some: readonly HostProcess[]): number =>
    Math.min(...some.map(({ start }) => Number(start ?? Number.NaN)).filter(Number.isFinite));
  // Inside a PID namespace an agent sees no client, but even the first process there is younger than the client.
  const first = line.at(-1);
  if (first?.pid === 1 && Number(first.start) >= beganWith(clientsBy(() => 'alive')))
    return anAgent(
      'it runs in a PID namespace of its own, and an agent that started outside of it may still be working; approve outside, or start a session in here',
    );
  // A terminal that an agent makes for itself descends from a process that adopts orphans. Agents that work elsewhere
  // do not matter to the terminals of this project.
  const noted = notedBy(processState);
  const since = beganWith(noted.length > 0 ? noted : clients);
  const isLost = line.some((child, at) => {
    const parent = line[at + 1];
    if (parent === undefined || !mayHaveAdopted(parent, child)) return false;
    if (child.terminal === 0 && MAKES_TERMINALS.test(programOf(child))) return true;
    return Number(child.start) >= since && !isSessionProgram(child, clients);
  });
  if (isLost)
    return anAgent(
      'its terminal was not started from a login and is newer than the agent; use a terminal that was open before, or a new window of your terminal program',
    );
  return { actor: 'person', channel: 'terminal' };
}

/** Whether this process's namespace shows other files than everybody sees in place of our notes or of processes. */
function hidesClients(layout: Layout | undefined): boolean {
  const git = layout && attempt(() => realpathSync(layout.git));
  const hides = (path: string): boolean =>
    /^\/proc\/(?:\d|self|thread-self)/.test(path) || (git !== undefined && path.startsWith(`${git}/`));
  return mountPoints().some(hides);
}

/**
 * Whether a process may have adopted its child instead of starting it: PID 1 does, the user's service manager does,
 * and so may others we cannot identify. Not a process in the same terminal, nor the program that shows it.
 */
function mayHaveAdopted(parent: ProcessFacts, child: ProcessFacts): boolean {
  const { terminal } = child;
  if (terminal !== 0 && parent.terminal === terminal) return false;
  if (parent.pid === 1 || REAPERS.test(programOf(parent))) return true;
  const isKin = parent.terminal !== 0 || parent.session === child.session;
  return !isKin && !SESSION_PROGRAMS.test(programOf(parent)) && !holdsTerminal(parent.pid, terminal);
}

/** Whether a process holds the other end of a pseudo terminal, as the terminal program does. */
function holdsTerminal(pid: number, terminal: number): boolean {
  // The kernel's encoding of major and minor device numbers; pseudo terminals begin at major 136.
  const [major, minor] = [(terminal >> 8) & 0xfff, (terminal & 0xff) | ((terminal >> 12) & 0xfff00)];
  const index = `tty-index:\t${(major - 136) * 256 + minor}\n`;
  const open = attempt(() => readdirSync(`/proc/${pid}/fdinfo`));
  // Processes with other privileges, such as setgid terminal programs, cannot be inspected.
  if (open === undefined) return true;
  return open.some((fd) => attempt(() => readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'))?.includes(index));
}

/**
 * Checks the executable if it can be read, since a script can have any name. An executable created while an agent
 * works is taken for the agent's copy under a trusted name.
 */
function isSessionProgram(one: ProcessFacts, clients: readonly HostProcess[]): boolean {
  const madeAt = attempt(() => statSync(`/proc/${one.pid}/exe`).ctimeMs) ?? 0;
  if (clients.some(({ pid }) => madeAt > (processStartTime(pid) ?? Number.POSITIVE_INFINITY))) return false;
  return SESSION_PROGRAMS.test(programOf(one));
}

function programOf({ pid, name }: ProcessFacts): string {
  return basename(attempt(() => readlinkSync(`/proc/${pid}/exe`)) ?? name);
}

/** Whether variables mark an agent's shell, or a check or `--verify` command, which an agent may have written. */
export function isAgentEnvironment(env: Readonly<Record<string, string | undefined>>): boolean {
  const names = [RUN_MARK, ...HOST_NAMES.flatMap((name) => HOST_VARIABLES[name].agent)];
  return names.some((name) => !['', '0'].includes(env[name] ?? ''));
}

function isClient({ pid, start, name }: ProcessFacts, clients: readonly HostProcess[]): boolean {
  if (clients.some((one) => one.pid === pid && (one.start === undefined || one.start === start))) return true;
  return [name, ...argumentsOf(pid).slice(0, 3)].some((word) => HOST_PROGRAMS.test(word));
}
