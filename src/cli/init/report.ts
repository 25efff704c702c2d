import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readText } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import { isJsonObject, type JsonObject, objectIn } from '../../core/json';
import { askGit } from '../../git/run-git';
import { missingProgram } from '../../guards/gates/run/check';
import { setupOf } from '../../hosts/setup-table';
import { LAUNCH_FILE } from '../../hosts/start-line';
import type { Context } from '../context';
import { linkCommand } from '../doctor/environment-checks';
import type { Report } from '../doctor/report';
import { ownDist, shellWord } from '../install/launch';
import { type FileChange, otherValueOf } from '../install/plan';
import { colouredDiff, diffText } from '../install/report';
import { isSamePlace } from '../req/init';
import { folded, plural, styled, table } from '../ui/output';
import {
  type Choice,
  type InitPlan,
  OWN_CONFIG,
  type PlannedFile,
  type ProjectSituation,
  writtenChecks,
} from './plan';
import { PRESETS, type PresetName } from './presets';

export function foundHere({ place, survey, branch }: ProjectSituation): string {
  const kinds = survey.kinds.join(', ') || 'unknown kind of project';
  const base = branch && `default branch ${branch.isShared ? branch.base : branch.name}`;
  return `${place.root}: ${kinds}; ${base ?? 'no default branch found'}`;
}

/** What to know before anything is written: what stays as it is, and what was not proposed. */
export function notesOn({ situation, duplicates, request }: InitPlan, preset?: PresetName): string[] {
  const { hasConfig, taken, survey } = situation;
  const aboutConfig = hasConfig
    ? [
        `${OWN_CONFIG} exists and stays as it is.`,
        ...(preset === undefined
          ? []
          : [`--preset ${preset} has no effect. To start over, delete the config first.`]),
      ]
    : [
        ...taken.map(({ section, file }) => {
          const where = file.includes('.', 1) ? file : `${file}/`;
          return `${where} stays in effect, so no ${section} section is written.`;
        }),
        ...survey.passedOver.map(({ what, why }) => `Not proposed: ${what} ${why}.`),
        ...missingPrograms(situation),
      ];
  return [
    ...aboutConfig,
    ...(request?.offers?.includes('statusLine') === true ? ownStatusLines(situation, request.hosts) : []),
    ...duplicates.map(
      ({ program, list }) =>
        `${program} also runs from ${list}, so events would be counted twice. Replace it: holdpoint install --replace`,
    ),
  ];
}

function ownStatusLines({ target }: ProjectSituation, hosts: readonly HostName[]): string[] {
  return hosts.flatMap((host) => {
    const setup = setupOf(host);
    const files = setup.offers?.statusLine.flatMap((extra) => otherValueOf(extra, setup, target) ?? []) ?? [];
    const others = files.filter((file) => !readText(file)?.includes('holdpoint statusline'));
    return others.map(
      (file) =>
        `Your own status line in ${file} stays. To add Holdpoint to it, print what \`holdpoint statusline\` prints.`,
    );
  });
}

/** Reports each missing program with the first command that needs it. */
function missingPrograms({ checks, target }: ProjectSituation): string[] {
  const missing = new Map<string, string>();
  for (const { command } of checks.filter(({ on }) => on)) {
    const program = missingProgram(command, target.project, target.env);
    if (program !== undefined && !missing.has(program)) missing.set(program, command);
  }
  return [...missing].map(
    ([program, command]) =>
      `${program} is not on your PATH: \`${command}\` cannot run, and a check that cannot run holds nothing.`,
  );
}

/** What would be written: new files in full; for settings the diff or, unless `whole`, its size. */
export function planLines({ files }: InitPlan, whole: boolean): string[] {
  return files.flatMap((file) => {
    if (file.change !== undefined && whole) return settingsDiff(file);
    const text = file.change === undefined ? (file.text ?? file.note) : amountOf(file.change);
    const lines = text.trimEnd().split('\n');
    return [heading(file), ...lines.map((line) => `  ${styled('dim', '│')} ${line}`), ''];
  });
}

/** The diff of a host's settings; nothing for other files. */
export function settingsDiff(file: PlannedFile): string[] {
  if (file.change === undefined) return [];
  return [heading(file), ...colouredDiff(file.change).map((line) => `  ${line}`), ''];
}

function amountOf(change: FileChange): string {
  const lines = diffText(change).split('\n');
  const count = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  const [added, removed] = [count('+'), count('-')];
  const out = removed === 0 ? '' : `, removes ${removed}`;
  return `adds ${plural(added, 'line')}${out}; \`holdpoint uninstall\` undoes it`;
}

function heading(file: PlannedFile): string {
  const { kind, isNew, note } = file;
  const extra = kind === 'settings' ? [note] : kind === 'ignore' && !isNew ? ['adds lines at the end'] : [];
  const what = [...(isNew ? ['new'] : []), ...extra].join(', ');
  return `${styled('bold', shownPath(file))} ${styled('dim', `(${what})`)}`;
}

function shownPath({ kind, path }: PlannedFile): string {
  return kind === 'launch' ? `~/${LAUNCH_FILE}` : path;
}

