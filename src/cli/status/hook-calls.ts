import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../core/failure';
import type { ProjectWithState } from '../../core/hook';
import { distinct, type Reason } from '../../core/protection';
import { hasPlugin, runsNoHook } from '../../hosts/claude-code/check-settings';
import { LAUNCH_MARK } from '../../hosts/own-lines';
import type { InstallTarget as SetupGround } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { LIBRARY_FILE } from '../../hosts/start-line';
import type { Context } from '../context';
import { newFixContext, reinstallFix } from '../doctor/report';
import {
  handWrittenLines,
  type InstalledFile,
  installedState,
  isOurs,
  wiredLines,
} from '../install/installed-state';
import { launchState } from '../install/launch';

/** Whether the hosts' settings call our hook. `broken`: they name it, but it does not run. */
export interface HookCalls {
  readonly kind: 'called' | 'partly' | 'broken' | 'none';
  readonly reasons: readonly Reason[];
}

/** Searches the settings of all hosts for our lines, handwritten lines and the plugin. */
export function hookCallsIn({ root, home, git }: ProjectWithState, env: Context['env']): HookCalls {
  const ground = { project: root, home, env };
  const files = installedState(ground, git?.commonDir);
  const install: Install = (found) => {
    const { command, description } = reinstallFix(found, newFixContext(files, ground, git !== undefined));
    return command === null ? description : `Run \`${command}\``;
  };
  const byHost = [...new Set(files.map(({ host }) => host))]
    .map((host) => files.filter((file) => file.host === host))
    .map((own) => hostHookCalls(own, ground, install));
  const named = byHost.filter(({ kind }) => kind !== 'none');
  const found = named.length > 0 ? named.flatMap((one) => one.reasons) : barred(files, ground, install);
  // Several hosts may read the same file.
  const reasons = distinct(found).map((one) => withShortPaths(one, root, home));
  if (named.length + reasons.length === 0) return { kind: 'none', reasons };
  if (reasons.length === 0) return { kind: 'called', reasons };
  const isWorking = named.some(({ kind }) => kind !== 'broken');
  return { kind: isWorking ? 'partly' : 'broken', reasons };
}

/** Makes paths relative to the root of the project or the home. */
function withShortPaths({ what, fix }: Reason, root: string, home: string): Reason {
  const short = (text: string): string => text.replaceAll(`${root}/`, '').replaceAll(`${home}/`, '~/');
  return { what: short(what), fix: short(fix) };
}

type Install = (found: InstalledFile) => string;

/** What keeps a host from calling us: at all, from one file, by our own lines in it, or at some events. */
interface Problem {
  readonly id?: string;
  readonly reach: 'host' | 'file' | 'own-lines' | 'events';
  readonly file: string;
  readonly reason: Reason;
}

/** Why no hook runs at all: settings that we do not see cannot call us either. */
function barred(files: readonly InstalledFile[], target: SetupGround, install: Install): Reason[] {
  const problems = files.flatMap((file) => problemsIn(file, target, install));
  return problems.flatMap(({ id, reason }) => (id !== undefined && runsNoHook(id) ? [reason] : []));
}

/** Whether one host calls us; `files` are those of all its scopes, which it reads together. */
function hostHookCalls(files: readonly InstalledFile[], target: SetupGround, install: Install): HookCalls {
  const wired = files.filter((file) => isOurs(file) || isCalledOtherwise(file));
  if (wired.length === 0) {
    // If a file that names us, or that we installed into, cannot be read, installing again would be refused.
    const named = files.filter(
      ({ file, record }) => record !== undefined || readText(file)?.includes(LAUNCH_MARK),
    );
    const reasons = named.flatMap(unreadable);
    return { kind: reasons.length > 0 ? 'broken' : 'none', reasons };
  }
  const problems = files.flatMap((file) => problemsIn(file, target, install));
  const working = wired.filter((file) => works(file, problems));
  const reasons = problems.map(({ reason }) => reason);
  if (working.length === 0 || problems.some(({ reach }) => reach === 'host'))
    return { kind: 'broken', reasons };
  const all = [...reasons, ...missingEvents(working, install)];
  return { kind: all.length === 0 ? 'called' : 'partly', reasons: all };
}

