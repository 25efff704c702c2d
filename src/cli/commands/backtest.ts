import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { belongsToTarget, type ReplayTarget, replayTarget, SessionPlayer } from '../../backtest/play';
import { type ExtraGuard, rulesAt, rulesOf } from '../../backtest/rules';
import { type RuleCount, ruleJson, type Tally } from '../../backtest/tally';
import { type FoundSessions, findSessions, transcriptDirectories } from '../../backtest/transcripts';
import { diagnose, formatDiagnostic } from '../../config/diagnostics';
import { loadText } from '../../config/files';
import { detailOf, errorCode } from '../../core/failure';
import type { Json } from '../../core/json';
import { localTime, sessionKey } from '../../core/text';
import { writeAll } from '../../exec/processes';
import { guard } from '../../guards/rules';
import { compileRuleFiles } from '../../guards/rules/compile';
import { type Context, cannotRun, type ExitCode, type Options, Refusal, report } from '../context';
import { sinceTime } from '../log/entries';
import { requireProject } from '../project';
import { type Column, drawTable } from '../rules/tables';
import { openLiveLines, plural, printError, styled, terminalColumns } from '../ui/output';

type BacktestOptions = Options<'all', 'transcripts' | 'since' | 'compare'> & {
  readonly rules: readonly string[];
};

const WORDS = 'holdpoint backtest';

/** `holdpoint backtest`: what the rules would have held in past sessions. Runs no programs and writes nothing. */
export async function backtest(context: Context, values: BacktestOptions): Promise<ExitCode> {
  const { chunks, env } = context;
  const since = values.since === undefined ? 0 : sinceTime(WORDS, values.since, Date.now());
  const project = requireProject(context);
  const files = values.rules.map((file) => resolve(context.cwd, file));
  const extra = refusing(() => compileExtraRules(files, project.root));
  const rules = rulesOf(project, chunks, extra);
  for (const problem of rules.problems) printError(`Warning: ${problem}`);
  if (rules.config.head.guards.every(({ byHand }) => byHand === true))
    throw new Refusal(`${WORDS}: no rules in this project. Write some with 'holdpoint init'.`);
  const other =
    values.compare === undefined ? undefined : await rulesAt(values.compare, project, chunks, extra, env);
  if (values.compare !== undefined && other === undefined)
    throw cannotRun(`${WORDS}: no commit '${values.compare}' in this repository.`);
  const stage = replayTarget(project, chunks, values.all, since);
  const places = placesFor(values.transcripts, context, project.home);
  const found = foundIn(places, stage);
  if (found.sessions.length === 0) printError(nothingFound(found, places, project.home));
  const player = new SessionPlayer(stage, other === undefined ? [rules] : [rules, other]);
  const skipped = found.skipped + (await playAll(player, found, since));
  const [now, before] = player.tallies as [Tally, Tally | undefined];
  const { sessions, calls } = player;
  const compare = before && { ref: values.compare, rules: before.rules().map(ruleJson) };
  const counts = { sessions, calls, skipped, other_projects: found.others };
  const value = { ...counts, rules: now.rules().map(ruleJson), compare };
  return report(context, value, [
    `${plural(sessions, 'session')}, ${plural(calls, 'tool call')}, ${plural(skipped, 'line')} skipped`,
    ...reportLines(now, before, values.compare ?? ''),
  ]);
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw cannotRun(`${WORDS}: ${detailOf(error)}.`);
  }
}

