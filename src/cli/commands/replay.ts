import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { detailOf, errorCode } from '../../core/failure';
import { isJsonObject, type JsonObject, jsonIn } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { type EventLine, type HeadLine, type RecordedDecision, VERSION } from '../../core/recording/format';
import { Replay, type Replayed } from '../../core/recording/replay';
import { type Context, cannotRun, type ExitCode, type Options, report } from '../context';
import { DECISIONS } from '../messages';
import { requireProject } from '../project';
import { plural, printError, styled, table } from '../ui/output';

const WORDS = 'holdpoint replay';

interface Row extends Replayed {
  readonly line: number;
  readonly event: EventLine;
}

interface Played {
  readonly file: string;
  readonly head: HeadLine;
  readonly rows: readonly Row[];
  readonly isTorn: boolean;
}

/**
 * `holdpoint replay`: what today's rules decide for recorded events. Exits with 1 if that differs from the recording,
 * or is unknown because a rule is broken.
 */
export async function replay(
  context: Context,
  _options: Options,
  files: readonly string[],
): Promise<ExitCode> {
  const { chunks, cwd } = context;
  if (files.length === 0)
    throw cannotRun(`${WORDS}: give a recording, such as .holdpoint/recordings/FILE.jsonl.`);
  const recordings = files.map((file) => ({ file, ...read(file, resolve(cwd, file)) }));
  const project = requireProject(context);
  const { compileAsWritten, compileConfig } = chunks.part('compile-config');
  const { problems, diagnostics } = compileConfig(project.root, project.home);
  for (const problem of problems) printError(`Warning: ${problem}`);
  const config = compileAsWritten(project, chunks);
  const played: Played[] = [];
  for (const { file, head, events, isTorn } of recordings) {
    const replaying = new Replay(head, project, config, chunks);
    const rows: Row[] = [];
    for (const { line, event } of events) rows.push({ ...(await replaying.play(event)), line, event });
    played.push({ file, head, rows, isTorn });
  }
  const rows = played.flatMap((one) => one.rows);
  const failures = new Set(rows.flatMap((row) => row.failures ?? []).map(sentenceOf));
  for (const failure of failures) printError(`Warning: ${failure}`);
  const isWhole = failures.size === 0 && diagnostics.every(({ severity }) => severity !== 'error');
  report(context, playedJson(played, rows, isWhole), playedLines(played, rows, isWhole));
  return isWhole && count(rows, 'differs') === 0 ? 0 : 1;
}

function read(shown: string, file: string) {
  const lines = textOf(shown, file).split('\n');
  // A killed process leaves a last line without a newline.
  const last = lines.pop() ?? '';
  const refuse = (line: number, why: string) => cannotRun(`${WORDS}: ${shown}, line ${line}: ${why}`);
  const head = jsonIn(lines[0] ?? last);
  const version = isJsonObject(head) ? head['holdpoint_recording'] : undefined;
  if (typeof version !== 'number') throw refuse(1, 'this is not a recording of Holdpoint.');
  if (version > VERSION)
    throw refuse(
      1,
      `this recording is of version ${version}, and this Holdpoint reads up to ${VERSION}. Upgrade it.`,
    );
  const events = lines.slice(1).map((text, index) => {
    const line = index + 2;
    const event = jsonIn(text);
    if (!isJsonObject(event)) throw refuse(line, 'this is not JSON. The file was changed or damaged.');
    if (!isEvent(event))
      throw refuse(line, 'this is not an event: it has no time, or does not say what was decided.');
    return { line, event: event as unknown as EventLine };
  });
  return { head: head as unknown as HeadLine, events, isTorn: last !== '' };
}

function textOf(shown: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why =
      errorCode(error) === 'ENOENT' ? 'there is no such file.' : `it could not be read (${detailOf(error)}).`;
    throw cannotRun(`${WORDS}: ${shown}: ${why}`);
  }
}

