import { readFileSync } from 'node:fs';
import type { Json } from '../../core/json';
import { isProgram } from '../../exec/programs';
import { LAUNCH_MARK, linesIn } from '../../hosts/own-lines';
import type { Finding, Ground } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import type { InstalledFile } from '../install/installed-state';
import { advice, type Check, type Fix, failed, passed, warned } from './check';
import type { WiredLine } from './fired-checks';
import {
  installAgain,
  installByShell,
  installFirst,
  installInstead,
  type Means,
  takeOut,
} from './install-command';

const INSTALLED = { id: 'hook.installed', category: 'hook' } as const;

/** Whether hosts are told to call us, for which events, and what stands in the way. */
export function installationChecks(means: Means, ground: Ground, byPlugin: boolean): Check[] {
  const { files } = means;
  const hosts = new Set(files.filter(isWired).map(({ host }) => host));
  const wired = files.filter(({ host }) => hosts.has(host));
  const isDeaf = hosts.size === 0 && !byPlugin;
  return [
    ...(isDeaf
      ? [
          failed(
            INSTALLED,
            'no settings file of any host calls Holdpoint: nothing is held',
            installFirst(means),
          ),
        ]
      : []),
    ...(byPlugin ? [passed(INSTALLED, 'claude-code calls the hook by the plugin')] : []),
    ...files.filter(isWired).flatMap((found) => fileChecks(found, means)),
    ...files.flatMap((found) => programChecks(found, means)),
    ...files.flatMap((found) => unreadableChecks(found, hosts.has(found.host), means)),
    ...files.flatMap((found) => rivalChecks(found, means)),
    ...twiceChecks(means),
    ...onceEach(wired.flatMap((file) => examined(file, ground))),
  ];
}

/** Every line that a host runs for us, also one that was written by hand; each once. */
export function wiredLines(files: readonly InstalledFile[]): WiredLine[] {
  const all = files.flatMap((found): readonly WiredLine[] => {
    const { host, file, state, lines, rivals } = found;
    const byHand = rivals.filter(({ kind }) => kind === 'by-hand').map(({ command }) => command);
    const own = lines.length === 0 && state !== 'none' ? linesInFile(file) : lines;
    return [
      ...own.map((line) => ({ host, file, line, found, by: 'install' }) as const),
      ...byHand.map((line) => ({ host, file, line, found, by: 'hand' }) as const),
    ];
  });
  return all.filter(
    ({ host, line }, at) => all.findIndex((one) => one.host === host && one.line === line) === at,
  );
}

/** The lines in a file that is all ours, where it is one with lines. */
function linesInFile(file: string): readonly string[] {
  try {
    return linesIn(JSON.parse(readFileSync(file, 'utf8')) as Json).filter((line) =>
      line.includes(LAUNCH_MARK),
    );
  } catch {
    return [];
  }
}

/** A host may say of every scope what holds for all of them. */
function onceEach(checks: readonly Check[]): Check[] {
  return checks.filter(
    ({ id, message }, at) => checks.findIndex((one) => one.id === id && one.message === message) === at,
  );
}

function isWired({ state, rivals }: InstalledFile): boolean {
  const isOurs = state === 'whole' || state === 'other' || state === 'partial';
  return isOurs || rivals.some(({ kind }) => kind === 'by-hand');
}

function fileChecks(found: InstalledFile, means: Means): Check[] {
  const { host, file, state, missing } = found;
  switch (state) {
    case 'whole':
      return [passed(INSTALLED, `${host}: ${file}`)];
    case 'other':
      return [
        warned(
          { id: 'hook.outdated', category: 'hook' },
          `${file} calls us, but not as this version would`,
          installAgain(found, means),
        ),
      ];
    case 'partial':
      return [
        failed(
          { id: 'hook.missing', category: 'hook' },
          `${file} does not call us everywhere; missing: ${missing.join(', ')}`,
          installAgain(found, means),
        ),
      ];
    case 'none':
    case 'unreadable':
      return [];
  }
}

/** Without a shell there is nobody who would go on to the hook, and the host lets everything pass. */
function programChecks(found: InstalledFile, means: Means): Check[] {
  return found.programs
    .filter((program) => !isProgram(program))
    .map((program) =>
      failed(
        { id: 'hook.program', category: 'hook' },
        `${found.file} starts ${program} without a shell, and that is gone or cannot be run: the host lets everything pass`,
        installAgain(found, means),
      ),
    );
}

/** That nothing below a home can be read was said already, of the home. */
function unreadableChecks(found: InstalledFile, matters: boolean, { stand }: Means): Check[] {
  const { file, scope, trouble, troubleWith } = found;
  if (trouble === undefined || (scope === 'user' && stand.kind === 'homeless')) return [];
  const subject = { id: 'hook.settings', category: 'hook' } as const;
  const isText = troubleWith === 'text';
  const message = isText ? `${trouble}; the host drops such a file as a whole` : trouble;
  const fix = advice(isText ? `Mend ${file}` : `See to it that ${file} can be read`);
  return [matters ? failed(subject, message, fix) : warned(subject, message, fix)];
}

function rivalChecks(found: InstalledFile, means: Means): Check[] {
  return found.rivals.map(({ kind, program, command }) =>
    kind === 'by-hand'
      ? warned(
          { id: 'hook.by-hand', category: 'hook' },
          `${found.file} calls us by a line that was written by hand: \`${command}\``,
          installInstead(found, means, 'Put the installed entries in its place'),
        )
      : warned(
          { id: 'hook.older-program', category: 'hook' },
          `${found.file} also calls ${program}, whose work we do: \`${command}\``,
          installInstead(found, means, 'Take it out; uninstall puts it back'),
        ),
  );
}

/** The same line in two files is run once by the host; two different ones are both run. */
function twiceChecks(means: Means): Check[] {
  const subject = { id: 'hook.twice', category: 'hook' } as const;
  return [...new Set(means.files.map(({ host }) => host))].flatMap((host) => {
    const mine = means.files.filter((file) => file.host === host && isWired(file));
    const [first, second] = mine;
    if (first === undefined || second === undefined) return [];
    const where = mine.map(({ file }) => file).join(' and ');
    if (wiredLines(mine).length === 1)
      return [passed(subject, `${host}: ${where} have the same line, which is run once`)];
    const message = `${host}: ${where} call us by different lines: each event starts us more than once`;
    return [warned(subject, message, oneLineFor(mine, second, means))];
  });
}

/** What makes the lines of several files one: whatever is not as an installation writes it becomes so. */
function oneLineFor(mine: readonly InstalledFile[], last: InstalledFile, means: Means): Fix {
  const direct = mine.find(({ programs }) => programs.length > 0);
  if (direct !== undefined) return installByShell(direct, means);
  const byHand = mine.find(({ rivals }) => rivals.some(({ kind }) => kind === 'by-hand'));
  if (byHand !== undefined) return installInstead(byHand, means, 'Put the installed entries in its place');
  const other = mine.find(({ state }) => state === 'other');
  return other === undefined ? takeOut(last, means) : installAgain(other, means);
}

function examined({ host, scope, settings }: InstalledFile, ground: Ground): Check[] {
  return (setupOf(host)?.examine(scope, ground, settings) ?? []).map(fromFinding);
}

function fromFinding({ id, level, text, fix }: Finding): Check {
  const subject = { id: `hook.${id}`, category: 'hook' } as const;
  const mended = fix === undefined ? null : advice(fix);
  switch (level) {
    case 'fine':
      return passed(subject, text);
    case 'warning':
      return warned(subject, text, mended);
    case 'error':
      return failed(subject, text, mended);
  }
}
