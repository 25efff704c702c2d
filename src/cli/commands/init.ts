import { join } from 'node:path';
import { nearest } from '../../config/nearest';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import type { GitPlace } from '../../core/git-head';
import { findGit } from '../../git/head';
import { placeOf } from '../../state/layout';
import type { Context, ExitCode } from '../context';
import { reportOn } from '../doctor/report';
import { leadsOut, notWritten, writeNewFiles } from '../gates/init-files';
import { PRESET_NAMES } from '../init/config-text';
import { extendIgnore } from '../init/gitignore';
import {
  type Choice,
  type InitPlan,
  inspectProject,
  OWN_CONFIG,
  planFor,
  type Situation,
} from '../init/plan';
import { askChoice, type InitOptions, isAgreed, standardChoice } from '../init/questions';
import { doctorLines, doneLines, foundHere, initJson, nextLines, notesOn, showPlan } from '../init/report';
import { install as applyInstall } from '../install/apply';
import { namedHosts } from '../install/targets';
import { isSamePlace } from '../req/init';
import { printable } from '../ui/output';
import { isAtTerminal } from '../ui/prompts';
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

export async function init(context: Context, given: GivenOptions): Promise<ExitCode> {
  const options = initOptions(given);
  if (!options.ok) throw cannotRun(options.failure);
  const place = repositoryOf(context);
  if (!place.ok) throw cannotRun(place.failure);
  const situation = inspectProject(place.value, options.value.hosts, context);
  const standard = planFor(situation, standardChoice(situation, options.value));
  if (!standard.ok) throw cannotRun(installImpossible(standard.failure));
  return standard.value.files.length === 0
    ? nothingToDo(situation, standard.value, options.value, context)
    : begin(situation, options.value, context);
}

interface GivenOptions {
  readonly yes: boolean;
  readonly host: readonly string[];
  readonly preset?: string;
  readonly dryRun: boolean;
  readonly install: boolean;
  readonly json: boolean;
}

/** Checks the options; an error is a sentence for the user. */
function initOptions(values: GivenOptions): Result<InitOptions, string> {
  const { yes, json, dryRun, install } = values;
  const hosts = namedHosts(values.host);
  if (!hosts.ok) return fail(`holdpoint init: ${printable(hosts.failure)}`);
  const preset = PRESET_NAMES.find((name) => name === values.preset);
  if (values.preset !== undefined && preset === undefined) {
    const near = nearest(values.preset, PRESET_NAMES);
    const hint = near === undefined ? `Known: ${PRESET_NAMES.join(', ')}.` : `Did you mean '${near}'?`;
    return fail(`holdpoint init: there is no preset '${printable(values.preset)}'. ${hint}`);
  }
  const how = { yes, json, dryRun, install };
  return succeed({ ...how, hosts: hosts.value, preset });
}

function repositoryOf({ cwd, env }: Context): Result<GitPlace, string> {
  const place = findGit(cwd);
  if (place === undefined) return fail(NO_REPOSITORY);
  if (place.trouble?.kind === 'unreadable') {
    const why = printable(place.trouble.why);
    return fail(`holdpoint init: the git repository here cannot be read: ${why}`);
  }
  const home = env['HOME'] ?? '';
  return home !== '' && isSamePlace(place.root, home) ? fail(IN_HOME) : succeed(place);
}

function installImpossible(why: string): string {
  return `holdpoint init: nothing was written. ${printable(why)}
Mend that and run it again, or give --no-install for the config alone.`;
}

function nothingToDo(situation: Situation, plan: InitPlan, options: InitOptions, { out }: Context): ExitCode {
  const { json, dryRun, preset } = options;
  if (json)
    out.json(initJson(situation, standardChoice(situation, options), plan, { written: false, dryRun }));
  else for (const line of [...notesOn(situation, plan, preset), NOTHING_TO_DO]) out.line(line);
  return 0;
}

async function begin(situation: Situation, options: InitOptions, context: Context): Promise<ExitCode> {
  const { json, dryRun } = options;
  const out = json ? { ...context.out, line: () => true } : context.out;
  const asks = !options.yes && !dryRun;
  if (asks && (json || !isAtTerminal())) throw cannotRun(NO_TERMINAL);
  out.line(out.style('bold', foundHere(situation)));
  const chosen = asks ? await askChoice(situation, options) : undefined;
  if (chosen !== undefined && chosen.kind !== 'chosen') throw new Refusal(CANCELLED);
  const choice = chosen?.value ?? standardChoice(situation, options);
  const plan = planFor(situation, choice);
  if (!plan.ok) throw cannotRun(installImpossible(plan.failure));
  for (const note of notesOn(situation, plan.value, options.preset)) out.line(out.style('yellow', note));
  out.line();
  if (dryRun) return showDryRun(situation, choice, plan.value, json, context);
  if (asks && !(await isAgreed(plan.value, out))) throw new Refusal(CANCELLED);
  return carryOut(situation, choice, plan.value, json, context);
}

function showDryRun(
  situation: Situation,
  choice: Choice,
  plan: InitPlan,
  json: boolean,
  { out }: Context,
): ExitCode {
  if (json) out.json(initJson(situation, choice, plan, { written: false, dryRun: true }));
  else {
    showPlan(plan, true, out);
    out.line('This was a dry run: nothing was written.');
  }
  return 0;
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
  const written = writeFiles(root, plan);
  if (!written.ok) throw cannotRun(`holdpoint init: ${printable(written.failure)}`);
  const installed = plan.request && applyInstall(plan.request);
  if (installed?.ok === false) throw cannotRun(halfWritten(plan, installed.failure));
  const doctor = plan.request === undefined ? undefined : reportOn(await examine({ ...context, cwd: root }));
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

function halfWritten({ files }: InitPlan, why: string): string {
  const own = files.filter(({ kind }) => kind === 'config' || kind === 'ignore').map(({ path }) => path);
  const written = `${own.join(' and ')} ${own.length === 1 ? 'was' : 'were'} written, the hooks were not`;
  const done = own.length === 0 ? 'nothing was written' : written;
  return `holdpoint init: ${done}. ${printable(why)}\nAfterwards: holdpoint install`;
}
