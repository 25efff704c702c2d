import { parse, relative } from 'node:path';
import { writeAll } from '../../exec/processes';
import type { GatesConfig } from '../../guards/gates/config';
import {
  gateLabel,
  lowerFirst,
  oneLine,
  plainLines,
  plainText,
  plural,
  type Summary,
  startLine,
  took,
  warningLine,
} from '../../guards/gates/run/messages';
import type { Reporter, RunEvent } from '../../guards/gates/run/run';
import { didNotPass, type GateResult, type GateStatus, type RunResult } from '../../guards/gates/run-result';
import type { Context } from '../context';
import { openLiveLines, print, printable, printError, type Style, styled } from '../ui/output';

/** Scripts and prompts for `agent-gauntlet`, and in projects with its files, rely on its exact output. */
export function isForGauntlet(home: GatesConfig['home']): boolean {
  return home === '.gauntlet' || parse(process.argv[1] ?? '').name === 'agent-gauntlet';
}

type Paint = (style: Style, text: string) => string;

/** How a run is printed: the lines for each event, the label of a running gate, and the final lines. */
interface OutputFormat {
  linesOf(event: RunEvent): readonly string[];
  running(id: string): string;
  end(result: RunResult): readonly string[];
}

/** Shows a run while it is in progress. */
interface Progress {
  readonly report: Reporter;
  end(result: RunResult): void;
}

export function openProgress(mode: string, home: GatesConfig['home'], { env, cwd }: Context): Progress {
  const isGauntlet = isForGauntlet(home);
  const { isTTY, columns, rows } = process.stderr;
  const isLive = isTTY === true && env['TERM'] !== 'dumb';
  const paint: Paint = (style, text) => (isLive ? styled(style, text, true) : printable(text));
  const format = isGauntlet ? gauntletFormat(paint) : peopleFormat(paint, cwd);
  // Some terminals report a size of 0.
  if (isLive) return liveProgress(format, paint, columns || 80, rows || 24);
  const printAll = (lines: readonly string[]): void => {
    for (const line of lines) printError(line);
  };
  return {
    report: (event) => {
      const isForScripts = isGauntlet && mode !== 'run' && isPreparation(event);
      if (!isForScripts) return printAll(format.linesOf(event));
      // Scripts look for the preparation lines of `agent-gauntlet check` and `review` on standard output.
      for (const line of plainLines(event)) print(printable(line));
    },
    end: (result) => printAll(format.end(result)),
  };
}

const MARKS: Readonly<Record<GateStatus, string>> = {
  pass: '✓',
  cached: '✓',
  fail: '✗',
  error: '!',
  skipped: '-',
};

const COLOURS = { pass: 'green', cached: 'green', skipped: 'yellow', fail: 'red', error: 'red' } as const;

/** For people: one line per gate, the lines of output that explain a failure, and totals at the end. */
function peopleFormat(paint: Paint, cwd: string): OutputFormat {
  const shown = (file: string): string => {
    const path = relative(cwd, file);
    return path.startsWith('..') ? file : path;
  };
  let skipped: readonly string[] = [];
  return {
    running: (id) => `  ${gateLabel(id)}`,
    linesOf: (event) => {
      switch (event.kind) {
        case 'note':
          return [paint('dim', plainText(event.text))];
        case 'warning':
          return [paint('yellow', plainText(warningLine(event.text)))];
        case 'finished':
          return gateLines(event.result, paint, shown);
        case 'summary':
          skipped = skippedLines(event.summary);
          return [];
        default:
          return [];
      }
    },
    end: (result) => {
      const weaker = (result.weaker?.facts ?? []).map((fact) => `Weaker since the session began: ${fact}`);
      const remarks = [...skipped, ...weaker].map((line) => paint('yellow', line));
      return [...endLines(result, paint, shown), ...remarks];
    },
  };
}

/** The review findings that were skipped with a reason instead of fixed. */
function skippedLines({ iterations }: Summary): readonly string[] {
  const all = iterations.flatMap(({ activity }) => activity).filter(({ what }) => what === 'skipped');
  return all.map(({ details, reason }) => {
    return `Skipped  ${oneLine(details)}${reason === undefined ? '' : ` (${oneLine(reason)})`}`;
  });
}

