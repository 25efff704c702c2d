import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { showPlace } from '../../config/diagnostics';
import { changePhrase, unacceptedChanges } from '../../core/accepted-config';
import type { CompiledFiles } from '../../core/compile-config';
import { attempt, detailOf, type Failure, readText } from '../../core/failure';
import { GUARD_NAMES, isDisabled, selectGuards } from '../../core/guard';
import { jsonObjectIn, objectIn } from '../../core/json';
import { repairOf, sentenceOf, troubleOf } from '../../core/messages';
import { loadConfig } from '../../core/project';
import { fixesOf, statementOf } from '../../core/protection';
import { isSameSessionName, localTime, sessionKey } from '../../core/text';
import { processState } from '../../exec/processes';
import type { AskGit } from '../../git/run-git';
import { missingProgram } from '../../guards/gates/run/check';
import type { RequirementsConfig } from '../../guards/requirements/section';
import { presentValue } from '../../guards/requirements/view';
import { RULES_DIR } from '../../guards/rules/compile';
import { containerOf, type Layout, placeOf, projectLockFile, readDocument } from '../../state/documents';
import { discard, holderOf, isAbandoned, writeTemporary } from '../../state/files';
import { joinedIn } from '../../state/hub';
import { HUB } from '../../state/journal';
import { checkJournal } from '../../state/journal-check';
import { REGISTRY } from '../../state/sessions';
import { homeLockFile, lockProject } from '../../state/update';
import type { Context } from '../context';
import { unusedRuntimeDirectory } from '../event-server';
import { type InstalledFile, isOurs } from '../install/installed-state';
import { ownDist, shellWord } from '../install/launch';
import { journalSentence } from '../log/entries';
import { nearestExisting, type ProjectContext, requirementsConfig, stateDirectories } from '../project';
import { layoutOfHome, readHeartbeats, readRegistry } from '../req/find-session';
import { readStateFiles } from '../req/state-files';
import { disabledRow } from '../req/status';
import {
  degradedSessions,
  gatherFacts,
  misnamedConfig,
  protectionOf,
  uncheckedText,
} from '../status/protection';
import { ago, plural } from '../ui/output';
import {
  advice,
  type Check,
  type Fix,
  type FixContext,
  failed,
  homeCheck,
  installFix,
  passed,
  reinstallFix,
  warned,
} from './report';

/** All checks except those of the installation. */
export function environmentChecks(
  project: ProjectContext | undefined,
  fixContext: FixContext,
  context: Context,
): Check[] {
  const { home } = fixContext.target;
  const { cwd, env, chunks } = context;
  const unused = unusedRuntimeDirectory(env);
  const now = Date.now();
  // Before the trial writes: any write removes a stale lock, which should be reported.
  const state = stateChecks(project, home, now);
  const checks = [
    runtimeChecks(cwd, chunks.askGit),
    versionCheck(cwd, env),
    homeCheck(env),
    switchChecks(env),
    unused && warned('runtime.place', unused.replace(/\.$/, ''), advice('Use an absolute path')),
    codeCheck(home),
    projectChecks(project, 'holdpoint init'),
    project && [...cwdCheck(project, fixContext.files), armedCheck(project), ...trustChecks(project)],
    project && writableCheck(project),
    state,
    project && sessionChecks(project, fixContext, now),
  ];
  return checks.flatMap((check) => check || []);
}

const OLDEST_NODE = 20;

/** Node and git, which Holdpoint needs. */
export function runtimeChecks(cwd: string, askGit: AskGit): Check[] {
  const node = process.versions.node;
  const git = askGit(cwd, ['--version']);
  const noGit = 'git does not run, so gates cannot run and branch sizes are unknown';
  return [
    Number.parseInt(node, 10) >= OLDEST_NODE
      ? passed('runtime.node', `Node ${node}`)
      : failed('runtime.node', `Node ${node} is too old`, advice(`Install Node ${OLDEST_NODE} or newer`)),
    git === undefined ? warned('runtime.git', noGit, advice('Install git')) : passed('runtime.git', git),
  ];
}

