import { fail, type Result, succeed } from '../../core/failure';
import type { GitPlace } from '../../core/git-head';
import { findGit } from '../../git/find-git';
import { carryOut } from '../init/carry-out';
import { initJson } from '../init/init-json';
import * as say from '../init/messages';
import { INIT_USAGE, type InitOptions, initOptions } from '../init/options';
import { notesOn } from '../init/outcome';
import { type Choice, type InitPlan, isDone, planFor } from '../init/plan';
import { askChoice, standardChoice } from '../init/questions';
import { showDiff, showPlan } from '../init/show-plan';
import { lookAround, type Situation } from '../init/situation';
import { isSamePlace } from '../req/init';
import { refuse } from '../req/refuse';
import { choose, isAtTerminal } from '../ui/prompts';
import type { Context, ExitCode, Verb } from '../verb';

export const verb: Verb = {
  usage: INIT_USAGE,
  async run(args, context) {
    const options = initOptions(args);
    if (!options.ok) return refuse(context, options.failure, 2);
    const place = repositoryOf(context);
    if (!place.ok) return refuse(context, place.failure, 2);
    const situation = lookAround(place.value, options.value.hosts, context);
    const standard = planFor(situation, standardChoice(situation, options.value));
    if (!standard.ok) return refuse(context, say.installImpossible(standard.failure), 2);
    if (isDone(standard.value)) return nothingToDo(situation, standard.value, options.value, context);
    return begin(situation, options.value, context);
  },
};

function repositoryOf({ cwd, env }: Context): Result<GitPlace, string> {
  const place = findGit(cwd);
  if (place === undefined) return fail(say.NO_REPOSITORY);
  if (place.trouble?.kind === 'unreadable') return fail(say.troubledRepository(place.trouble.why));
  const home = env['HOME'] ?? '';
  return home !== '' && isSamePlace(place.root, home) ? fail(say.IN_HOME) : succeed(place);
}

async function begin(situation: Situation, options: InitOptions, context: Context): Promise<ExitCode> {
  const asks = !options.yes && !options.dryRun;
  if (asks && (options.json || !isAtTerminal())) return refuse(context, say.NOBODY, 2);
  const { out } = context;
  if (!options.json) {
    const { place, survey, branch } = situation;
    out.line(out.style('bold', say.foundHere(place.root, survey.kinds, branch)));
  }
  const chosen = asks ? await askChoice(situation, options) : undefined;
  if (chosen !== undefined && chosen.kind !== 'chosen') return refuse(context, say.CANCELLED, 1);
  const choice = chosen?.value ?? standardChoice(situation, options);
  const plan = planFor(situation, choice);
  if (!plan.ok) return refuse(context, say.installImpossible(plan.failure), 2);
  if (!options.json) showNotes(situation, plan.value, options, context);
  if (options.dryRun) return dryRun(situation, choice, plan.value, options, context);
  if (asks && !(await isAgreed(plan.value, situation.place.root, context)))
    return refuse(context, say.CANCELLED, 1);
  return carryOut(situation, choice, plan.value, options, context);
}

function showNotes(situation: Situation, plan: InitPlan, options: InitOptions, { out }: Context): void {
  for (const note of notesOn(situation, plan, options)) out.line(out.style('yellow', note));
  out.line();
}

function dryRun(
  situation: Situation,
  choice: Choice,
  plan: InitPlan,
  { json }: InitOptions,
  { out }: Context,
): ExitCode {
  if (json) out.json(initJson(situation, choice, plan, { written: false, dryRun: true }));
  else {
    showPlan(plan, situation.place.root, true, out);
    out.line(say.NOTHING_WRITTEN);
  }
  return 0;
}

/** Shows what is about to be written, in as much detail as the person wants, and asks. */
async function isAgreed(plan: InitPlan, root: string, { out }: Context): Promise<boolean> {
  showPlan(plan, root, false, out);
  const changes = plan.install?.changes ?? [];
  let answers = Object.entries(say.ANSWERS).map(([value, label]) => ({ value, label }));
  if (changes.length === 0) answers = answers.filter(({ value }) => value !== 'more');
  for (let question = say.ASK_WRITE; ; question = say.ASK_WRITE_NOW) {
    const answer = await choose(question, answers);
    if (answer.kind !== 'chosen' || answer.value === 'no') return false;
    if (answer.value === 'yes') return true;
    for (const change of changes) showDiff(change, root, out);
    answers = answers.filter(({ value }) => value !== 'more');
  }
}

function nothingToDo(situation: Situation, plan: InitPlan, options: InitOptions, { out }: Context): ExitCode {
  if (options.json) {
    const end = { written: false, dryRun: options.dryRun };
    out.json(initJson(situation, standardChoice(situation, options), plan, end));
    return 0;
  }
  for (const note of notesOn(situation, plan, options)) out.line(note);
  out.line(say.NOTHING_TO_DO);
  return 0;
}
