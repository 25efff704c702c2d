import { lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SCHEMA_TITLE } from '../../config/json-schema';
import { errorCode, readText } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import type { JsonObject } from '../../core/json';
import { type CompiledConfig, readCache } from '../../core/project';
import { resolveBase } from '../../git/base';
import { type GitPlace, readHead, remoteDefault } from '../../git/head';
import { askGit } from '../../git/run-git';
import type { InstallTarget, OptionalExtra } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import type { Context } from '../context';
import { homeIn, hostsInUse, isFailClosed } from '../install/installed-state';
import { launchState } from '../install/launch';
import { type FileChange, type InstallRequest, planInstall } from '../install/plan';
import { openProject, requirementsConfig } from '../project';
import { plural } from '../ui/output';
import { configText, SCHEMA_LINE } from './config-text';
import { detectChecks, proposedChecks } from './detect/detect';
import { ignoreFileOf, missingLines } from './gitignore';
import { PRESETS, type PresetName } from './presets';

/** The branch that others start from. */
export interface DefaultBranch {
  readonly name: string;
  /** The ref that changes are compared with. */
  readonly base: string;
  /** Whether a remote has it, so that other people build on it too. */
  readonly isShared: boolean;
}

export interface Choice {
  readonly preset: PresetName;
  readonly hosts: readonly HostName[];
  /** Names of the checks to enable. */
  readonly checks: readonly string[];
  readonly install: boolean;
  /** What to add to the settings besides the hooks. */
  readonly offers: readonly OptionalExtra[];
  /** Whether every rule starts in shadow mode. */
  readonly shadow: boolean;
}

/** A file to write. The launch file is in the home directory, all others are in the project. */
export interface PlannedFile {
  readonly kind: 'config' | 'schema' | 'ignore' | 'settings' | 'launch';
  readonly path: string;
  readonly isNew: boolean;
  readonly note: string;
  /** The text of the config, or the lines to add to `.gitignore`. */
  readonly text?: string;
  readonly change?: FileChange;
}

export const OWN_CONFIG = '.holdpoint/config.yaml';
export const SCHEMA_FILE = '.holdpoint/schema.json';

/** Config files of older programs, which stay in effect. */
const OLDER = [
  { section: 'requirements', file: '.claude/requirements.yaml' },
  { section: 'requirements', file: '.claude/requirements.local.yaml' },
  { section: 'gates', file: '.gauntlet' },
  { section: 'workflow', file: '.isdlc' },
] as const;

/** Everything that is known before the user is asked. */
export type ProjectSituation = ReturnType<typeof inspectProject>;

export function inspectProject(place: GitPlace, named: readonly HostName[], context: Context) {
  const { env } = context;
  const target: InstallTarget = { project: place.root, home: env['HOME'] ?? '', env };
  const survey = detectChecks(place.root);
  const seen = named.length > 0 ? named : hostsInUse(target, 'project');
  const hosts: readonly HostName[] = seen.length > 0 ? seen : ['claude-code'];
  const taken = OLDER.filter(({ file }) => isThere(place.root, file));
  const config = (): CompiledConfig | undefined => {
    const project = openProject({ ...context, cwd: place.root });
    // Compiles without writing the cache: inspecting must write nothing.
    const { compileOnly } = context.chunks.part('compile-config');
    return project && (readCache(project) ?? compileOnly(project, context.chunks));
  };
  return {
    place,
    target,
    hasConfig: isThere(place.root, OWN_CONFIG),
    // Each section once, with the first file that has it.
    taken: taken.filter(({ section }, at) => taken.findIndex((one) => one.section === section) === at),
    branch: defaultBranchOf(place),
    survey,
    checks: proposedChecks(survey.parts),
    hosts,
    /** Whether the existing config, including the home directory's, has a rule that an agent may satisfy. */
    satisfiable: () => {
      const { requirements = [] } = requirementsConfig(config()) ?? {};
      return requirements.some(({ agentMaySatisfy, type }) => agentMaySatisfy && type === 'blocking');
    },
    /** What is wrong with the existing config. */
    problems: () => config()?.head.problems ?? [],
    /** The JSON schema that editors check the config against. */
    schema: () => `${JSON.stringify(context.chunks.part('compile-config').printableSchema())}\n`,
    /** Whether they were given, or exactly one was found; if none was, Claude Code is assumed. */
    areHostsClear: named.length > 0 || (seen.length > 0 && hosts.length === 1),
  };
}