/** How to put our commands on the PATH, if they are not there. */
export function linkCommand(cwd: string, env: Context['env']): string | undefined {
  const isMissing = ['req', 'holdpoint'].some((name) => missingProgram(name, cwd, env) !== undefined);
  return isMissing ? `(cd ${shellWord(dirname(ownDist()))} && npm link)` : undefined;
}

function versionCheck(cwd: string, env: Context['env']): Check {
  const link = linkCommand(cwd, env);
  const missing =
    link === undefined ? '' : `; a held agent needs \`req\`, which is not on your PATH: ${link}`;
  return passed('runtime.version', `Holdpoint ${__VERSION__} in ${ownDist()}${missing}`);
}

function switchChecks(env: Context['env']): Check[] {
  const unset = advice('Unset it');
  if (isDisabled(env))
    return [failed('runtime.switches', 'HOLDPOINT_DISABLE is set here: nothing is held', unset)];
  const { guards } = selectGuards([], env);
  const off = GUARD_NAMES.filter((name) => !guards.includes(name)).join(', ');
  if (off === '') return [];
  return [warned('runtime.switches', `disabled by an environment variable: ${off}`, unset)];
}

/** The cache of compiled code is in the home; without it every event takes longer, but nothing fails. */
function codeCheck(home: string): Check {
  const folder = join(home, '.config', 'holdpoint', 'code');
  if (!existsSync(folder)) return passed('runtime.code-cache', 'empty so far');
  try {
    if (!statSync(folder).isDirectory()) throw new Error('no directory');
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return passed('runtime.code-cache', folder);
  } catch {
    const why = `${folder} cannot be used, so every event takes longer`;
    return warned('runtime.code-cache', why, advice(`Remove ${folder}`));
  }
}

/** Whether this is a repository with a valid config; `init` is the command that writes a missing one. */
export function projectChecks(project: ProjectContext | undefined, init: string): Check[] {
  if (project !== undefined) {
    const files = project.chunks.part('compile-config').compileConfig(project.root, project.home);
    return [
      repositoryCheck(project),
      configCheck(project, files, init),
      ...disabledCheck(project),
      ...unjoinedCheck(project),
      ...looseCheck(files),
    ];
  }
  const fix = advice('Change into a repository, or create .holdpoint/');
  return [warned('project.repository', 'Not in a git repository', fix)];
}

function repositoryCheck({ root, git }: ProjectContext): Check {
  if (git !== undefined) return passed('project.repository', root);
  const text = `${root} is not a git repository: gates, and rules about branches, commits and pushes, hold nothing here`;
  return warned('project.repository', text, advice('Run `git init`'));
}

/** Rules that are off. A person may want that, unless the config only forgot to say that they are on. */
function disabledCheck(project: ProjectContext): Check[] {
  const { disabled = [] } = attempt(() => loadConfig(project, project.chunks))?.head ?? {};
  const rules = disabled.filter(({ name }) => name !== '');
  const text = `disabled: ${rules.map((one) => disabledRow(one).join(' ')).join(', ')}`;
  if (!rules.some(({ missing }) => missing))
    return rules.length === 0 ? [] : [passed('project.disabled', text)];
  const fix = advice('Set `enabled` to true or false in each of them');
  return [warned('project.disabled', text, fix)];
}

/** Rules that only a hub can approve, while this machine has joined none. */
function unjoinedCheck(project: ProjectContext): Check[] {
  const config = requirementsConfig(attempt(() => loadConfig(project, project.chunks)));
  const names = (config?.requirements ?? []).flatMap(({ name, approval }) =>
    approval === 'hub' ? [name] : [],
  );
  if (names.length === 0 || joinedIn(presentValue(readDocument(project.layout, HUB)))) return [];
  const text = `nobody can approve ${names.join(', ')}: \`approval: hub\`, and this machine has joined no hub`;
  return [warned('project.hub', text, advice('Join one with `holdpoint join URL CODE`'))];
}

