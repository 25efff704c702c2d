import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import { findGit, type GitPlace } from '../../git/head';
import type { OptionalExtra } from '../../hosts/setup';
import { SETUPS, setupOf } from '../../hosts/setup-table';
import { writeFileAtomic } from '../../state/files';
import {
  type Context,
  cannotRun,
  type ExitCode,
  type Options,
  Refusal,
  refusingWith,
  report,
} from '../context';
import { reportOn } from '../doctor/report';
import { writeNewFiles } from '../gates/init-files';
import { extendIgnore } from '../init/gitignore';
import {
  agentsSatisfy,
  type Choice,
  type InitPlan,
  inspectProject,
  OWN_CONFIG,
  type ProjectSituation,
  planFor,
  SCHEMA_FILE,
  writtenChecks,
} from '../init/plan';
import { PRESET_NAMES, PRESETS, type PresetName } from '../init/presets';
import { endLines, foundHere, initJson, notesOn, planLines, settingsDiff } from '../init/report';
import { install as applyInstall } from '../install/apply';
import { withResolvedPath } from '../install/files';
import { namedHosts } from '../install/installed-state';
import { hintFor } from '../messages';
import { isSamePlace } from '../req/init';
import { print, printAll, styled } from '../ui/output';
import { answerTo, choose, chooseSeveral, confirm, isAtTerminal } from '../ui/prompts';
import { examine } from './doctor';

const WORDS = 'holdpoint init: ';

const NO_REPOSITORY = `${WORDS}not in a git repository. Holdpoint keeps its state in the git directory.
Change into your project, or make it a repository first: git init`;

const IN_HOME = `${WORDS}your home directory cannot be set up as a project.
Change into a project. Rules for all projects go into ~/.config/holdpoint/config.yaml.`;

const NO_TERMINAL = `${WORDS}there is no terminal to ask questions on. Nothing was written.
Use --yes to write without questions, or --dry-run to see what would be written.`;

const NOTHING_TO_DO =
  'Nothing to do: the config, .gitignore and the hooks are in place. Nothing was changed.';
const NOTHING_TO_WRITE = 'Nothing to do: the config and .gitignore are in place. Nothing was changed.';
const SHADOW_TOO_LATE = `${WORDS}--shadow is for a new config, and ${OWN_CONFIG} is already there. Nothing was written.
Set \`mode: shadow\` for its rules, or run \`holdpoint rules demote NAME\`.`;
const CANCELLED = 'Cancelled. Nothing was written.';

type InitOptions = Options<
  'yes' | 'shadow' | 'dryRun' | 'install' | 'permissions' | 'statusline',
  'preset'
> & {
  readonly host: readonly string[];
};

export async function init(context: Context, options: InitOptions): Promise<ExitCode> {
  const { dryRun, install, shadow } = options;
  const hosts = refusingWith(WORDS, () => namedHosts(options.host));
  const preset = presetIn(options);
  const situation = inspectProject(repositoryOf(context), hosts, context);
  const standard: Choice = {
    preset: preset ?? 'standard',
    hosts: situation.hosts,
    checks: situation.checks.filter(({ on }) => on).map(({ name }) => name),
    install,
    offers: offersFor(situation, preset ?? 'standard', options),
    shadow,
  };
  if (shadow && situation.hasConfig) throw cannotRun(SHADOW_TOO_LATE);
  const plan = checkedPlan(situation, standard);
  if (plan.files.length > 0) return begin(plan, preset, options, context);
  const problems = situation.problems();
  return report(
    context,
    initJson(plan, { written: false, dryRun }),
    [...notesOn(plan, preset), plan.request === undefined ? NOTHING_TO_WRITE : NOTHING_TO_DO],
    problems.length === 0 ? [] : ['The config has problems:', ...problems],
  );
}

