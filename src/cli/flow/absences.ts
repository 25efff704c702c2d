import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { objectAt } from '../../config/pointer';
import { attempt, readText } from '../../core/failure';
import type { FileFact } from '../../core/guard';
import { HOST_NAMES, HOST_VARIABLES, type HostName } from '../../core/host-name';
import { type JsonObject, jsonObjectIn, nameIn, objectIn } from '../../core/json';
import { ancestry, environmentOf } from '../../exec/ancestry';
import { agentNamed } from '../../guards/workflow/delegation';
import { type Missing, missingLine } from '../../guards/workflow/gate';
import { ownersOf, SWITCHABLE_PARTS } from '../../guards/workflow/model';
import {
  ABSENT_PATH,
  type Absent,
  absentIn,
  requirementsFor,
} from '../../guards/workflow/phase-requirements';
import { usesIsdlcDir, workflowFile } from '../../guards/workflow/place';
import { usageLog } from '../../guards/workflow/state';
import { isAgentEnvironment } from '../caller';
import type { Context } from '../context';
import { readRegistry } from '../req/find-session';
import { hookCallsIn } from '../status/hook-calls';
import type { FlowPlace } from './flow';

/** A workflow, and those of its phases that were not skipped. */
export interface ChosenPhases {
  readonly workflow: string;
  readonly phases: readonly string[];
}

/** Where hosts look for agents, in the project and in the home. We suggest the first path for a new agent. */
const AGENT_FILES: Readonly<Record<HostName, readonly string[]>> = {
  'claude-code': ['.claude/agents/NAME.md'],
  codex: ['.codex/agents/NAME.toml'],
  gemini: ['.gemini/agents/NAME.md'],
  copilot: ['.github/agents/NAME.agent.md', '.copilot/agents/NAME.agent.md', '.claude/agents/NAME.md'],
  cursor: ['.cursor/agents/NAME.md', '.claude/agents/NAME.md', '.codex/agents/NAME.toml'],
  opencode: [
    '.opencode/agent/NAME.md',
    '.opencode/agents/NAME.md',
    '.config/opencode/agent/NAME.md',
    '.config/opencode/agents/NAME.md',
  ],
};

/**
 * The environment that the host gave to the agent's shell: for a command of its own an agent can set any variable.
 * Our own, if no such shell started us or it cannot be read.
 */
function hostEnvironment({ env }: Pick<Context, 'env'>): Context['env'] {
  const shells = ancestry(process.pid).map(({ pid }) => environmentOf(pid));
  return shells.findLast(isAgentEnvironment) ?? env;
}

/** The host whose agent runs this command; undefined for a person at a terminal. */
function hostIn(env: Context['env']): HostName | undefined {
  const isSet = (name: string): boolean => !['', '0'].includes(env[name] ?? '');
  return HOST_NAMES.find((host) => HOST_VARIABLES[host].agent.some(isSet));
}

/** What the phases of a workflow require and this project does not have. */
export function absentInProject(
  place: FlowPlace,
  { workflow, phases }: ChosenPhases,
  state: JsonObject,
): Absent {
  const { model } = place;
  const env = hostEnvironment(place);
  const asked = phases.map((phase) => requirementsFor(model, { active_workflow: { type: workflow } }, phase));
  const found = model.without.includes('agents') ? [] : agentsHere(place, state);
  const missing = phases
    .map((phase) => ownersOf(model, phase).map(({ name }) => name))
    .filter((owners) => !owners.some((name) => found.includes(name)));
  const unmet = model.obligations.flatMap(({ agent }) => (found.includes(agent) ? [] : agent));
  const articles = asked.flatMap(({ constitution }) => constitution?.articles ?? []);
  const text = readText(join(place.root, pathOf('constitution', place)));
  const known = ARTICLES.flatMap((one) => [...(text ?? '').matchAll(one)].map(([, numeral = '']) => numeral));
  return {
    agents: model.without.includes('agents') ? [] : [...new Set([...missing.flat(), ...unmet])],
    constitution: text === undefined && asked.some(({ constitution }) => constitution !== undefined),
    articles: text === undefined ? [] : [...new Set(articles.filter((article) => !known.includes(article)))],
    elicitation: cannotAsk(env) !== undefined && asked.some(({ elicitation }) => elicitation !== undefined),
  };
}

/**
 * What was absent when the workflow started and still is. Nothing is added, so that removing a file lifts no
 * requirement; only for a workflow of an older version, which recorded nothing, everything absent now counts.
 */