function isEvent({ at, decided, raw, skipped }: JsonObject): boolean {
  const isDecided =
    isJsonObject(decided) && typeof decided['kind'] === 'string' && Array.isArray(decided['rules']);
  const isWhole = isJsonObject(raw) || typeof skipped === 'string';
  return typeof at === 'string' && !Number.isNaN(Date.parse(at)) && isDecided && isWhole;
}

function count(rows: readonly Row[], result: Replayed['result']): number {
  return rows.filter((row) => row.result === result).length;
}

function playedJson(played: readonly Played[], all: readonly Row[], isWhole: boolean): object {
  return {
    same: count(all, 'same'),
    differs: count(all, 'differs'),
    unknown: count(all, 'unknown'),
    skipped: count(all, 'skipped'),
    // A rule is broken or failed: the counts do not include what it would have decided.
    ...(!isWhole && { broken: true }),
    recordings: played.map(({ file, head, rows, isTorn }) => ({
      file,
      began: head.began,
      branch: head.branch,
      events: rows.length,
      torn: isTorn,
      shown: rows.filter(isShown).map(({ line, event, tool, result, was, is, why }) => ({
        line,
        at: event.at,
        session: event.session,
        event: event.event,
        tool: tool ?? null,
        result,
        was,
        is: is ?? null,
        why,
      })),
    })),
  };
}

const HELD = ['hold', 'ask', 'deny'];

function isShown({ result, was, is }: Row): boolean {
  return result !== 'same' || [was, is].some((one) => one !== undefined && HELD.includes(one.kind));
}

const STYLES = { same: 'green', differs: 'red', unknown: 'yellow', skipped: 'dim' } as const;

function playedLines(played: readonly Played[], all: readonly Row[], isWhole: boolean) {
  const [same, differs] = [count(all, 'same'), count(all, 'differs')];
  const rest = (['unknown', 'skipped'] as const).flatMap((one) => {
    const number = count(all, one);
    return number === 0 ? [] : [`${number} ${number === 1 ? 'is' : 'are'} ${one}`];
  });
  const whole = plural(all.length, 'event');
  const told =
    differs > 0
      ? `${differs} of ${whole} ${differs === 1 ? 'differs' : 'differ'} from the recording`
      : `${isWhole ? "Today's rules decide" : 'The rules that work decide'} the same for ${rest.length === 0 ? '' : `${same} of `}${whole}`;
  const style = differs > 0 ? 'red' : isWhole ? 'green' : 'yellow';
  return [
    ...played.flatMap(fileLines),
    styled(style, `${[told, ...(rest.length === 0 ? [] : [rest.join(', ')])].join('; ')}.`),
    ...(isWhole ? [] : [styled('yellow', 'Not every rule has decided; see the warnings.')]),
  ];
}

function fileLines({ file, head, rows, isTorn }: Played): string[] {
  const shown = rows.filter(isShown);
  const cells = table(
    shown.map(({ line, event, tool, result, was, is, why }) => [
      `line ${line}`,
      `${event.event}${tool === undefined ? '' : ` ${tool}`}`,
      result,
      result === 'differs' && is !== undefined
        ? `was ${phraseOf(was)}, is ${phraseOf(is)}`
        : [phraseOf(was), ...(why === undefined ? [] : [why])].join('; '),
    ]),
  );
  return [
    `${styled('bold', file)}: ${plural(rows.length, 'event')} on ${head.branch}, ${String(head.began).slice(0, 10)}`,
    ...cells.map((line, at) => `  ${styled(STYLES[shown[at]?.result ?? 'same'], line)}`),
    ...(isTorn ? [`  ${styled('yellow', 'The last line is cut off; it was passed over.')}`] : []),
  ];
}

function phraseOf({ kind, rules }: RecordedDecision): string {
  const names = rules
    .filter(({ verdict }) => verdict === kind || !HELD.includes(kind))
    .map(({ guard, rule }) => rule || guard);
  const word = DECISIONS[kind] ?? String(kind);
  return names.length === 0 ? word : `${word} by ${[...new Set(names)].join(', ')}`;
}