/** What was written, doctor's result, and the next steps. */
export function endLines(plan: InitPlan, doctor: Report | undefined, { cwd }: Context): string[] {
  return [
    ...table(plan.files.map((file) => ['  wrote', shownPath(file), file.note])),
    ...(doctor === undefined ? [] : ['', ...doctorLines(doctor)]),
    '',
    ...nextLines(plan, cwd),
  ].flatMap((line) => folded(line));
}

/** Doctor's report in short: only what did not pass. */
function doctorLines({ checks, summary }: Report): string[] {
  const { warnings, critical } = summary;
  if (warnings + critical === 0)
    return [styled('green', 'doctor: all checks passed, and a test event was held')];
  const counts = `doctor: ${plural(critical, 'problem')}, ${plural(warnings, 'warning')}`;
  const trouble = checks.filter(({ status }) => status !== 'pass');
  return [
    styled(critical > 0 ? 'red' : 'yellow', `${counts}; \`holdpoint doctor\` shows all`),
    ...trouble.flatMap(({ message, fix }) => [
      `  ${message}`,
      ...(fix === null ? [] : [`    ${fix.command ?? fix.description}`]),
    ]),
  ];
}

const MOST_COMMANDS = 3;
const MOST_AGENTS = 2;
const WIDEST_STEP = 72;

/** What is held from now on, and the next steps in order. */
function nextLines(plan: InitPlan, cwd: string): string[] {
  const { choice, situation } = plan;
  const { project, env } = situation.target;
  const hasConfig = plan.files.some(({ kind }) => kind === 'config');
  const hasChecks = hasConfig && writtenChecks(situation, choice).length > 0;
  const files = filesToAdd(plan);
  const link = linkCommand(project, env);
  const { root } = situation.place;
  const afterwards = choice.shadow
    ? '`holdpoint stats` shows what the rules would have held'
    : '`holdpoint status` shows what it still has to do';
  const steps = [
    link && [link, 'puts `req` and `holdpoint` on your PATH, for you and for a held agent'],
    !isSamePlace(cwd, root) && [`cd ${shellWord(root)}`, 'everything below starts at the root'],
    ...(hasChecks ? situation.survey.first.map((command) => [command, 'the checks need it']) : []),
    hasChecks && !choice.shadow && [commandsOf(plan), 'make sure these pass first, or every agent is held'],
    plan.request === undefined && ['holdpoint install', 'the hooks are not installed yet'],
    files.length > 0 && [`git add ${files.join(' ')}`, 'and commit: it applies to everyone who works here'],
    [`start ${agentsOf(choice)} here`, afterwards],
  ];
  const installed = plan.files.flatMap(({ change }) => change?.host ?? []);
  const ofHosts = [...new Set(installed)].flatMap((host) => setupOf(host).afterwards('project'));
  const held = heldLines(plan);
  const shown = held.length > 0 ? held : ['nothing yet: the config has no rules'];
  const since = plan.request === undefined ? 'once the hooks are installed' : 'from now on';
  const title = choice.shadow ? `Recorded ${since} (shadow mode: nothing is held)` : `Held ${since}`;
  return [
    ...(hasConfig ? [title, ...shown.map((line) => `  ${line}`), ''] : []),
    'Next',
    ...inColumns(steps.filter((step) => step !== undefined && step !== false && step !== '')),
    ...(ofHosts.length === 0 ? [] : ['', ...ofHosts]),
    ...(plan.request === undefined ? [] : ['', ...keepLines()]),
  ];
}

/** The hooks and commands run from our own directory; only the hook has a copy elsewhere. */
function keepLines(): string[] {
  const directory = ownDirectory();
  return [
    `Keep ${directory}: the hooks and the commands run from there.`,
    'If you move or delete it, `holdpoint doctor` notices; run `npm link` in the new place and `holdpoint install` here.',
  ];
}

function ownDirectory(): string {
  return dirname(ownDist());
}

/** What the agent must have done, by requirement; follows "until the agent". */
const DONE: Readonly<Record<string, string>> = {
  commit_plan: 'has stated its plan',
  adr_reviewed: 'has read the architecture decisions',
  tdd_planned: 'has said which tests it will write',
  pre_commit_review: 'has reviewed the changes',
  pre_pr_review: 'has reviewed the branch',
  codex_reviewer: 'has had the branch reviewed by a second model',
  github_ticket: 'has named the ticket',
};

const VERIFIED = 'the end of a turn, if edits were made and a requirement for them is no longer satisfied';