/** Config files of the older framework keep their meaning, even where it is weaker than Holdpoint's own. */
function looseCheck({ guards, sources }: CompiledFiles): Check[] {
  const { config } = guards.find(({ name }) => name === 'requirements') ?? {};
  const { requirements = [] } = (config ?? {}) as Partial<RequirementsConfig>;
  const isSet = (name: string, key: string): boolean =>
    sources.some(({ value }) => objectIn(objectIn(value, 'requirements'), name)[key] !== undefined);
  const loose = requirements.filter(
    ({ name, legacy, type, agentMaySatisfy }) =>
      legacy && type === 'blocking' && agentMaySatisfy && !isSet(name, 'agent_may_satisfy'),
  );
  const narrow = requirements.filter(
    (one) => one.legacy && 'branches' in one && one.effects.length === 0 && !isSet(one.name, 'trigger_tools'),
  );
  const namesOf = (some: typeof requirements): string => some.map(({ name }) => name).join(', ');
  const may = `The agent itself can satisfy ${namesOf(loose)}, as in the older framework; \`agent_may_satisfy: false\` reserves a rule for people`;
  const edits = `${namesOf(narrow)} holds only edits, as in the older framework; \`on: [edit, commit, merge, push]\` holds the others too`;
  return [
    ...(loose.length === 0 ? [] : [passed('project.agent-may-satisfy', may)]),
    ...(narrow.length === 0 ? [] : [passed('project.protected-branch', edits)]),
  ];
}

function configCheck(
  { configured, root }: ProjectContext,
  { diagnostics, sources, guards }: CompiledFiles,
  init: string,
): Check {
  const worst = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0];
  if (worst !== undefined) {
    const more = diagnostics.length > 1 ? ` (and ${diagnostics.length - 1} more)` : '';
    const fix = { description: 'Shows every problem with its line', safe: true, command: 'req status -v' };
    const tell = worst.severity === 'error' ? failed : warned;
    return tell('project.config', `${showPlace(worst.place)}: ${worst.message}${more}`, fix);
  }
  // Rules of one's own need no config beside them.
  const ownRules = guards.some(({ name }) => name === 'rules') ? [RULES_DIR] : [];
  const [first, ...more] = sources.length > 0 ? sources.map(({ shown }) => shown) : ownRules;
  if (configured && first !== undefined) return passed('project.config', [first, ...more].join(', '));
  const misnamed = misnamedConfig(root);
  if (misnamed !== undefined) return warned('project.config', misnamed.what, advice(misnamed.fix));
  return warned('project.config', 'This project has no config', advice('Write one', init));
}

/** Changes made while an agent worked that no person has accepted, and damage to the journal. */
function trustChecks(project: ProjectContext): Check[] {
  const changes = unacceptedChanges(attempt(() => loadConfig(project, project.chunks))).map(changePhrase);
  const look = advice('Look at it, then accept it with --accept', 'holdpoint trust');
  const troubles = checkJournal(project.layout).map(journalSentence);
  const changed = `changed while an agent worked: ${changes.join('; ')}`;
  const ask = advice('Ask who has changed it');
  return [
    ...(changes.length === 0 ? [] : [warned('project.trust', changed, look)]),
    ...(troubles.length === 0 ? [] : [warned('project.journal', troubles.join('; '), ask)]),
  ];
}

/** Claude Code loads a project's hooks only if it is started at the root; user settings it always loads. */
function cwdCheck({ root, cwd }: ProjectContext, files: readonly InstalledFile[]): Check[] {
  const here = existsSync(cwd) ? realpathSync(cwd) : cwd;
  if (here === root) return [passed('project.cwd', 'at the root of the project')];
  const ours = files.filter(({ host, state }) => host === 'claude-code' && state !== 'none');
  if (ours.length === 0 || ours.some(({ scope }) => scope === 'user')) return [];
  const what = `Claude Code started in ${relative(root, here)} does not load the hooks of ${root}`;
  const fix = advice('Start it at the root, or install into your user settings', 'holdpoint install --user');
  return [warned('project.cwd', what, fix)];
}

/** Whether agents are held here now, as `status` and the start of a session report it. */
function armedCheck(project: ProjectContext): Check {
  const protection = protectionOf(gatherFacts(project));
  const said = `Holdpoint is ${statementOf(protection)}`;
  if (protection.state === 'on' || protection.onlyRecords) return passed('project.armed', said);
  return warned('project.armed', said, advice(fixesOf(protection).join('. ') || 'See `holdpoint status`'));
}

