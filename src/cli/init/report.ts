import { dirname } from 'node:path';
import type { JsonObject } from '../../core/json';
import { askGit } from '../../git/run-git';
import { missingProgram } from '../../guards/gates/run/check';
import { setupOf } from '../../hosts/setup-table';
import type { Report } from '../doctor/report';
import { LAUNCH_FILE, ownDist } from '../install/launch';
import type { FileChange } from '../install/plan';
import { diffText } from '../install/report';
import { type Output, printable, table } from '../ui/output';
import { PRESETS, type PresetName } from './config-text';
import { type Choice, type InitPlan, OWN_CONFIG, type PlannedFile, type Situation, type Taken } from './plan';

export function foundHere({ place, survey, branch }: Situation): string {
  const kinds = survey.kinds.join(', ') || 'no manifest that tells a kind of project';
  const counted = branch && `changes are counted from ${branch.isShared ? branch.base : branch.name}`;
  return printable(`${place.root}: ${kinds}; ${counted ?? 'no default branch was found'}`);
}

/** What is worth knowing before anything is written: what stays, and what was not proposed. */
export function notesOn(
  situation: Situation,
  { rivals }: InitPlan,
  preset: PresetName | undefined,
): string[] {
  const { hasConfig, taken, survey, unfit } = situation;
  const aboutConfig = hasConfig
    ? [
        `${OWN_CONFIG} is there already and stays as it is.`,
        ...(preset === undefined
          ? []
          : [`The preset ${preset} changes nothing here. To begin anew, delete the config first.`]),
      ]
    : [
        ...taken.map(keptSection),
        ...survey.passedOver.map(({ what, why }) => `Not proposed: ${what} ${why}.`),
        ...missingPrograms(situation),
      ];
  return [
    ...aboutConfig,
    ...unfit.map(
      (name) => `${name} has no settings for a single project: holdpoint install --host ${name} --user`,
    ),
    ...rivals.map(
      ({ program, list }) =>
        `${program} is at ${list} as well; \`holdpoint install --replace\` puts ours in its place.`,
    ),
  ].map(printable);
}

function keptSection({ section, file }: Taken): string {
  const where = file.includes('.', 1) ? file : `${file}/`;
  return `${where} stays in force for ${section}; nothing about that is written.`;
}

/** Each with the first command that would need it. */
function missingPrograms({ checks, ground }: Situation): string[] {
  const missing = new Map<string, string>();
  for (const { command } of checks.filter(({ on }) => on)) {
    const program = missingProgram(command, ground.project, ground.env);
    if (program !== undefined && !missing.has(program)) missing.set(program, command);
  }
  return [...missing].map(
    ([program, command]) =>
      `${program} is not on your PATH: \`${command}\` could not run here, and would let the turn end.`,
  );
}

/** Prints what would be written: new files whole; of settings, the difference or, in short, how much it is. */
export function showPlan({ files }: InitPlan, whole: boolean, out: Output): void {
  for (const file of files) {
    if (file.change !== undefined && whole) showDiff(file, out);
    else {
      const lines = file.change === undefined ? (file.text ?? file.note) : amountOf(file.change);
      out.line(heading(file, out));
      for (const line of lines.trimEnd().split('\n'))
        out.line(`  ${out.style('dim', '│')} ${printable(line)}`);
      out.line();
    }
  }
}

/** Every line of what a host's settings get; nothing of other files. */
export function showDiff(file: PlannedFile, out: Output): void {
  if (file.change === undefined) return;
  out.line(heading(file, out));
  for (const line of diffText(file.change).trimEnd().split('\n')) {
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
  const amount = `${added === 1 ? '1 line' : `${added} lines`} added`;
  const out = removed === 0 ? '' : `, ${removed} taken out`;
  return `${amount}${out}; no other byte changes, and \`holdpoint uninstall\` undoes it`;
}

function heading(file: PlannedFile, out: Output): string {
  const { kind, isNew, note } = file;
  const extra = kind === 'settings' ? [note] : kind === 'ignore' && !isNew ? ['lines added at its end'] : [];
  const what = [...(isNew ? ['new'] : []), ...extra].join(', ');
  return `${out.style('bold', shownPath(file))} ${out.style('dim', `(${what})`)}`;
}

function shownPath({ kind, path }: PlannedFile): string {
  return kind === 'launch' ? `~/${LAUNCH_FILE}` : path;
}

export function doneLines({ files }: InitPlan): string[] {
  return table(files.map((file) => ['  wrote', shownPath(file), file.note]));
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
  const hasConfig = plan.files.some(({ kind }) => kind === 'config');
  const hasChecks = hasConfig && PRESETS[choice.preset].checks && choice.checks.length > 0;
  const files = filesToAdd(plan, ground.project);
  const tryFirst = 'what fails before anybody works would hold agents for nothing';
  const rows = [
    ...(hasChecks ? survey.first.map((command) => [command, 'the checks need it']) : []),
    ...(hasChecks ? [[commandsOf(situation, choice), tryFirst]] : []),
    ...(plan.request === undefined ? [['holdpoint install', 'the hooks are not installed yet']] : []),
    ...(files.length === 0 ? [] : [[`git add ${files.join(' ')}`, 'it counts for everybody who works here']]),
    [`start ${agentsOf(choice)} here`, whatIsHeld(hasConfig, choice)],
  ];
  const installed = plan.files.flatMap(({ change }) => change?.host ?? []);
  const afterwards = [...new Set(installed)].flatMap((host) => setupOf(host)?.afterwards('project') ?? []);
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
  const titles = hosts.map((host) => setupOf(host)?.title ?? host);
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
function filesToAdd({ files }: InitPlan, root: string): string[] {
  const written = files.filter(({ kind }) => kind !== 'launch').map(({ path }) => path);
  const passedOver = askGit(root, ['check-ignore', '--', ...written])?.split('\n') ?? [];
  return written.filter((file) => !passedOver.includes(file));
}

function whatIsHeld(hasConfig: boolean, { preset }: Choice): string {
  if (!hasConfig) return '`holdpoint status` shows what it is held to';
  return Object.keys(PRESETS[preset].requirements(undefined)).includes('commit_plan')
    ? 'its first edit is held until it has said its plan'
    : 'no requirement holds it yet: the config is yours to fill in';
}

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
    files: plan.files.map(fileJson),
    checks: checks.map(({ name, command, source, paths }) => ({ name, command, source, paths: [...paths] })),
    passed_over: survey.passedOver.map(({ what, why }) => ({ what, why })),
    kept: [...(hasConfig ? [OWN_CONFIG] : []), ...taken.map(({ file }) => file)],
    doctor: end.doctor === undefined ? null : { status: end.doctor.status, ...end.doctor.summary },
  };
}

function fileJson({ path, isNew, kind, text, change }: PlannedFile): JsonObject {
  return {
    path,
    is_new: isNew,
    ...(kind === 'config' && text !== undefined && { text }),
    ...(kind === 'ignore' && text !== undefined && { added: text.split('\n') }),
    ...(change !== undefined && { host: change.host }),
  };
}