async function begin(
  standard: InitPlan,
  preset: PresetName | undefined,
  options: InitOptions,
  context: Context,
): Promise<ExitCode> {
  const { dryRun } = options;
  const { situation } = standard;
  const { json } = context;
  const asks = !options.yes && !dryRun;
  if (asks && (json || !isAtTerminal())) throw cannotRun(NO_TERMINAL);
  if (!json) print(styled('bold', foundHere(situation)));
  const plan = asks ? checkedPlan(situation, await askChoice(standard, preset, options)) : standard;
  const notes = [...notesOn(plan, preset).map((note) => styled('yellow', note)), ''];
  if (dryRun) {
    const lines = [...notes, ...planLines(plan, true), 'Dry run: nothing was written.'];
    return report(context, initJson(plan, { written: false, dryRun }), lines);
  }
  if (!json) printAll(notes);
  if (asks && !(await isAgreed(plan))) throw new Refusal(CANCELLED);
  return writePlan(plan, context);
}

/** If only people may satisfy the preset's rules, agents need no permission for `req satisfy`. */
function offersFor(
  situation: ProjectSituation,
  preset: PresetName,
  { permissions, statusline }: InitOptions,
): readonly OptionalExtra[] {
  const all: readonly OptionalExtra[] = ['permissions', 'statusLine'];
  const isWanted = { permissions: permissions && agentsSatisfy(situation, preset), statusLine: statusline };
  return all.filter((offer) => isWanted[offer]);
}

function presetIn({ preset: name }: InitOptions): PresetName | undefined {
  const preset = PRESET_NAMES.find((one) => one === name);
  if (name === undefined || preset !== undefined) return preset;
  const hint = hintFor(name, PRESET_NAMES);
  throw cannotRun(`${WORDS}unknown preset '${name}'. ${hint}`);
}

function repositoryOf({ cwd, env }: Context): GitPlace {
  const place = findGit(cwd);
  if (place === undefined) throw cannotRun(NO_REPOSITORY);
  if (place.trouble?.kind === 'unreadable')
    throw cannotRun(`${WORDS}cannot read the git repository: ${place.trouble.why}`);
  const home = env['HOME'] ?? '';
  if (home !== '' && isSamePlace(place.root, home)) throw cannotRun(IN_HOME);
  return place;
}

function checkedPlan(situation: ProjectSituation, choice: Choice): InitPlan {
  const mend = 'Fix that and run it again, or use --no-install to write only the config.';
  return refusingWith(`${WORDS}nothing was written: `, () => planFor(situation, choice), `\n${mend}`);
}

/** Asks for what neither the flags nor the project make clear. */
async function askChoice(
  { situation, choice: standard }: InitPlan,
  preset: PresetName | undefined,
  options: InitOptions,
): Promise<Choice> {
  const { hasConfig, taken } = situation;
  const asksHosts = standard.install && !situation.areHostsClear;
  const hosts = asksHosts ? await askHosts(standard.hosts) : standard.hosts;
  if (hasConfig) return askPermissions({ ...standard, hosts });
  const asksPreset = preset === undefined && !taken.some(({ section }) => section === 'requirements');
  const begins = asksPreset ? await askPreset() : standard.preset;
  const all = situation.checks.map(({ name }) => name);
  const asksChecks = writtenChecks(situation, { ...standard, preset: begins, checks: all }).length > 0;
  const checks = asksChecks ? await askChecks(situation, standard.checks) : standard.checks;
  const offers = offersFor(situation, begins, options);
  return askPermissions({ ...standard, offers, hosts, preset: begins, checks });
}

/** Without this permission the host asks the user each time an agent satisfies a rule. */
async function askPermissions(choice: Choice): Promise<Choice> {
  const title = choice.hosts.map(setupOf).find(({ offers }) => offers !== undefined)?.title;
  if (title === undefined || !choice.install || !choice.offers.includes('permissions')) return choice;
  const question = `Let ${title} run \`req satisfy\` without asking you each time?`;
  const isAllowed = await answerTo(confirm(question), CANCELLED);
  return isAllowed ? choice : { ...choice, offers: choice.offers.filter((offer) => offer !== 'permissions') };
}