/** What the chosen preset holds and until when, derived from its rules. */
function heldLines({ situation, choice }: InitPlan): string[] {
  const { branch, taken, target } = situation;
  const isTaken = taken.some(({ section }) => section === 'requirements');
  const { requirements, others } = PRESETS[choice.preset];
  const rules = isTaken ? [] : Object.entries(requirements(branch));
  const held = rules
    .filter(([, rule]) => rule['enabled'] !== false)
    .map(([name, rule]) => heldBy(name, rule));
  const verifies = objectIn(objectIn(others, 'hooks'), 'stop')['verify_requirements'] === true;
  const hasOwn = ['.claude/requirements.yaml', '.config/holdpoint/config.yaml'].some((file) =>
    existsSync(join(target.home, file)),
  );
  const inherits = others['inherit'] !== false && !isTaken;
  const checks = writtenChecks(situation, choice).join(', ');
  return [
    ...(choice.shadow ? [] : taken.map(({ file }) => `whatever the rules in ${file} hold`)),
    ...held,
    ...(verifies ? [VERIFIED] : []),
    ...(inherits && hasOwn ? ['whatever the rules in your home directory hold'] : []),
    ...(checks === '' ? [] : [`the end of a turn while a check fails on the branch's changes: ${checks}`]),
  ];
}

function heldBy(name: string, rule: JsonObject): string {
  const { scope, type, protected_branches: branches, trigger_tools: triggers } = rule;
  if (type === 'guard' && Array.isArray(branches))
    return `edits while ${branches.join(' or ')} is checked out, until the agent switches to another branch`;
  if (type === 'dynamic') {
    const lines = objectIn(rule, 'thresholds')['block'];
    return `edits on a branch with ${lines} changed lines or more, until you run \`req approve ${name}\``;
  }
  const [trigger] = Array.isArray(triggers) ? triggers : [];
  const pattern = isJsonObject(trigger) ? trigger['command_pattern'] : undefined;
  const first = scope === 'branch' ? 'the first edit on a branch' : 'the first edit of a session';
  const what = typeof pattern === 'string' ? `\`${pattern.replaceAll('\\s+', ' ')}\`` : first;
  return rule['agent_may_satisfy'] === false
    ? `${what}, until you run \`holdpoint approve ${name}\` in your own terminal`
    : `${what}, until the agent ${DONE[name] ?? `satisfies ${name}`}`;
}

/** A step too long for a column gets its explanation on a line of its own. */
function inColumns(rows: readonly (readonly string[])[]): string[] {
  const isLong = ([what = '']: readonly string[]): boolean => what.length > WIDEST_STEP;
  const columns = table(rows.filter((row) => !isLong(row)).map(([what, why]) => [`  ${what}`, why ?? '']));
  return rows.flatMap((row) => (isLong(row) ? [`  ${row[0]}`, `      ${row[1]}`] : (columns.shift() ?? [])));
}

function agentsOf({ hosts }: Choice): string {
  const titles = hosts.map((host) => setupOf(host).title);
  return titles.length === 0 || titles.length > MOST_AGENTS ? 'your agent' : titles.join(' or ');
}

/** The checks as plain commands: `gates run` would do nothing, since nothing has changed yet. */
function commandsOf({ situation, choice }: InitPlan): string {
  const lines = situation.checks
    .filter(({ name }) => choice.checks.includes(name))
    .flatMap(({ command, paths }) =>
      paths.map((path) => (path === '.' ? command : `(cd ${shellWord(path)} && ${command})`)),
    );
  const shown = lines.slice(0, MOST_COMMANDS).join(' && ');
  return lines.length > MOST_COMMANDS ? `${shown} …` : shown;
}

/** The written files that should be committed; a project may have git ignore its settings. */
function filesToAdd({ situation, files }: InitPlan): string[] {
  const written = files.filter(({ kind }) => kind !== 'launch').map(({ path }) => path);
  const ignored = askGit(situation.place.root, ['check-ignore', '--', ...written])?.split('\n') ?? [];
  return written.filter((file) => !ignored.includes(file));
}

export function initJson(
  plan: InitPlan,
  end: { readonly written: boolean; readonly dryRun: boolean; readonly doctor?: Report | undefined },
): JsonObject {
  const { choice, situation } = plan;
  const { place, taken, survey, hasConfig, branch } = situation;
  const names = writtenChecks(situation, choice);
  const checks = situation.checks.filter(({ name }) => names.includes(name));
  return {
    written: end.written,
    dry_run: end.dryRun,
    root: place.root,
    kinds: [...survey.kinds],
    default_branch: branch?.name ?? null,
    preset: hasConfig ? null : choice.preset,
    ...(choice.shadow && { shadow: true }),
    hosts: [...choice.hosts],
    files: plan.files.map(fileJson),
    checks: checks.map(({ name, command, source, paths }) => ({ name, command, source, paths: [...paths] })),
    passed_over: survey.passedOver.map(({ what, why }) => ({ what, why })),
    kept: [...(hasConfig ? [OWN_CONFIG] : []), ...taken.map(({ file }) => file)],
    holds: plan.files.some(({ kind }) => kind === 'config') && !choice.shadow ? heldLines(plan) : [],
    keep: ownDirectory(),
    doctor: end.doctor === undefined ? null : { status: end.doctor.status, ...end.doctor.summary },
  };
}

function fileJson({ path, isNew, kind, text, change }: PlannedFile): JsonObject {
  return {
    path,
    is_new: isNew,
    text: kind === 'config' ? text : undefined,
    added: kind === 'ignore' ? text?.split('\n') : undefined,
    host: change?.host,
  };
}
