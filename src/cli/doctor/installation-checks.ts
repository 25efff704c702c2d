import { readFileSync } from 'node:fs';
import type { Json } from '../../domain/json';
import { LAUNCH_MARK, linesIn } from '../../hosts/own-lines';
import type { Finding, Ground, Scope } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { isProgram } from '../../process/programs';
import type { InstalledFile } from '../install/installed-state';
import { advice, type Check, type Fix, failed, passed, warned } from './check';
import type { WiredLine } from './fired-checks';

const INSTALLED = { id: 'hook.installed', category: 'hook' } as const;

/** Whether hosts are told to call us, for which events, and what stands in the way. */
export function installationChecks(
  files: readonly InstalledFile[],
  ground: Ground,
  byPlugin: boolean,
): Check[] {
  const hosts = new Set(files.filter(isWired).map(({ host }) => host));
  const wired = files.filter(({ host }) => hosts.has(host));
  const isDeaf = hosts.size === 0 && !byPlugin;
  return [
    ...(isDeaf ? [notInstalled()] : []),
    ...(byPlugin ? [passed(INSTALLED, 'claude-code calls the hook by the plugin')] : []),
    ...files.filter(isWired).flatMap(fileChecks),
    ...files.flatMap(programChecks),
    ...files
      .filter(({ state }) => state === 'unreadable')
      .map((file) => unreadable(file, hosts.has(file.host))),
    ...files.flatMap(rivalChecks),
    ...twiceChecks(files),
    ...onceEach(wired.flatMap((file) => examined(file, ground))),
  ];
}

/** Every line that a host runs for us, also one that was written by hand; each once. */
export function wiredLines(files: readonly InstalledFile[]): WiredLine[] {
  const all = files.flatMap(({ host, file, state, lines, rivals }) => {
    const byHand = rivals.filter(({ kind }) => kind === 'by-hand').map(({ command }) => command);
    const own = lines.length === 0 && state !== 'none' ? linesInFile(file) : lines;
    return [...own, ...byHand].map((line) => ({ host, file, line }));
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

function notInstalled(): Check {
  return failed(INSTALLED, 'no settings file of any host calls Holdpoint: nothing is held', {
    description: 'Write the entries',
    safe: false,
    command: 'holdpoint install',
  });
}

function fileChecks(found: InstalledFile): Check[] {
  const { host, file, state, missing } = found;
  switch (state) {
    case 'whole':
      return [passed(INSTALLED, `${host}: ${file}`)];
    case 'other':
      return [
        warned(
          { id: 'hook.outdated', category: 'hook' },
          `${file} calls us, but not as this version would`,
          again(found),
        ),
      ];
    case 'partial':
      return [
        failed(
          { id: 'hook.missing', category: 'hook' },
          `${file} does not call us everywhere; missing: ${missing.join(', ')}`,
          again(found),
        ),
      ];
    case 'none':
    case 'unreadable':
      return [];
  }
}

/** Without a shell there is nobody who would go on to the hook, and the host lets everything pass. */
function programChecks(found: InstalledFile): Check[] {
  return found.programs
    .filter((program) => !isProgram(program))
    .map((program) =>
      failed(
        { id: 'hook.program', category: 'hook' },
        `${found.file} starts ${program} without a shell, and that is gone or cannot be run: the host lets everything pass`,
        again(found),
      ),
    );
}

function unreadable({ file, trouble }: InstalledFile, matters: boolean): Check {
  const subject = { id: 'hook.settings', category: 'hook' } as const;
  const message = `${trouble ?? file}; the host drops such a file as a whole`;
  const fix = advice(`Mend ${file}`);
  return matters ? failed(subject, message, fix) : warned(subject, message, fix);
}

function rivalChecks(found: InstalledFile): Check[] {
  return found.rivals.map(({ kind, program, command }) => {
    const flags = flagsOf(found);
    return kind === 'by-hand'
      ? warned(
          { id: 'hook.by-hand', category: 'hook' },
          `${found.file} calls us by a line that was written by hand: \`${command}\``,
          advice('Put the installed entries in its place', `holdpoint install${flags} --replace`),
        )
      : warned(
          { id: 'hook.older-program', category: 'hook' },
          `${found.file} also calls ${program}, whose work we do: \`${command}\``,
          advice('Take it out; uninstall puts it back', `holdpoint install${flags} --replace`),
        );
  });
}

/** The same line in two files is run once by the host; two different ones are both run. */
function twiceChecks(files: readonly InstalledFile[]): Check[] {
  const subject = { id: 'hook.twice', category: 'hook' } as const;
  return [...new Set(files.map(({ host }) => host))].flatMap((host) => {
    const mine = files.filter((file) => file.host === host && isWired(file));
    if (mine.length < 2) return [];
    const where = mine.map(({ file }) => file).join(' and ');
    if (wiredLines(mine).length === 1)
      return [passed(subject, `${host}: ${where} have the same line, which is run once`)];
    const direct = mine.find(({ programs }) => programs.length > 0);
    return [
      warned(
        subject,
        `${host}: ${where} call us by different lines: each event starts us more than once`,
        direct === undefined
          ? advice('Keep one of them', 'holdpoint uninstall')
          : advice(
              'Have both start a shell: the same line is run once',
              `holdpoint install${flagsOf(direct)} --resident`,
            ),
      ),
    ];
  });
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

function again(found: InstalledFile): Fix {
  const how = found.programs.length > 0 ? ' --resident --direct' : '';
  return advice('Write the entries anew', `holdpoint install${flagsOf(found)}${how}`);
}

const SCOPE_FLAGS: Readonly<Record<Scope, string>> = { project: '', local: ' --local', user: ' --user' };

function flagsOf({ host, scope }: InstalledFile): string {
  return ` --host ${host}${SCOPE_FLAGS[scope]}`;
}
