import { dirname, relative } from 'node:path';
import type { JsonObject } from '../../core/json';
import { askGit } from '../../git/ask-git';
import { missingProgram } from '../../guards/gates/run/preflight';
import { setupOf } from '../../hosts/setup-table';
import type { Report } from '../doctor/report';
import { LAUNCH_FILE, ownDist } from '../install/launch';
import type { FileChange } from '../install/plan';
import { diffText } from '../install/report';
import type { Output } from '../output/output';
import { printable } from '../output/printable';
import { table } from '../output/table';
import { type Choice, type InitPlan, OWN_CONFIG, type Situation, type Taken } from './plan';
import { PRESETS, type PresetName } from './presets';

const LAUNCH = 'what the hooks start on this machine';

/** What kind of project was found. */
export function foundHere({ place, survey, branch }: Situation): string {
  const kinds = survey.kinds.join(', ') || 'no manifest that tells a kind of project';
  const counted = branch && `changes are counted from ${branch.isShared ? branch.base : branch.name}`;
  return printable(`${place.root}: ${kinds}; ${counted ?? 'no default branch was found'}`);
}

/** What is worth knowing before anything is written: what stays, and what was not proposed. */
export function notesOn(
  { hasConfig, taken, survey, checks, unfit, ground }: Situation,
  { install }: InitPlan,
  preset: PresetName | undefined,
): string[] {
  const isNew = !hasConfig;
  const missing = new Map<string, string>();
  for (const { command, on } of checks) {
    const program = on ? missingProgram(command, ground.project, ground.env) : undefined;
    if (program !== undefined && !missing.has(program)) missing.set(program, command);
  }
  const unused = `The preset ${preset} changes nothing here. To begin anew, delete the config first.`;
  const rivals = install?.rivals ?? [];
  return [
    ...(hasConfig ? [`${OWN_CONFIG} is there already and stays as it is.`] : []),
    ...(hasConfig && preset !== undefined ? [unused] : []),
    ...(isNew ? taken.map(keptSection) : []),
    ...(isNew ? survey.passedOver.map(({ what, why }) => printable(`Not proposed: ${what} ${why}.`)) : []),
    ...(isNew ? [...missing].map(([program, command]) => missingHere(program, command)) : []),
    ...unfit.map(
      (name) => `${name} has no settings for a single project: holdpoint install --host ${name} --user`,
    ),
    ...rivals.map(({ program, list }) =>
      printable(`${program} is at ${list} as well; \`holdpoint install --replace\` puts ours in its place.`),
    ),
  ];
}

function keptSection({ section, file }: Taken): string {
  const where = file.includes('.', 1) ? file : `${file}/`;
  return `${where} stays in force for ${section}; nothing about that is written.`;
}

function missingHere(program: string, command: string): string {
  const why = `\`${command}\` could not run here, and would let the turn end.`;
  return printable(`${program} is not on your PATH: ${why}`);
}

/** Prints what would be written: new files whole; of settings, the difference or, in short, how much it is. */
export function showPlan(
  { config, ignore, install, launch }: InitPlan,
  root: string,
  whole: boolean,
  out: Output,
): void {
  if (config !== undefined) showBox(OWN_CONFIG, 'new', config.trimEnd().split('\n'), out);
  if (ignore.lines.length > 0) {
    const what = ignore.before === undefined ? 'new' : 'lines added at its end';
    showBox('.gitignore', what, ignore.lines, out);
  }
  for (const change of install?.changes ?? []) {
    if (whole) showDiff(change, root, out);
    else showBox(relative(root, change.file), hooksOf(change), [amountOf(change)], out);
  }
  if (launch !== undefined) showBox(`~/${LAUNCH_FILE}`, 'new', [LAUNCH], out);
}

function showBox(name: string, what: string, lines: readonly string[], out: Output): void {
  out.line(heading(name, what, out));
  for (const line of lines) out.line(`  ${out.style('dim', '│')} ${printable(line)}`);
  out.line();
}

/** Every line of what a host's settings get. */
export function showDiff(change: FileChange, root: string, out: Output): void {
  out.line(heading(relative(root, change.file), hooksOf(change), out));
  for (const line of diffText(change).trimEnd().split('\n')) {
    const style = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
    out.line(`  ${out.style(style, line)}`);
  }
  out.line();
}

