import { lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SCHEMA_TITLE } from '../../config/json-schema';
import { errorCode } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import type { JsonObject } from '../../core/json';
import { readCache } from '../../core/project';
import { readText } from '../../exec/attempt';
import { resolveBase } from '../../git/base';
import { type GitPlace, readHead, remoteDefault } from '../../git/head';
import { askGit } from '../../git/run-git';
import type { Ground, Offer } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import type { Context } from '../context';
import { installedState } from '../install/installed-state';
import { launchState } from '../install/launch';
import { type FileChange, type InstallRequest, planInstall } from '../install/plan';
import { homeIn, hostsInUse } from '../install/targets';
import { openProject, requirementsConfig } from '../project';
import { plural } from '../ui/output';
import { configText, SCHEMA_LINE } from './config-text';
import { proposedChecks, surveyOf } from './detect/survey';
import { type IgnoreChange, ignoreChange } from './gitignore';
import { PRESETS, type PresetName } from './presets';

/** A part of the config that stands elsewhere already. */
export interface Taken {
  readonly section: 'requirements' | 'gates' | 'workflow';
  readonly file: string;
}

/** The branch from which others are made. */
export interface DefaultBranch {
  readonly name: string;
  /** What changes are counted from. */
  readonly base: string;
  /** Whether a remote has it, so that others build on it as well. */
  readonly isShared: boolean;
}

export interface Choice {
  readonly preset: PresetName;
  readonly hosts: readonly HostName[];
  /** Names of the checks that shall be in force. */
  readonly checks: readonly string[];
  readonly install: boolean;
  /** What is added to the settings beside the hooks. */
  readonly offers: readonly Offer[];
  /** Whether every rule begins in shadow mode. */
  readonly shadow: boolean;
}

/** A file that is about to be written. The launch file lies in the home, all others in the project. */
export interface PlannedFile {
  readonly kind: 'config' | 'schema' | 'ignore' | 'settings' | 'launch';
  readonly path: string;
  readonly isNew: boolean;
  readonly note: string;
  /** What the config says, or is to be added to `.gitignore`. */
  readonly text?: string;
  readonly change?: FileChange;
}

export const OWN_CONFIG = '.holdpoint/config.yaml';
export const SCHEMA_FILE = '.holdpoint/schema.json';

/** Files of older programs that are read where they are. */
const OLDER: readonly Taken[] = [
  { section: 'requirements', file: '.claude/requirements.yaml' },
  { section: 'requirements', file: '.claude/requirements.local.yaml' },
  { section: 'gates', file: '.gauntlet' },
  { section: 'workflow', file: '.isdlc' },
];

/** Everything that is known before anybody is asked. */
export type Situation = ReturnType<typeof inspectProject>;

export function inspectProject(place: GitPlace, named: readonly HostName[], context: Context) {
  const { env } = context;
  const ground: Ground = { project: place.root, home: env['HOME'] ?? '', env };
  const survey = surveyOf(place.root);
  const seen = named.length > 0 ? named : hostsInUse(ground, 'project');
  const fits = (name: HostName): boolean => setupOf(name).scopes.includes('project');
  const fitting = seen.filter(fits);
  const hosts: readonly HostName[] = fitting.length > 0 || named.length > 0 ? fitting : ['claude-code'];
  const taken = OLDER.filter(({ file }) => isThere(place.root, file));
  return {
    place,
    ground,
    hasConfig: isThere(place.root, OWN_CONFIG),
    // Each section with the first file that says so.
    taken: taken.filter(({ section }, at) => taken.findIndex((one) => one.section === section) === at),
    branch: defaultBranchOf(place),
    survey,
    checks: proposedChecks(survey.parts),
    hosts,
    /** Whether the config that is there already, the home directory's included, has a rule that an agent may satisfy. */
    satisfiable: () => {
      const project = openProject({ ...context, cwd: place.root });
      // Not kept for later: a look writes nothing.
      const { compileOnly } = context.chunks.configCompiler();
      const config = project && (readCache(project) ?? compileOnly(project, context.chunks));
      const { requirements = [] } = requirementsConfig(config) ?? {};
      return requirements.some(({ agentMaySatisfy, type }) => agentMaySatisfy && type === 'blocking');
    },
    /** What editors check the config against. */
    schema: () => `${JSON.stringify(context.chunks.configCompiler().printableSchema())}\n`,
    /** Those that can only be set up for a whole machine. */
    unfit: seen.filter((name) => !fits(name)),
    /** Whether any host was seen, or the standard one stands in. */
    sawHost: seen.length > 0,
  };
}