/** Through a handwritten line, or through the plugin, which has its own way to start us. */
function isCalledOtherwise(file: InstalledFile): boolean {
  return handWrittenLines(file).length > 0 || (file.host === 'claude-code' && hasPlugin(file.settings));
}

function works(file: InstalledFile, problems: readonly Problem[]): boolean {
  const reaches = problems.filter((problem) => problem.file === file.file).map(({ reach }) => reach);
  return !reaches.includes('file') && (isCalledOtherwise(file) || !reaches.includes('own-lines'));
}

/** How far a finding about a host's settings reaches; any other finding concerns all hooks of the host. */
const REACHES: Readonly<Record<string, Problem['reach']>> = {
  'wrong-key': 'file',
  'codex-untrusted': 'file',
  'codex-unread': 'file',
  'codex-hook-off': 'events',
  'gemini-milliseconds': 'events',
};

function problemsIn(found: InstalledFile, target: SetupGround, install: Install): Problem[] {
  const { host, scope, file, settings } = found;
  const findings = setupOf(host).examine?.(scope, target, settings) ?? [];
  return [
    ...unreadable(found).map((reason) => ({ reach: 'file', file, reason }) as const),
    ...findings
      .filter(({ level }) => level === 'error')
      .map(({ id, text, fix = '' }) => {
        const reason = { what: text.replace(/\.$/, ''), fix: fix.replace(/\.$/, '') };
        return { id, reach: REACHES[id] ?? 'host', file, reason };
      }),
    ...startProblem(found, target.home, install).map(
      (reason) => ({ reach: 'own-lines', file, reason }) as const,
    ),
  ];
}

function unreadable({ file, trouble }: InstalledFile): Reason[] {
  return trouble === undefined ? [] : [{ what: trouble, fix: `Fix ${file}` }];
}

/** Why the lines installed in a file start nothing. */
function startProblem(found: InstalledFile, home: string, install: Install): Reason[] {
  const { state, file, missing } = found;
  if (state === 'none' || state === 'unreadable') return [];
  if (missing.includes(file)) {
    const what = existsSync(file) ? 'does not start Holdpoint' : 'is missing';
    return [{ what: `${file} ${what}`, fix: install(found) }];
  }
  const lines = wiredLines([found]).map(({ line }) => line);
  if (lines.some((line) => line.includes(LAUNCH_MARK))) return launchProblem(home, () => install(found));
  const library = join(home, LIBRARY_FILE);
  return lines.length > 0 || existsSync(library) ? [] : [launchGone(library, install(found))];
}

/** The launch file itself makes up for a missing Node, and for a missing hook if its copy exists. */
function launchProblem(home: string, install: () => string): Reason[] {
  const { file, present, hook, hookThere, copyThere } = launchState(home);
  if (!present) return [launchGone(file, install())];
  const text = readText(file) ?? '';
  // A shell runs nothing of a `{` block that is not closed.
  const isCutShort = /^\{$/m.test(text) && !/^\}$/m.test(text);
  if (hook === undefined || isCutShort) {
    return [{ what: `${file} is damaged`, fix: install() }];
  }
  if (hookThere || copyThere) return [];
  return [{ what: `${hook} is missing, and so is its copy`, fix: install() }];
}

function launchGone(file: string, fix: string): Reason {
  return { what: `${file} is missing or cannot be read`, fix };
}

/**
 * Another file may have the missing events, but a host does not always read both, as in a directory below the root.
 * The plugin covers all events, and handwritten lines may cover any choice of them.
 */
function missingEvents(working: readonly InstalledFile[], install: Install): Reason[] {
  if (working.some(({ settings }) => hasPlugin(settings))) return [];
  return working.flatMap((found) => {
    const { file, state, missing } = found;
    const byHand = handWrittenLines(found).map(({ list }) => list);
    const lacking = state === 'partial' ? missing.filter((path) => !byHand.includes(path)) : [];
    if (lacking.length === 0) return [];
    const events = lacking.map((path) => path.replace(/^hooks\./, '')).join(', ');
    return [{ what: `${file} does not call the hook at every ${events}`, fix: install(found) }];
  });
}