/** Really writes: permissions do not show a symlink that leads outside, a full disk or a foreign lock. */
function writableCheck({ layout }: ProjectContext): Check {
  const failure = tryWriting(layout);
  if (failure === undefined) return passed('state.writable', layout.own);
  const fix = repairOf(failure) || 'Make it writable, or start the agent with HOLDPOINT_DISABLE=1';
  const what = `${troubleOf(failure)} Nothing can be recorded: no rule can be satisfied, and loops do not hold`;
  return failed('state.writable', what, advice(fix));
}

/** The state files, their locks, the session registry, and events that were not checked. */
export function stateChecks(project: ProjectContext | undefined, home: string, now: number): Check[] {
  const layout = project?.layout ?? layoutOfHome(home);
  const homeLock = lockCheck('state.registry-lock', homeLockFile(layout, REGISTRY), now);
  const registry = [registryCheck(layout, now), homeLock];
  if (project === undefined) return registry;
  const lock = lockCheck('state.lock', projectLockFile(layout), now);
  return [filesCheck(layout), lock, ...registry, degradedCheck(project)];
}

function filesCheck(layout: Layout): Check {
  const files = readStateFiles(layout);
  const first = files.find((file) => file.kind === 'unreadable');
  const fine =
    files.length === 0 ? 'no state files yet' : `${plural(files.length, 'state file')}, all readable`;
  if (first === undefined) return passed('state.files', fine);
  const why = sentenceOf({ code: 'state.unreadable', file: first.file, detail: first.why });
  return failed('state.files', why, advice('Restore it from a backup, or satisfy its rules again'));
}

function lockCheck(id: `state.${string}`, file: string, now: number): Check {
  // If nothing can be stored, there is no lock; another check reports that.
  const holder = attempt(() => holderOf(file));
  if (holder === undefined) return passed(id, 'free');
  const owner = holder.stamp === undefined ? 'an unknown process' : `process ${holder.stamp.pid}`;
  const left = `${file} was left by ${owner}, which has ended`;
  if (isAbandoned(holder, now)) return warned(id, left, advice('Nothing to do: the next event removes it'));
  const fix = advice(`Run doctor again; if it is still held, look at that process (${file})`);
  return warned(id, `held by ${owner}`, fix);
}

function registryCheck(layout: Layout, now: number): Check {
  const registry = readRegistry(layout, now);
  switch (registry.kind) {
    case 'missing':
      return passed('state.registry', 'no session registered yet');
    case 'read': {
      const live = registry.sessions.filter(({ alive }) => alive);
      return passed('state.registry', plural(live.length, 'live session'));
    }
    case 'unreadable': {
      const fix = advice('Nothing to do: the next session moves it aside and starts a new one');
      return warned('state.registry', `${registry.file} ${registry.why}`, fix);
    }
  }
}

function degradedCheck(project: ProjectContext): Check {
  const marks = degradedSessions(project.layout);
  const last = marks.at(-1);
  if (last === undefined) return passed('state.degraded', 'every event was checked');
  const when = localTime(last.at, Date.now(), 'minutes');
  const what = `${uncheckedText(marks)}, the last at ${when}: ${last.code} ${last.detail}`.trimEnd();
  const fix = { description: 'Shows what failed', safe: true, command: 'holdpoint log' };
  return warned('state.degraded', what.trimEnd(), fix);
}