/** Whether something stands at that path, be it a link that leads nowhere. */
function isThere(root: string, path: string): boolean {
  try {
    return lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file in the place of its directory.
    if (errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

const USUAL_BRANCHES = ['main', 'master'];

/** Nothing where it cannot be told. */
function defaultBranchOf(place: GitPlace): DefaultBranch | undefined {
  const head = readHead(place, askGit);
  const exists = (ref: string): boolean => {
    const base = resolveBase(head, { configured: '', option: ref }, askGit);
    return base.ok && base.value.commit !== undefined;
  };
  const told = remoteDefault(place, askGit);
  const remote = [...(told === undefined ? [] : [told]), ...USUAL_BRANCHES].find((name) =>
    exists(`refs/remotes/origin/${name}`),
  );
  if (remote !== undefined) return { name: remote, base: `origin/${remote}`, isShared: true };
  const current = head.position.kind === 'branch' ? head.position.branch : undefined;
  const local =
    USUAL_BRANCHES.find((name) => exists(`refs/heads/${name}`)) ??
    USUAL_BRANCHES.find((name) => name === current);
  return local === undefined ? undefined : { name: local, base: local, isShared: false };
}

/** Everything that is about to happen. Files that are right already are not in it. */
export type InitPlan = ReturnType<typeof planFor>;

export function planFor(situation: Situation, choice: Choice) {
  const { place, ground } = situation;
  const ignore = ignoreChange(place.root);
  const config = configFile(situation, choice);
  const files = [...config, ...schemaFile(situation, config), ...ignoreFile(ignore)];
  const installs = choice.install && choice.hosts.length > 0;
  const request = installs ? installRequest(situation, choice) : undefined;
  if (request === undefined) return { ignore, files, request, rivals: [] };
  const { changes, rivals } = planInstall(request);
  const settings = changes.map((change): PlannedFile => {
    const extras = new Set((change.extras ?? []).map(({ kind }) => EXTRA_NOTES[kind]));
    const note = [`hooks for ${setupOf(change.host).title}`, ...extras].join(', ');
    const path = relative(place.root, change.file);
    return { kind: 'settings', path, isNew: change.before === undefined, note, change };
  });
  return { ignore, files: [...files, ...settings, ...launchFile(ground)], request, rivals };
}

const EXTRA_NOTES = { item: 'permission to run `req satisfy`', member: 'status line' } as const;

/** Whether an agent may satisfy any rule: then it needs the permission to run the command. */
export function agentsSatisfy({ hasConfig, taken, branch, satisfiable }: Situation, preset: PresetName) {
  const isWritten = !hasConfig && !taken.some(({ section }) => section === 'requirements');
  const rules = isWritten ? Object.values(PRESETS[preset].requirements(branch)) : [];
  const isSatisfiable = (rule: JsonObject): boolean =>
    rule['enabled'] !== false && rule['agent_may_satisfy'] !== false && rule['type'] === undefined;
  // Whatever the preset, the rules of the home directory apply too.
  return rules.some(isSatisfiable) || satisfiable();
}

function installRequest(
  { place: { commonDir }, ground }: Situation,
  { hosts, offers }: Choice,
): InstallRequest {
  homeIn(ground.env);
  // What was chosen at an installation before stays chosen.
  const failClosed = installedState(ground, commonDir).some(
    (found) => found.failClosed && found.scope === 'project' && hosts.includes(found.host),
  );
  const scope = 'project';
  return { ground, commonDir, scope, hosts, offers, replace: false, failClosed, start: 'as-before' };
}

function configFile(situation: Situation, { preset, checks: chosen, shadow }: Choice): PlannedFile[] {
  if (situation.hasConfig) return [];
  const { branch, taken } = situation;
  const leaveOut = taken.map(({ section }) => section);
  const checks = situation.checks.map((check) => ({ ...check, on: chosen.includes(check.name) }));
  const text = configText({ preset, branch, checks, leaveOut, shadow });
  const hasChecks = chosen.length > 0 && PRESETS[preset].checks;
  const found = hasChecks ? `checks: ${chosen.join(', ')}` : 'no checks';
  const note = shadow ? `${found}; every rule in shadow mode` : found;
  return text === undefined ? [] : [{ kind: 'config', path: OWN_CONFIG, isNew: true, note, text }];
}

/** The schema that the first line of the config names, for editors. It is kept up to date as long as that line is there. */
function schemaFile({ place: { root }, schema }: Situation, config: readonly PlannedFile[]): PlannedFile[] {
  const before = readText(join(root, SCHEMA_FILE));
  const isWanted = config.length > 0 || readText(join(root, OWN_CONFIG))?.startsWith(SCHEMA_LINE) === true;
  const isTheirs = before !== undefined && !before.includes(SCHEMA_TITLE);
  if (!isWanted || isTheirs || before === schema()) return [];
  const note = 'lets your editor check and complete the config';
  return [{ kind: 'schema', path: SCHEMA_FILE, isNew: before === undefined, note }];
}

function ignoreFile({ before, lines }: IgnoreChange): PlannedFile[] {
  if (lines.length === 0) return [];
  const note = `adds ${plural(lines.length, 'line')}`;
  return [{ kind: 'ignore', path: '.gitignore', isNew: before === undefined, note, text: lines.join('\n') }];
}

/** Only where it is missing or leads nowhere: on a new machine, say. */
function launchFile({ home }: Ground): PlannedFile[] {
  const { file, nodeThere, hookThere } = launchState(home);
  const note = 'starts Holdpoint on this machine';
  return nodeThere && hookThere ? [] : [{ kind: 'launch', path: file, isNew: true, note }];
}
