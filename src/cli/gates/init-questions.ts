import type { ReviewerName } from '../../guards/gates/reviewers';
import { askText, type Chosen, chooseSeveral, confirm, isAtTerminal } from '../ui/prompts';
import { type Beginning, COMMAND_AGENTS } from './beginning';
import type { InitOptions } from './init-options';
import type { Suggestions } from './suggestions';

/** What was found, before anybody is asked. */
export interface Found {
  readonly baseBranch: string;
  readonly reviewers: readonly ReviewerName[];
  readonly agents: Beginning['agents'];
  readonly suggestions: Suggestions;
}

/** What is to be written, and whether the end of turns shall be held as well. */
export interface Answers {
  readonly beginning: Beginning;
  readonly stopHook: boolean;
}

/** Asks a person at a terminal, unless flags have answered already. */
export async function answersFor(found: Found, options: InitOptions): Promise<Chosen<Answers>> {
  const answered = options.yes || options.json || !isAtTerminal();
  return answered ? { kind: 'chosen', value: standardAnswers(found, options) } : ask(found, options);
}

/** Without reviewers, and with nothing said about checks, those that the project seems to have are better than none. */
function standardAnswers(found: Found, options: InitOptions): Answers {
  const { reviewers, suggestions } = found;
  const isBare = reviewers.length === 0 && options.lint === undefined && options.test === undefined;
  const { lint, test } = isBare ? suggestions : options;
  const { baseBranch, agents } = found;
  const beginning = {
    baseBranch,
    agents,
    reviewers,
    source: sourceOf(options.source),
    checks: checksOf(lint, test),
  };
  return { beginning, stopHook: options.stopHook };
}

class GaveUp extends Error {}

async function ask(found: Found, options: InitOptions): Promise<Chosen<Answers>> {
  const { suggestions, baseBranch } = found;
  try {
    const reviewers = await askReviewers(found.reviewers);
    const source = options.source ?? answerOf(await askText('Which directory are the gates for?', '.'));
    const lint = options.lint ?? (await askCommand('Add a linter as a check?', suggestions.lint));
    const test = options.test ?? (await askCommand('Add the unit tests as a check?', suggestions.test));
    const agents = await askAgents(found.agents);
    const hook =
      options.stopHook || answerOf(await confirm('Let Claude Code run the gates at the end of a turn?'));
    const checks = checksOf(lint, test);
    const beginning = { baseBranch, reviewers, source: sourceOf(source), checks, agents };
    return { kind: 'chosen', value: { beginning, stopHook: hook } };
  } catch (error) {
    if (error instanceof GaveUp) return { kind: 'cancelled' };
    throw error;
  }
}

function answerOf<Value>(chosen: Chosen<Value>): Value {
  if (chosen.kind !== 'chosen') throw new GaveUp();
  return chosen.value;
}

async function askReviewers(found: readonly ReviewerName[]): Promise<readonly ReviewerName[]> {
  if (found.length === 0) return [];
  const choices = found.map((name) => ({ value: name, label: name }));
  const picked = answerOf(await chooseSeveral('Who may be asked for reviews?', choices, found));
  return found.filter((name) => picked.includes(name));
}

async function askAgents(found: Beginning['agents']): Promise<Beginning['agents']> {
  const choices = COMMAND_AGENTS.map((name) => ({ value: name, label: `/gauntlet for ${name}` }));
  const picked = answerOf(await chooseSeveral('Which agents get a command for it?', choices, found));
  return COMMAND_AGENTS.filter((name) => picked.includes(name));
}

async function askCommand(question: string, suggested = ''): Promise<string | undefined> {
  if (!answerOf(await confirm(question))) return undefined;
  return answerOf(await askText('With which command?', suggested));
}

/** A command that is blank is no command. */
function checksOf(lint = '', test = ''): Beginning['checks'] {
  const given = { lint: lint.trim(), 'unit-tests': test.trim() };
  return Object.fromEntries(Object.entries(given).filter(([, command]) => command !== ''));
}

function sourceOf(given = ''): string {
  return given.trim() === '' ? '.' : given.trim();
}