/** Whether the sessions that run here have called us, as far as we or Claude Code have recorded them. */
function sessionChecks(project: ProjectContext, fixContext: FixContext, now: number): Check[] {
  const beats = readHeartbeats(project.layout);
  const isHeard = (id: string): boolean => beats.some((beat) => isSameSessionName(id, beat.sessionId));
  const live = readRegistry(project.layout, now).sessions.filter(
    ({ alive, projectDir }) => alive && projectDir === project.root,
  );
  const isKnown = (id: string): boolean =>
    isHeard(id) || live.some((one) => isSameSessionName(id, one.sessionId));
  // If nothing can be written, the start of a session is not recorded even if it called us.
  const isNoted = tryWriting(project.layout) === undefined;
  const last = ago((now - Math.max(...beats.map(({ at }) => at))) / 1000);
  const heard = `${plural(beats.length, 'session')} called the hook, the last ${last}`;
  const unheard = live.filter(({ sessionId }) => isNoted && !isHeard(sessionId)).map(({ id }) => id);
  const noStart = `called the hook at tool calls, but not at the start: session ${unheard.join(', ')}`;
  return [
    passed('state.heartbeat', beats.length === 0 ? 'no session has called the hook yet' : heard),
    ...(unheard.length === 0 ? [] : [warned('state.no-start', noStart, noStartFix(fixContext))]),
    ...hostSessions(project)
      .filter(({ id }) => !isKnown(id))
      .map(({ id, cwd }) => neverCalled(sessionKey(id) ?? id, cwd, project.root)),
  ];
}

function noStartFix(fixContext: FixContext): Fix {
  const ours = fixContext.files.filter(isOurs);
  const partial = ours.find(({ state }) => state === 'partial');
  if (partial !== undefined)
    return reinstallFix(partial, fixContext, 'Add SessionStart and UserPromptSubmit');
  if (ours.length === 0) return installFix(fixContext);
  return advice('It began before Holdpoint was installed: restart the agent');
}

function neverCalled(key: string, cwd: string, root: string): Check {
  const where = cwd === root ? '' : ` in ${cwd}, where it does not load the hooks of ${root}`;
  const what = `session ${key} of Claude Code runs here${where} and has never called the hook: nothing is held in it`;
  const fix = advice('Restart it at the root of the project, then check /hooks there');
  return warned('state.unheard', what, fix);
}

/** The running sessions of this project, from the files in which Claude Code records its sessions. */
function hostSessions({ home, root }: ProjectContext): { readonly id: string; readonly cwd: string }[] {
  const directory = join(home, '.claude', 'sessions');
  const names = attempt(() => readdirSync(directory)) ?? [];
  return names.flatMap((name) => {
    if (!/^\d+\.json$/.test(name)) return [];
    const { pid, sessionId, cwd } = jsonObjectIn(readText(join(directory, name)) ?? '') ?? {};
    if (typeof pid !== 'number' || typeof sessionId !== 'string' || typeof cwd !== 'string') return [];
    const isHere = cwd === root || cwd.startsWith(`${root}/`);
    const isNamed = sessionKey(sessionId) !== undefined;
    return isHere && isNamed && processState(pid) === 'alive' ? [{ id: sessionId, cwd }] : [];
  });
}

/** More than a file system stores inline with the metadata, so that a full disk is noticed. */
const TRIAL = `${'A trial of Holdpoint, to be removed at once. '.repeat(200)}\n`;

/**
 * Tries what writing state needs: a lock, and in each directory a file that is written, renamed and removed. Leaves
 * nothing behind. For a directory that does not exist yet, it tries the one in which it would be created.
 */
function tryWriting(layout: Layout): Failure | undefined {
  for (const directory of stateDirectories(layout)) {
    const failure = tryIn(layout, directory);
    if (failure !== undefined) return failure;
  }
  if (!existsSync(layout.own)) return undefined;
  const lock = lockProject(layout, 0);
  if (lock.ok) lock.value.release();
  // Another check reports a lock that is held now.
  return lock.ok || lock.failure.code === 'lock.timeout' ? undefined : lock.failure;
}

function tryIn(layout: Layout, directory: string): Failure | undefined {
  let written: string | undefined;
  try {
    const place = placeOf(containerOf(layout, 'own'), `${directory}/trial`);
    if (place.kind === 'outward') return { code: 'state.outside', file: directory, target: place.target };
    const trial = `${nearestExisting(directory)}/holdpoint-trial-${process.pid}`;
    written = writeTemporary(trial, TRIAL, true);
    renameSync(written, trial);
    written = trial;
    unlinkSync(trial);
    return undefined;
  } catch (error) {
    if (written !== undefined) discard(written);
    return { code: 'state.write-failed', file: directory, detail: detailOf(error) };
  }
}