export function stillAbsent(place: FlowPlace, course: ChosenPhases, state: JsonObject): Absent {
  const now = absentInProject(place, course, state);
  if (objectAt(state, ABSENT_PATH) === undefined) return now;
  const before = absentIn(state);
  const [agents, articles] = (['agents', 'articles'] as const).map((key) =>
    now[key].filter((name) => before[key].includes(name)),
  );
  return {
    agents: agents ?? [],
    constitution: before.constitution && now.constitution,
    articles: (before.constitution && !now.constitution ? now.articles : articles) ?? [],
    // The session that continues may have a person; a command at a terminal says nothing about that.
    elicitation: before.elicitation && (hostIn(hostEnvironment(place)) === undefined || now.elicitation),
  };
}

/** The agents of the model that a session here can delegate to; one that was used before surely exists. */
function agentsHere(place: FlowPlace, state: JsonObject): readonly string[] {
  const { model, root, layout } = place;
  const env = hostEnvironment(place);
  const home = env['HOME'] || layout.home;
  const hosts = HOST_NAMES.filter((name) => name === (hostIn(env) ?? name));
  const files = hosts.flatMap((host) => AGENT_FILES[host]);
  const claude = env['CLAUDE_CONFIG_DIR'] || join(home, '.claude');
  const directories = [
    ...[root, home].flatMap((base) => files.map((file) => join(base, file, '..'))),
    ...(hosts.includes('claude-code') ? [join(claude, 'agents'), ...pluginDirectories(claude, root)] : []),
    ...(hosts.includes('codex') && env['CODEX_HOME'] ? [join(env['CODEX_HOME'], 'agents')] : []),
  ];
  const names = [
    ...directories.flatMap(agentNamesIn),
    ...Object.keys(objectIn(jsonObjectIn(readText(join(root, 'opencode.json')) ?? ''), 'agent')),
    ...usageLog(state).flatMap(({ agent }) => agent ?? []),
  ];
  return names.flatMap((name) => agentNamed(model, name)?.name ?? []);
}

/** The agent directories of Claude Code's enabled plugins. */
function pluginDirectories(config: string, root: string): string[] {
  const jsonAt = (...path: string[]) => jsonObjectIn(readText(join(...path)) ?? '');
  const ofProject = ['.claude/settings.json', '.claude/settings.local.json'].map((file) =>
    jsonAt(root, file),
  );
  const settings = [jsonAt(config, 'settings.json'), ...ofProject];
  const enabled = Object.assign({}, ...settings.map((one) => objectIn(one, 'enabledPlugins'))) as JsonObject;
  const installed = objectIn(jsonAt(config, 'plugins', 'installed_plugins.json'), 'plugins');
  return Object.entries(installed).flatMap(([name, entry]) =>
    [entry ?? null].flat().flatMap((one) => {
      const path = enabled[name] === true ? nameIn(one, 'installPath') : undefined;
      return path === undefined ? [] : join(path, 'agents');
    }),
  );
}

const AGENT_FILE = /^(.+?)(?:\.agent)?\.(?:md|toml)$/;
const NAME_LINE = /^name[ \t]*[:=][ \t]*["']?([^"'\r\n]+)/m;

/** The agents in a directory and below: both the name inside each file and the file name. */
function agentNamesIn(directory: string): string[] {
  const entries = attempt(() => readdirSync(directory, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const [, file] = AGENT_FILE.exec(entry.name) ?? [];
    if (file === undefined) return entry.isDirectory() ? agentNamesIn(join(directory, entry.name)) : [];
    const head = (readText(join(directory, entry.name)) ?? '').slice(0, 4096);
    return [file, NAME_LINE.exec(head)?.[1]?.trim() ?? file];
  });
}

/** The expected path of the constitution or plan of this workflow, relative to the project. */
export function pathOf(what: 'constitution' | 'plan', { root, model, document, project }: FlowPlace): string {
  return workflowFile(what, model, { document, project }, (path) => kindOf(join(root, path)));
}

function kindOf(path: string): FileFact['kind'] {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 'missing' : found.isDirectory() ? 'directory' : 'file';
}

const ARTICLES = [
  /\barticle[ \t]+([IVXLC]+)\b/gi,
  /^[ \t]*#{1,6}[ \t]*([IVXLC]+)\b/gm,
  /^[ \t]*(?:[-*][ \t]+)?\**([IVXLC]+)[.):]/gm,
];