/** Whether the path exists, even as a broken symlink. */
function isThere(root: string, path: string): boolean {
  try {
    return lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // The parent directory is a file.
    if (errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

const USUAL_BRANCHES = ['main', 'master'];

/** Undefined if it cannot be determined. */
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
  const names = askGit(place.root, ['for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/remotes']);
  const isOnly = (names ?? '').split('\n').every((ref) => ref === '' || ref === `refs/heads/${current}`);
  const local = USUAL_BRANCHES.find((name) => exists(`refs/heads/${name}`)) ?? (isOnly ? current : undefined);
  return local === undefined ? undefined : { name: local, base: local, isShared: false };
}

/** The chosen settings, and everything that will be written for them. Files that are already up to date are left out. */
export type InitPlan = ReturnType<typeof planFor>;

export function planFor(situation: ProjectSituation, choice: Choice) {
  const { place, target } = situation;
  const ignore = missingLines(place.root);
  const config = configFile(situation, choice);
  const files = [...config, ...schemaFile(situation, config), ...ignoreFile(place.root, ignore)];
  const installs = choice.install && choice.hosts.length > 0;
  const request = installs ? installRequest(situation, choice) : undefined;
  const common = { situation, choice, ignore, request };
  if (request === undefined) return { ...common, files, duplicates: [] };
  const { changes, duplicates } = planInstall(request);
  const settings = changes.map((change): PlannedFile => {
    const extras = new Set((change.extras ?? []).map(({ kind }) => EXTRA_NOTES[kind]));
    const note = [`hooks for ${setupOf(change.host).title}`, ...extras].join(', ');
    const path = relative(place.root, change.file);
    return { kind: 'settings', path, isNew: change.before === undefined, note, change };
  });
  return { ...common, files: [...files, ...settings, ...launchFile(target)], duplicates };
}

const EXTRA_NOTES = { item: 'permission to run `req satisfy`', member: 'status line' } as const;

/** Whether an agent may satisfy any rule. If so, it needs permission to run the command. */
export function agentsSatisfy(
  { hasConfig, taken, branch, satisfiable }: ProjectSituation,
  preset: PresetName,
) {
  const isWritten = !hasConfig && !taken.some(({ section }) => section === 'requirements');
  const rules = isWritten ? Object.values(PRESETS[preset].requirements(branch)) : [];
  const isSatisfiable = (rule: JsonObject): boolean =>
    rule['enabled'] !== false && rule['agent_may_satisfy'] !== false && rule['type'] === undefined;
  // With every preset, the rules of the home directory apply too.
  return rules.some(isSatisfiable) || satisfiable();
}

/** The names of the checks that the new config enables: none if another file has the gates. */
export function writtenChecks({ taken }: ProjectSituation, { preset, checks }: Choice): readonly string[] {
  return PRESETS[preset].checks && !taken.some(({ section }) => section === 'gates') ? checks : [];
}

function installRequest(
  { place: { commonDir }, target }: ProjectSituation,
  { hosts, offers }: Choice,
): InstallRequest {
  homeIn(target.env);
  const place = { target, commonDir, scope: 'project' } as const;
  // Keep the choice of an earlier installation.
  const failClosed = isFailClosed(place, hosts);
  return { ...place, hosts, offers, replace: false, failClosed, start: 'as-before' };
}

function configFile(situation: ProjectSituation, choice: Choice): PlannedFile[] {
  if (situation.hasConfig) return [];
  const { preset, checks: chosen, shadow } = choice;
  const { branch, taken } = situation;
  const leaveOut = taken.map(({ section }) => section);
  const checks = situation.checks.map((check) => ({ ...check, on: chosen.includes(check.name) }));
  const text = configText({ preset, branch, checks, leaveOut, shadow });
  const written = writtenChecks(situation, choice);
  const found = written.length > 0 ? `checks: ${written.join(', ')}` : 'no checks';
  const note = shadow ? `${found}; every rule in shadow mode` : found;
  return text === undefined ? [] : [{ kind: 'config', path: OWN_CONFIG, isNew: true, note, text }];
}

/** The schema for editors. It is kept up to date as long as the first line of the config names it. */
function schemaFile(
  { place: { root }, schema }: ProjectSituation,
  config: readonly PlannedFile[],
): PlannedFile[] {
  const before = readText(join(root, SCHEMA_FILE));
  const isWanted = config.length > 0 || readText(join(root, OWN_CONFIG))?.startsWith(SCHEMA_LINE) === true;
  const isTheirs = before !== undefined && !before.includes(SCHEMA_TITLE);
  if (!isWanted || isTheirs || before === schema()) return [];
  const note = 'lets your editor check and complete the config';
  return [{ kind: 'schema', path: SCHEMA_FILE, isNew: before === undefined, note }];
}

function ignoreFile(root: string, lines: readonly string[]): PlannedFile[] {
  if (lines.length === 0) return [];
  const [note, text] = [`adds ${plural(lines.length, 'line')}`, lines.join('\n')];
  return [{ kind: 'ignore', path: '.gitignore', isNew: ignoreFileOf(root) === undefined, note, text }];
}

/** Only if it is missing or points to missing files, for example on a new machine. */
function launchFile({ home }: InstallTarget): PlannedFile[] {
  const { file, nodeThere, hookThere } = launchState(home);
  const note = 'starts Holdpoint on this machine';
  return nodeThere && hookThere ? [] : [{ kind: 'launch', path: file, isNew: true, note }];
}