function placesFor(given: string | undefined, { cwd }: Context, home: string): readonly string[] {
  if (given === undefined) return transcriptDirectories(home).filter((place) => existsSync(place));
  return [resolve(cwd, given)];
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

function foundIn(places: readonly string[], stage: ReplayTarget): FoundSessions {
  try {
    return findSessions(places, (log) => belongsToTarget(log, stage));
  } catch (error) {
    const why = UNREADABLE[errorCode(error)] ?? detailOf(error);
    const path = error instanceof Error && 'path' in error ? String(error.path) : places.join(', ');
    throw cannotRun(`${WORDS}: cannot read ${path}: ${why}.`);
  }
}

function nothingFound({ files, others }: FoundSessions, places: readonly string[], home: string): string {
  const looked = (places.length > 0 ? places : transcriptDirectories(home)).map((place) =>
    place.startsWith(`${home}/`) ? `~${place.slice(home.length)}` : place,
  );
  const where = `Looked in ${looked.join(', ')}.`;
  if (files === 0) return `${WORDS}: no transcripts found. ${where}`;
  if (others === 0) return `${WORDS}: no transcripts of Claude Code, Codex or Gemini CLI. ${where}`;
  return `${WORDS}: no sessions of this project, but ${plural(others, 'session')} of other projects. ${where} '--all' plays the sessions of every project.`;
}

/** Plays the sessions; returns how many lines were skipped. On a terminal it shows how far it is. */
async function playAll(player: SessionPlayer, { sessions }: FoundSessions, since: number): Promise<number> {
  const recent = sessions.filter(({ logs }) => logs.some(({ changedAt }) => changedAt >= since));
  const { isTTY, columns } = process.stderr;
  const live = isTTY ? openLiveLines(columns || 80, (text) => void writeAll(2, text)) : undefined;
  let skipped = 0;
  try {
    for (const [at, session] of recent.entries()) {
      live?.show([`session ${at + 1} of ${recent.length}`]);
      skipped += await player.play(session);
    }
  } finally {
    live?.show([]);
    live?.end();
  }
  return skipped;
}

const EXAMPLES_SHOWN = 3;

/** A row per rule, followed by a few examples of what it would have held. */
function reportLines(now: Tally, before: Tally | undefined, ref: string): string[] {
  const counts = now.rules();
  const others = before?.rules() ?? [];
  const rows = [...counts, ...others.filter((one) => !counts.some((count) => isSame(one, count)))];
  const hasFailed = [...counts, ...others].some(({ failed }) => failed > 0);
  const keys = ['would_hold', 'unknown', ...(hasFailed ? (['failed'] as const) : [])] as const;
  const countsOf = (side: readonly RuleCount[], title: string): Column<RuleCount>[] =>
    keys.map((key) => ({
      title: key === 'would_hold' ? title : key,
      cell: (row) => String(side.find((one) => isSame(one, row))?.[key] ?? '-'),
      right: true,
    }));
  const columns: Column<RuleCount>[] = [
    ...countsOf(counts, 'would hold'),
    ...(before === undefined ? [] : countsOf(others, `at ${ref}`)),
    { title: 'mode', cell: ({ mode }) => mode.padEnd(6) },
    { title: 'rule', cell: ({ rule }) => rule, style: () => 'bold' },
  ];
  const [heading = '', ...lines] = drawTable(rows, columns, Number.POSITIVE_INFINITY);
  return [
    '',
    heading,
    ...rows.flatMap((row, at) => [
      lines[at] ?? '',
      ...failureLines(row),
      ...(counts.includes(row) ? row.examples : []).slice(0, EXAMPLES_SHOWN).map(exampleLine),
    ]),
  ];
}

function isSame(one: RuleCount, other: RuleCount): boolean {
  return one.guard === other.guard && one.rule === other.rule;
}

/** If a rule failed, what it would have decided is unknown. */
function failureLines({ failure, failed }: RuleCount): string[] {
  if (failure === undefined) return [];
  const { place, detail } = failure;
  const times = failed === 1 ? 'once' : `${failed} times, the first time`;
  const where = place === '' ? '' : ` at ${place}`;
  return [styled('red', `    failed ${times}${where}: ${detail}`)];
}

function exampleLine({ at, session, tool, what }: RuleCount['examples'][number]): string {
  const line = `    ${localTime(at, Date.now(), 'minutes')}  ${sessionKey(session) ?? session}  ${tool}  ${what}`;
  const width = terminalColumns() ?? Number.POSITIVE_INFINITY;
  return styled('dim', line.length > width ? `${line.slice(0, width - 1)}…` : line);
}

/** Compiles the `--rules` files into a guard of their own, next to those of the config. */
function compileExtraRules(files: readonly string[], root: string): readonly ExtraGuard[] {
  if (files.length === 0) return [];
  const problems: string[] = [];
  const config = compileRuleFiles(files, {
    root,
    read: loadText,
    peek: loadText,
    reportIn: (source, span, finding) =>
      void problems.push(formatDiagnostic(diagnose(source, span, finding))),
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const compiled = { name: guard.name, interests: guard.interest(config), onError: 'allow' } as const;
  return [{ compiled, config: config as unknown as Json }];
}