async function askHosts(picked: readonly HostName[]): Promise<readonly HostName[]> {
  const choices = SETUPS.map(({ name, title }) => ({ value: name, label: title }));
  const question = 'Which agents do you use here? (space selects)';
  const names = await answerTo(chooseSeveral(question, choices, picked), CANCELLED);
  return HOST_NAMES.filter((name) => names.includes(name));
}

async function askPreset(): Promise<PresetName> {
  const choices = PRESET_NAMES.map((value) => ({ value, label: value, hint: PRESETS[value].summary }));
  const question = 'Which preset do you want to start with?';
  return (await answerTo(choose(question, choices), CANCELLED)) as PresetName;
}

function askChecks({ checks }: ProjectSituation, picked: readonly string[]): Promise<readonly string[]> {
  const choices = checks.map(({ name: value, command, source: hint }) => {
    return { value, label: `${value}: ${command}`, hint };
  });
  const question = 'Which checks must pass before a turn may end? (space selects)';
  return answerTo(chooseSeveral(question, choices, picked), CANCELLED);
}

/** Shows what will be written, in as much detail as the user wants, and asks. */
async function isAgreed(plan: InitPlan): Promise<boolean> {
  printAll(planLines(plan, false));
  const [yes, more, no] = [
    { value: 'yes', label: 'Yes' },
    { value: 'more', label: 'Show every line of the settings first' },
    { value: 'no', label: 'No, write nothing' },
  ] as const;
  const hasMore = plan.files.some(({ kind }) => kind === 'settings');
  let answer = await answerTo(choose('Write this?', hasMore ? [yes, more, no] : [yes, no]), CANCELLED);
  if (answer === 'more') {
    printAll(plan.files.flatMap(settingsDiff));
    answer = await answerTo(choose('Write all of it?', [yes, no]), CANCELLED);
  }
  return answer === 'yes';
}

/** Writes the plan, installs the hooks, runs doctor, and prints the next steps. */
async function writePlan(plan: InitPlan, context: Context): Promise<ExitCode> {
  const { request, situation } = plan;
  const cwd = situation.place.root;
  refusingWith(WORDS, () => writeFiles(plan));
  if (request !== undefined) {
    const before = `${WORDS}${writtenSoFar(plan)}. `;
    refusingWith(before, () => applyInstall(request, context), '\nAfterwards: holdpoint install');
  }
  const doctor = request === undefined ? undefined : reportOn(await examine({ ...context, cwd }));
  const value = initJson(plan, { written: true, dryRun: false, doctor });
  return report(context, value, endLines(plan, doctor, context));
}

/** Writes the project's own files, not the hooks. */
function writeFiles({ situation, files, ignore }: InitPlan): void {
  const { root } = situation.place;
  const config = files.find(({ kind }) => kind === 'config');
  // Find obstacles to the config before writing anything else.
  if (config !== undefined) withResolvedPath(root, OWN_CONFIG, () => true);
  extendIgnore(root, ignore);
  if (files.some(({ kind }) => kind === 'schema'))
    withResolvedPath(root, SCHEMA_FILE, ({ path }) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileAtomic(path, situation.schema(), { durable: false, mode: 0o644 });
    });
  // Last, so that nothing is in effect if this is interrupted.
  if (config !== undefined) writeNewFiles(root, [{ path: config.path, text: config.text ?? '' }]);
}

function writtenSoFar({ files }: InitPlan): string {
  const own = files.filter(({ kind }) => kind !== 'settings' && kind !== 'launch').map(({ path }) => path);
  const written = `${own.join(' and ')} ${own.length === 1 ? 'was' : 'were'} written, the hooks are not installed`;
  return own.length === 0 ? 'nothing was written' : written;
}