function amountOf(change: FileChange): string {
  const lines = diffText(change).split('\n');
  const count = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  const [added, removed] = [count('+'), count('-')];
  const amount = linesAdded(added) + (removed === 0 ? '' : `, ${removed} taken out`);
  return `${amount}; no other byte changes, and \`holdpoint uninstall\` undoes it`;
}

function hooksOf({ host, before }: FileChange): string {
  return `${before === undefined ? 'new, ' : ''}hooks of ${titleOf(host)}`;
}

function heading(name: string, what: string, out: Output): string {
  return `${out.style('bold', name)} ${out.style('dim', `(${what})`)}`;
}

function linesAdded(count: number): string {
  return count === 1 ? '1 line added' : `${count} lines added`;
}

function titleOf(host: FileChange['host']): string {
  return setupOf(host)?.title ?? host;
}

/** What was done, in a line each. */
export function doneLines(
  { config, ignore, install, launch }: InitPlan,
  { checks, preset }: Choice,
  root: string,
): string[] {
  const found = checks.length === 0 || !PRESETS[preset].checks ? 'no checks' : `checks: ${checks.join(', ')}`;
  const rows = [
    ...(config === undefined ? [] : [[OWN_CONFIG, found]]),
    ...(ignore.lines.length === 0 ? [] : [['.gitignore', linesAdded(ignore.lines.length)]]),
    ...(install?.changes ?? []).map(({ host, file }) => [relative(root, file), `hooks of ${titleOf(host)}`]),
    ...(launch === undefined ? [] : [[`~/${LAUNCH_FILE}`, LAUNCH]]),
  ];
  return table(rows.map((row) => ['  wrote', ...row]));
}

/** What doctor says, in short: all is well, or what is not. */
export function doctorLines({ checks, summary }: Report, out: Output): string[] {
  const { warnings, critical } = summary;
  if (warnings + critical === 0)
    return [out.style('green', 'doctor: all checks passed; an event that must be held was held')];
  const counts = `doctor: ${critical} thing(s) to mend, ${warnings} to know`;
  const trouble = checks.filter(({ status }) => status !== 'pass');
  return [
    out.style(critical > 0 ? 'red' : 'yellow', `${counts}; \`holdpoint doctor\` shows all`),
    ...trouble.flatMap(({ message, fix }) => [
      printable(`  ${message}`),
      ...(fix === null ? [] : [printable(`    ${fix.command ?? fix.description}`)]),
    ]),
  ];
}

const MOST_COMMANDS = 3;
const MOST_AGENTS = 2;
const WIDEST_STEP = 72;

/** What to do now, in the order in which it is done. */
export function nextLines(situation: Situation, plan: InitPlan, choice: Choice): string[] {
  const { survey, ground } = situation;
  const hasChecks = plan.config !== undefined && PRESETS[choice.preset].checks && choice.checks.length > 0;
  const files = filesToAdd(plan, ground.project);
  const rows = [
    ...(hasChecks ? survey.first.map((command) => [command, 'the checks need it']) : []),
    ...(hasChecks
      ? [[commandsOf(situation, choice), 'what fails before anybody works would hold agents for nothing']]
      : []),
    ...(plan.install === undefined ? [['holdpoint install', 'the hooks are not installed yet']] : []),
    ...(files.length === 0 ? [] : [[`git add ${files.join(' ')}`, 'it counts for everybody who works here']]),
    [`start ${agentsOf(choice)} here`, whatIsHeld(plan, choice)],
  ];
  const installed = new Set((plan.install?.changes ?? []).map(({ host }) => host));
  const afterwards = [...installed].flatMap((host) => setupOf(host)?.afterwards('project') ?? []);
  return [
    ...missingCommands(situation),
    'Next',
    ...inColumns(rows),
    ...(afterwards.length === 0 ? [] : ['', ...afterwards]),
  ];
}

