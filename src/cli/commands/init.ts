import { join } from 'node:path';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import { findGit, type GitPlace } from '../../git/head';
import { setupOf } from '../../hosts/setup-table';
import { placeOf } from '../../state/documents';
import type { Context, ExitCode } from '../context';
import { reportOn } from '../doctor/report';
import { leadsOut, notWritten, writeNewFiles } from '../gates/init-files';
import { PRESET_NAMES, PRESETS, type PresetName } from '../init/config-text';
import { extendIgnore } from '../init/gitignore';
import {
  type Choice,
  type InitPlan,
  inspectProject,
  OWN_CONFIG,
  planFor,
  type Situation,
} from '../init/plan';
import {
  doctorLines,
  doneLines,
  foundHere,
  initJson,
  nextLines,
  notesOn,
  showDiff,
  showPlan,
} from '../init/report';
import { install as applyInstall } from '../install/apply';
import { namedHosts } from '../install/targets';
import { hintFor } from '../messages';
import { isSamePlace } from '../req/init';
import { type Output, printable } from '../ui/output';
import { type Chosen, choose, chooseSeveral, isAtTerminal } from '../ui/prompts';
import { cannotRun, Refusal } from '../ui/refusal';
import { examine } from './doctor';

const NO_REPOSITORY = `holdpoint init: there is no git repository here, and Holdpoint keeps its state in one.
Change into your project, or make it a repository first: git init`;

const IN_HOME = `holdpoint init: the repository here is your home directory, which is never a project.
Change into a project. What shall count everywhere goes to ~/.config/holdpoint/config.yaml.`;

const NO_TERMINAL = `holdpoint init: there is no terminal to ask on, so nothing was written.
Give --yes to write without being asked, or --dry-run to see what would be written.`;

const NOTHING_TO_DO = 'Nothing to do: config, .gitignore and hooks are in place. Nothing was changed.';
const CANCELLED = 'Cancelled; nothing was written.';

interface InitOptions {
  readonly yes: boolean;
  readonly host: readonly string[];
  readonly preset?: string;
  readonly dryRun: boolean;
  readonly install: boolean;
  readonly json: boolean;
}

export async function init(context: Context, options: InitOptions): Promise<ExitCode> {
  const { json, dryRun } = options;
  const hosts = rewording('', '', () => namedHosts(options.host));
  const preset = presetIn(options);
  const situation = inspectProject(repositoryOf(context), hosts, context);
  const standard: Choice = {
    preset: preset ?? 'standard',
    hosts: situation.hosts,
    checks: situation.checks.filter(({ on }) => on).map(({ name }) => name),
    install: options.install,
  };
  const plan = checkedPlan(situation, standard);
  if (plan.files.length > 0) return begin(situation, standard, plan, { ...options, hosts, preset }, context);
  const lines = [...notesOn(situation, plan, preset), NOTHING_TO_DO];
  if (json) context.out.json(initJson(situation, standard, plan, { written: false, dryRun }));
  else for (const line of lines) context.out.line(line);
  return 0;
}

interface CheckedOptions extends Omit<InitOptions, 'preset'> {
  readonly hosts: readonly HostName[];
  readonly preset: PresetName | undefined;
}

async function begin(
  situation: Situation,
  standard: Choice,
  standardPlan: InitPlan,
  options: CheckedOptions,
  context: Context,
): Promise<ExitCode> {
  const { json, dryRun, preset } = options;
  const out = json ? { ...context.out, line: () => true } : context.out;
  const asks = !options.yes && !dryRun;
  if (asks && (json || !isAtTerminal())) throw cannotRun(NO_TERMINAL);
  out.line(out.style('bold', foundHere(situation)));
  const choice = asks ? await askChoice(situation, standard, options) : standard;
  const plan = asks ? checkedPlan(situation, choice) : standardPlan;
  for (const note of notesOn(situation, plan, preset)) out.line(out.style('yellow', note));
  out.line();
  if (dryRun) {
    if (json) out.json(initJson(situation, choice, plan, { written: false, dryRun }));
    else showPlan(plan, true, out);
    out.line('This was a dry run: nothing was written.');
    return 0;
  }
  if (asks && !(await isAgreed(plan, out))) throw new Refusal(CANCELLED);
  return carryOut(situation, choice, plan, json, context);
}

/** Runs what may refuse; the reason gets words of this command before and after it. */
function rewording<T>(before: string, after: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw cannotRun(`holdpoint init: ${before}${printable(error.message)}${after}`);
  }
}

function presetIn({ preset: name }: InitOptions): PresetName | undefined {
  const preset = PRESET_NAMES.find((one) => one === name);
  if (name === undefined || preset !== undefined) return preset;
  const hint = hintFor(name, PRESET_NAMES);
  throw cannotRun(`holdpoint init: there is no preset '${printable(name)}'. ${hint}`);
}

function repositoryOf({ cwd, env }: Context): GitPlace {
  const place = findGit(cwd);
  if (place === undefined) throw cannotRun(NO_REPOSITORY);
  if (place.trouble?.kind === 'unreadable') {
    const why = printable(place.trouble.why);
    throw cannotRun(`holdpoint init: the git repository here cannot be read: ${why}`);
  }
  const home = env['HOME'] ?? '';
  if (home !== '' && isSamePlace(place.root, home)) throw cannotRun(IN_HOME);
  return place;
}

function checkedPlan(situation: Situation, choice: Choice): InitPlan {
  const mend = 'Mend that and run it again, or give --no-install for the config alone.';
  return rewording('nothing was written. ', `\n${mend}`, () => planFor(situation, choice));
}