/** Why the user cannot be asked in this session; `undefined` if they can, or if it is unknown. */
function cannotAsk(env: Context['env']): string | undefined {
  if (hostIn(env) === 'cursor') return 'Cursor shows Holdpoint no questions';
  const isUnattended =
    env['CLAUDE_CODE_SESSION_ATTENDED'] === '0' || !['', '0', 'false'].includes(env['CI'] ?? '');
  return isUnattended ? 'no person attends this session' : undefined;
}

const NAMES_SHOWN = 3;
const AGAINST_THOSE = 'nothing is checked against those';

/** What is absent, why, and what that means for the phases, as `flow start` and `flow status` show it. */
export function absences(place: FlowPlace, { phases }: ChosenPhases, absent: Absent): readonly Missing[] {
  const { model } = place;
  const { articles } = absent;
  const owners = phases.flatMap((phase) => ownersOf(model, phase)).map(({ name }) => name);
  const agents = absent.agents.filter((name) => owners.includes(name));
  const isOld = usesIsdlcDir(place);
  const effect = (text: string): string =>
    isOld ? 'still required, because this project uses .isdlc/' : text;
  const more = agents.length > NAMES_SHOWN ? ` and ${agents.length - NAMES_SHOWN} more` : '';
  const file = pathOf('constitution', place);
  const hasAgent = phases.some((phase) => ownersOf(model, phase).some(({ name }) => !agents.includes(name)));
  const ofAgents = `any agent you have may do ${hasAgent ? 'their phases' : 'every phase'}`;
  const unasked = cannotAsk(hostEnvironment(place)) ?? 'no one could be asked';
  const ofHooks = 'run `holdpoint install`; without hooks, no test run, answer or delegation is recorded';
  const missing = (what: string, why: string, how: string): Missing => ({ what, why, how });
  const all = [
    agents.length > 0 &&
      missing('agents', `no ${agents.slice(0, NAMES_SHOWN).join(', ')}${more}`, effect(ofAgents)),
    absent.constitution && missing('constitution', `no ${file}`, effect('nothing is checked against it')),
    articles.length > 0 &&
      missing('articles', `${file} has no article ${articles.join(', ')}`, effect(AGAINST_THOSE)),
    absent.elicitation && missing('elicitation', unasked, effect('no answers are needed')),
    !isHookCalled(place) && missing('hooks', "no agent's settings call Holdpoint", ofHooks),
  ];
  return all.filter((one) => one !== false);
}

/** What `flow start` prints about what is absent: the effect, where to add it, how to go without it. */
export function absenceLines(place: FlowPlace, course: ChosenPhases, absent: Absent): string[] {
  const found = absences(place, course, absent);
  const names = SWITCHABLE_PARTS.filter((part) => found.some(({ what }) => what === part));
  const isOld = usesIsdlcDir(place);
  const lines = found.length === 0 ? [] : ['Missing in this project:', ...found.map(missingLine)];
  if (names.length === 0) return lines;
  const files = [
    ...(names.includes('agents') ? [agentFile(place)] : []),
    ...(names.includes('constitution') ? [pathOf('constitution', place)] : []),
  ];
  const { byHand, without } = place.model;
  const hasSection = byHand !== true && !isOld;
  return [
    ...lines,
    ...(files.length === 0 ? [] : [`To add what is missing, create ${files.join(' and ')}.`]),
    `To go without it for good, add to ${hasSection ? 'the `workflow` section of ' : ''}.holdpoint/config.yaml:`,
    ...(hasSection ? [] : ['workflow:']),
    `  without: [${[...without, ...names].join(', ')}]`,
  ];
}

/** Whether evidence can reach us: a host's settings call the hook, or a live session has called it. */
function isHookCalled(place: FlowPlace): boolean {
  const { sessions } = readRegistry(place.layout, Date.now());
  const isLive = sessions.some(({ alive, projectDir }) => alive && projectDir === place.root);
  return isLive || hookCallsIn(place, place.env).kind !== 'none';
}

/** Where to create an agent for the host in use. */
function agentFile({ env, root }: FlowPlace): string {
  const inUse = HOST_NAMES.find(
    (name) => kindOf(join(root, AGENT_FILES[name][0] ?? '', '../..')) === 'directory',
  );
  return AGENT_FILES[hostIn(env) ?? inUse ?? 'claude-code'][0] ?? '';
}
