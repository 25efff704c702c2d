import { writeAll } from '../../exec/standard-io';
import { plainLines, plainText, startLine } from '../../guards/gates/run/messages';
import type { RunEvent } from '../../guards/gates/run/run';
import { openLiveLines } from '../output/live-lines';
import { type Output, openOutput, type Style } from '../output/output';
import { isOnTheWay, type Progress } from './progress';

const REDRAW_MS = 150;

interface Running {
  readonly since: number;
  /** The last thing it printed. */
  line: string;
}

/** Where progress is drawn: a terminal on standard error. */
interface Terminal {
  readonly columns: number;
  readonly rows: number;
}

/** Running gates are drawn in place, each with its time and its last line; what is finished stays above them. */
export function liveProgress(out: Output, env: NodeJS.ProcessEnv, { columns, rows }: Terminal): Progress {
  const { style } = openOutput({ env, isTerminal: true });
  const live = openLiveLines({ isTerminal: true, columns, write: (text) => void writeAll(2, text) });
  const running = new Map<string, Running>();
  const draw = (): void => live.show(picture(running, Math.max(1, rows - 2), style));
  const timer = setInterval(draw, REDRAW_MS).unref();
  // A second signal ends us at once; the cursor must come back even then.
  process.once('exit', live.end);
  return {
    report: (event) => {
      if (event.kind === 'progress') for (const line of plainLines(event)) out.line(style('dim', line));
      else if (event.kind === 'started') running.set(event.id, { since: Date.now(), line: '' });
      else if (event.kind === 'line') note(running.get(event.id), event.line);
      else {
        if (event.kind === 'finished') running.delete(event.result.id);
        live.above(plainLines(event).map((line) => coloured(line, event, style)));
        draw();
      }
    },
    end: () => {
      clearInterval(timer);
      live.show([]);
      live.end();
      process.off('exit', live.end);
    },
  };
}

function note(gate: Running | undefined, line: string): void {
  if (gate !== undefined && line.trim() !== '') gate.line = plainText(line).trim();
}

type Paint = (style: Style, text: string) => string;

function picture(running: ReadonlyMap<string, Running>, most: number, style: Paint): string[] {
  const now = Date.now();
  const lines = [...running].map(([id, { since, line }]) => {
    const seconds = `${((now - since) / 1000).toFixed(1)}s`;
    return `${style('cyan', startLine(id))} (${seconds}) ${style('dim', line)}`;
  });
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), style('dim', `… and ${lines.length - most + 1} more`)];
}

const COLOURS = { pass: 'green', cached: 'green', skipped: 'yellow', fail: 'red', error: 'red' } as const;

function coloured(line: string, event: RunEvent, style: Paint): string {
  if (event.kind === 'finished' && !line.startsWith(' ')) return style(COLOURS[event.result.status], line);
  if (event.kind === 'warning') return style('yellow', line);
  return isOnTheWay(event) ? style('dim', line) : style('bold', line);
}