/** Asks a person for what flags have not said and what is not plain from the project. */
async function askChoice(
  situation: Situation,
  standard: Choice,
  { hosts: named, preset }: CheckedOptions,
): Promise<Choice> {
  const { hasConfig, taken } = situation;
  const isTaken = (wanted: string): boolean => taken.some(({ section }) => section === wanted);
  // Where exactly one host was seen there is nothing to ask.
  const isPlain = !standard.install || named.length > 0 || (situation.sawHost && standard.hosts.length === 1);
  const hosts = isPlain ? standard.hosts : await askHosts(standard.hosts);
  if (hasConfig) return { ...standard, hosts };
  const asksPreset = preset === undefined && !isTaken('requirements');
  const begins = asksPreset ? await askPreset() : standard.preset;
  const asksChecks = situation.checks.length > 0 && PRESETS[begins].checks && !isTaken('gates');
  const checks = asksChecks ? await askChecks(situation, standard.checks) : standard.checks;
  return { ...standard, hosts, preset: begins, checks };
}

async function answerTo<T>(question: Promise<Chosen<T>>): Promise<T> {
  const answer = await question;
  if (answer.kind !== 'chosen') throw new Refusal(CANCELLED);
  return answer.value;
}

async function askHosts(picked: readonly HostName[]): Promise<readonly HostName[]> {
  const choices = HOST_NAMES.flatMap((value) => {
    const setup = setupOf(value);
    return setup?.scopes.includes('project') === true ? [{ value, label: setup.title }] : [];
  });
  const names = await answerTo(chooseSeveral('Which agents shall be held? (space picks)', choices, picked));
  return HOST_NAMES.filter((name) => names.includes(name));
}

async function askPreset(): Promise<PresetName> {
  const choices = PRESET_NAMES.map((value) => ({ value, label: value, hint: PRESETS[value].summary }));
  const chosen = await answerTo(choose('What shall the config begin with?', choices));
  return PRESET_NAMES.find((name) => name === chosen) ?? 'standard';
}

function askChecks({ checks }: Situation, picked: readonly string[]): Promise<readonly string[]> {
  const choices = checks.map(({ name, command, source }) => ({
    value: name,
    label: `${name}: ${command}`,
    hint: source,
  }));
  const question = 'Which checks shall hold the end of a turn? (space picks)';
  return answerTo(chooseSeveral(question, choices, picked));
}

/** Shows what is about to be written, in as much detail as the person wants, and asks. */
async function isAgreed(plan: InitPlan, out: Output): Promise<boolean> {
  showPlan(plan, false, out);
  const [yes, more, no] = [
    { value: 'yes', label: 'Yes' },
    { value: 'more', label: 'Show every line of the settings first' },
    { value: 'no', label: 'No, leave everything as it is' },
  ] as const;
  const hasMore = plan.files.some(({ kind }) => kind === 'settings');
  let answer = await answerTo(choose('Write this?', hasMore ? [yes, more, no] : [yes, no]));
  if (answer === 'more') {
    for (const file of plan.files) showDiff(file, out);
    answer = await answerTo(choose('That is all of it. Write it?', [yes, no]));
  }
  return answer === 'yes';
}

/** Writes the plan, installs the hooks, lets doctor look, and tells what comes next. */
async function carryOut(
  situation: Situation,
  choice: Choice,
  plan: InitPlan,
  json: boolean,
  context: Context,
): Promise<ExitCode> {
  const { out } = context;
  const { root } = situation.place;
  const { request } = plan;
  const written = writeFiles(root, plan);
  if (!written.ok) throw cannotRun(`holdpoint init: ${printable(written.failure)}`);
  if (request !== undefined)
    rewording(`${writtenSoFar(plan)}. `, '\nAfterwards: holdpoint install', () => applyInstall(request));
  const doctor = request === undefined ? undefined : reportOn(await examine({ ...context, cwd: root }));
  if (json) {
    out.json(initJson(situation, choice, plan, { written: true, dryRun: false, doctor }));
    return 0;
  }
  const lines = [
    ...doneLines(plan),
    ...(doctor === undefined ? [] : ['', ...doctorLines(doctor, out)]),
    '',
    ...nextLines(situation, plan, choice),
  ];
  for (const line of lines) out.line(line);
  return 0;
}

/** Writes the files of the project itself; hooks are installed by the installer. A failure is a sentence. */
function writeFiles(root: string, { files, ignore }: InitPlan): Result<unknown, string> {
  const config = files.find(({ kind }) => kind === 'config');
  const ready = config === undefined ? succeed(true) : whereConfigGoes(root);
  if (!ready.ok) return ready;
  const ignored = extendIgnore(root, ignore);
  if (!ignored.ok || config === undefined) return ignored;
  // Last, so that a beginning that is interrupted leaves nothing that is in force.
  return writeNewFiles(root, [{ path: config.path, text: config.text ?? '' }]);
}

/** What is in the way of the config is found before anything else is written. */
function whereConfigGoes(root: string): Result<true, string> {
  try {
    const place = placeOf(root, join(root, OWN_CONFIG));
    return place.kind === 'outward' ? fail(leadsOut(OWN_CONFIG, place.target)) : succeed(true);
  } catch (error) {
    return fail(notWritten(OWN_CONFIG, detailOf(error)));
  }
}

function writtenSoFar({ files }: InitPlan): string {
  const own = files.filter(({ kind }) => kind === 'config' || kind === 'ignore').map(({ path }) => path);
  const written = `${own.join(' and ')} ${own.length === 1 ? 'was' : 'were'} written, the hooks were not`;
  return own.length === 0 ? 'nothing was written' : written;
}