function gateLines(gate: GateResult, paint: Paint, shown: (file: string) => string): readonly string[] {
  const { id, status, message, durationMs, telling = [], log, reviews = [] } = gate;
  const mark = paint(COLOURS[status], MARKS[status]);
  const time = status === 'cached' ? ' (cached)' : status === 'skipped' ? '' : ` (${took(durationMs)})`;
  const quiet = status === 'pass' || status === 'cached';
  const head = `${mark} ${paint('bold', gateLabel(id))}${paint('dim', time)}`;
  if (quiet) return [head];
  const files = [
    ...(didNotPass(gate) && log !== undefined ? [`Log: ${shown(log)}`] : []),
    ...reviews.map((file) => `Review: ${shown(file)}`),
  ];
  return [
    `${head}: ${paint(COLOURS[status], plainText(lowerFirst(message)))}`,
    ...telling.map((line) => `    ${printable(plainText(line))}`),
    ...files.map((line) => paint('dim', `    ${line}`)),
  ];
}

/** `Gates  1 failed | 3 passed | 1 cached (4.2 s)`, as test runners do. */
function endLines(
  { gates, durationMs = 0, consoleLogPath, run, maxRuns, status }: RunResult,
  paint: Paint,
  shown: (file: string) => string,
): readonly string[] {
  if (gates.length === 0) return [];
  const count = (wanted: GateStatus): number => gates.filter((gate) => gate.status === wanted).length;
  const counts = [
    ...some(count('fail'), (n) => paint('red', `${n} failed`)),
    ...some(count('error'), (n) => paint('red', plural(n, 'error'))),
    ...some(count('pass'), (n) => paint('green', `${n} passed`)),
    ...some(count('cached'), (n) => paint('green', `${n} cached`)),
    ...some(count('skipped'), (n) => paint('yellow', `${n} not started`)),
  ];
  const left = (maxRuns ?? 0) - (run ?? 0);
  const isCounted = Number.isFinite(left) && (status === 'failed' || status === 'retry_limit_exceeded');
  const retries = left > 0 ? `${left} ${left === 1 ? 'retry' : 'retries'} left, then` : 'No retry left:';
  const log = consoleLogPath && `${paint('bold', 'Log')}    ${paint('dim', shown(consoleLogPath))}`;
  return [
    '',
    `${paint('bold', 'Gates')}  ${counts.join(' | ')} ${paint('dim', `(${took(durationMs)})`)}`,
    ...(log ? [log] : []),
    ...(isCounted ? [`${retries} a person decides.`] : []),
  ];
}

function some(count: number, text: (count: number) => string): readonly string[] {
  return count === 0 ? [] : [text(count)];
}

/** The exact output of agent-gauntlet, for scripts and prompts that were written for it. */
function gauntletFormat(paint: Paint): OutputFormat {
  return {
    running: startLine,
    linesOf: (event) => plainLines(event).map((line) => coloured(line, event, paint)),
    end: () => [],
  };
}

function isPreparation({ kind }: RunEvent): boolean {
  return kind === 'progress' || kind === 'note';
}

function coloured(line: string, event: RunEvent, paint: Paint): string {
  if (event.kind === 'finished' && !line.startsWith(' ')) return paint(COLOURS[event.result.status], line);
  if (event.kind === 'warning') return paint('yellow', line);
  return paint(isPreparation(event) ? 'dim' : 'bold', line);
}

const REDRAW_MS = 150;

/** When a gate was started, and the last line it printed. */
type Running = { readonly since: number; line: string };

/** Redraws running gates in place, each with its time and last line; finished gates stay above them. */
function liveProgress(format: OutputFormat, paint: Paint, columns: number, rows: number): Progress {
  const live = openLiveLines(columns, (text) => void writeAll(2, text));
  const running = new Map<string, Running>();
  const draw = (): void => live.show(runningLines(running, format, Math.max(1, rows - 2), paint));
  const timer = setInterval(draw, REDRAW_MS).unref();
  // A second signal ends us at once; the cursor must be restored even then.
  process.once('exit', live.end);
  return {
    report: (event) => {
      switch (event.kind) {
        case 'progress':
          for (const line of format.linesOf(event)) print(line);
          return;
        case 'started':
          return void running.set(event.id, { since: Date.now(), line: '' });
        case 'line': {
          const gate = running.get(event.id);
          if (gate !== undefined && event.line.trim() !== '') gate.line = plainText(event.line).trim();
          return;
        }
        case 'finished':
          running.delete(event.result.id);
      }
      live.above(format.linesOf(event));
      draw();
    },
    end: (result) => {
      clearInterval(timer);
      live.show([]);
      live.above(format.end(result));
      live.end();
      process.off('exit', live.end);
    },
  };
}

function runningLines(
  running: ReadonlyMap<string, Running>,
  format: OutputFormat,
  most: number,
  paint: Paint,
) {
  const now = Date.now();
  const lines = [...running].map(([id, { since, line }]) => {
    const seconds = `${((now - since) / 1000).toFixed(1)} s`;
    return `${paint('cyan', format.running(id))} (${seconds}) ${paint('dim', line)}`;
  });
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), paint('dim', `… and ${lines.length - most + 1} more`)];
}