/** A held agent is told to run `req`, so somebody has to notice where it is not there. */
function missingCommands({ ground }: Situation): string[] {
  const isMissing = (name: string): boolean => missingProgram(name, ground.project, ground.env) !== undefined;
  if (!isMissing('req') && !isMissing('holdpoint')) return [];
  const text =
    'The commands `req` and `holdpoint` are not on your PATH, and a held agent is told to run `req`.';
  return [printable(`${text}\nPut them there: npm install --global '${dirname(ownDist())}'`), ''];
}

/** A step too long for a column has its reason on a line of its own. */
function inColumns(rows: readonly (readonly string[])[]): string[] {
  const isLong = ([what = '']: readonly string[]): boolean => what.length > WIDEST_STEP;
  const columns = table(rows.filter((row) => !isLong(row)).map(([what, why]) => [`  ${what}`, why ?? '']));
  return rows.flatMap((row) =>
    isLong(row) ? [printable(`  ${row[0]}`), `      ${row[1]}`] : (columns.shift() ?? []),
  );
}

function agentsOf({ hosts }: Choice): string {
  const titles = hosts.map(titleOf);
  return titles.length === 0 || titles.length > MOST_AGENTS ? 'your agent' : titles.join(' or ');
}

/** Each check by hand: gates would find nothing to do, since nobody has changed anything yet. */
function commandsOf({ checks }: Situation, { checks: chosen }: Choice): string {
  const lines = checks
    .filter(({ name }) => chosen.includes(name))
    .flatMap(({ command, paths }) =>
      paths.map((path) => (path === '.' ? command : `(cd '${path}' && ${command})`)),
    );
  const shown = lines.slice(0, MOST_COMMANDS).join(' && ');
  return lines.length > MOST_COMMANDS ? `${shown} …` : shown;
}

/** What was written and belongs into the repository; a project may have git pass over its settings. */
function filesToAdd({ config, ignore, install }: InitPlan, root: string): string[] {
  const written = [
    ...(config === undefined ? [] : [OWN_CONFIG]),
    ...(ignore.lines.length === 0 ? [] : ['.gitignore']),
    ...(install?.changes ?? []).map(({ file }) => relative(root, file)),
  ];
  const passedOver = askGit(root, ['check-ignore', '--', ...written])?.split('\n') ?? [];
  return written.filter((file) => !passedOver.includes(file));
}

function whatIsHeld({ config }: InitPlan, { preset }: Choice): string {
  if (config === undefined) return '`holdpoint status` shows what it is held to';
  return Object.keys(PRESETS[preset].requirements(undefined)).includes('commit_plan')
    ? 'its first edit is held until it has said its plan'
    : 'no requirement holds it yet: the config is yours to fill in';
}

/** Everything that happened, or would happen, as one document. */
export function initJson(
  situation: Situation,
  choice: Choice,
  plan: InitPlan,
  end: { readonly written: boolean; readonly dryRun: boolean; readonly doctor?: Report | undefined },
): JsonObject {
  const { place, taken, survey, hasConfig, branch } = situation;
  const checks = situation.checks.filter(({ name }) => choice.checks.includes(name));
  return {
    written: end.written,
    dry_run: end.dryRun,
    root: place.root,
    kinds: [...survey.kinds],
    default_branch: branch?.name ?? null,
    preset: hasConfig ? null : choice.preset,
    hosts: [...choice.hosts],
    files: filesJson(plan, place.root),
    checks: checks.map(({ name, command, source, paths }) => ({ name, command, source, paths: [...paths] })),
    passed_over: survey.passedOver.map(({ what, why }) => ({ what, why })),
    kept: [...(hasConfig ? [OWN_CONFIG] : []), ...taken.map(({ file }) => file)],
    doctor: end.doctor === undefined ? null : { status: end.doctor.status, ...end.doctor.summary },
  };
}

function filesJson({ config, ignore, install, launch }: InitPlan, root: string): JsonObject[] {
  return [
    ...(config === undefined ? [] : [{ path: OWN_CONFIG, is_new: true, text: config }]),
    ...(ignore.lines.length === 0
      ? []
      : [{ path: '.gitignore', is_new: ignore.before === undefined, added: [...ignore.lines] }]),
    ...(install?.changes ?? []).map(({ file, host, before }) => ({
      path: relative(root, file),
      is_new: before === undefined,
      host,
    })),
    ...(launch === undefined ? [] : [{ path: launch, is_new: true }]),
  ];
}
