import { useState } from 'preact/hooks';
import { api, sentence } from '../api';
import { count, day, took } from '../format';
import { useRefreshed } from '../live';
import { Empty, Id, Loading, Search, Time, Trouble } from '../parts/bits';
import { Kind, lookOf } from '../parts/kind';
import { axis, Plot, type Plotted } from '../parts/plot';
import type { Check, Run } from '../types';

/** Runs read at a time. */
const MANY = 200;

type Shape = (path: Path2D, x: number, y: number, size: number) => void;

const cross: Shape = (path, x, y, size) => {
  path.moveTo(x - size, y - size);
  path.lineTo(x + size, y + size);
  path.moveTo(x + size, y - size);
  path.lineTo(x - size, y + size);
};

const circle: Shape = (path, x, y, size) => {
  path.moveTo(x + size, y);
  path.arc(x, y, size, 0, 2 * Math.PI);
};

const triangle: Shape = (path, x, y, size) => {
  path.moveTo(x, y - size);
  path.lineTo(x + size, y + size);
  path.lineTo(x - size, y + size);
  path.closePath();
};

/** Every outcome of a run has a colour and a shape. */
const MARKS = [
  { tone: 'pass', word: 'Passed', shape: circle },
  { tone: 'deny', word: 'Failed', shape: cross },
  { tone: 'held', word: 'Error', shape: triangle },
  { tone: 'quiet', word: 'Other', shape: circle },
] as const;

const COLOURS = { pass: 'pass', deny: 'deny', held: 'held', quiet: 'text-2' } as const;

function runsPlot(runs: readonly Run[], colour: (name: string) => string): Plotted {
  const ordered = [...runs].sort((one, two) => Date.parse(one.at) - Date.parse(two.at));
  const times = ordered.map(({ at }) => Date.parse(at) / 1000);
  const seconds = ordered.map(({ ms }) => Math.max(0.05, (ms ?? 0) / 1000));
  const most = Math.max(1, ...seconds);
  return {
    data: [times, seconds],
    options: {
      legend: { show: false },
      cursor: { show: false },
      padding: [10, 12, 0, 0],
      scales: { y: { range: [0, most * 1.1] }, x: { range: (_, from, to) => spread(from, to) } },
      axes: [
        axis(colour, {
          space: 90,
          values: (_, at) => at.map((time) => tick(time * 1000)),
        }),
        axis(colour, {
          size: 56,
          values: (_, at) => at.map((value) => (value === 0 ? '0' : took(value * 1000))),
        }),
      ],
      series: [{}, { paths: () => null, points: { show: false } }],
      hooks: {
        draw: [
          (plot) => {
            for (const { tone, shape } of MARKS) {
              const path = new Path2D();
              ordered.forEach(({ status }, index) => {
                if (lookOf(status).tone !== tone) return;
                const x = plot.valToPos(times[index] ?? 0, 'x', true);
                const y = plot.valToPos(seconds[index] ?? 0, 'y', true);
                shape(path, x, y, 3.5 * devicePixelRatio);
              });
              plot.ctx.strokeStyle = colour(COLOURS[tone]);
              plot.ctx.lineWidth = 1.6 * devicePixelRatio;
              plot.ctx.stroke(path);
            }
          },
        ],
      },
    },
  };
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** The time, or the day at midnight. */
function tick(ms: number): string {
  const words = clock.format(ms);
  return words === '00:00' ? day(ms) : words;
}

/** Adds some time at both ends, which a single run needs. */
function spread(from: number, to: number): [number, number] {
  const edge = Math.max(60, (to - from) * 0.02);
  return [from - edge, to + edge];
}

function checkName({ id, name }: Check): string {
  return name ?? (id ?? 'check').replace(/^(check|review):/, '').replace(/^\.:/, '');
}

function RunRow({ run }: { run: Run }) {
  const { at, project, branch, session, machine, status, ms, checks, lines } = run;
  const bad = checks.filter((check) => ['deny', 'held'].includes(lookOf(check.status ?? '').tone));
  return (
    <li>
      <details class="run">
        <summary data-item>
          <Kind kind={status} />
          <Time at={at} />
          <span class="number">{took(ms)}</span>
          <span>
            {project.name} <span class="mono quiet-text">{branch}</span>
          </span>
          <span class="quiet-text run-checks">
            {bad.length > 0 ? bad.map(checkName).join(', ') : count(checks.length, 'check')}
          </span>
        </summary>
        <div class="run-body">
          <p class="quiet-text">
            Session <Id id={session} />, on {machine.name}
          </p>
          {checks.length > 0 && (
            <ul class="checks">
              {checks.map((check) => (
                <li key={checkName(check)}>
                  <Kind kind={check.status ?? 'unknown'} /> <span class="mono">{checkName(check)}</span>{' '}
                  <span class="quiet-text">{took(check.durationMs ?? check.ms)}</span>
                </li>
              ))}
            </ul>
          )}
          {lines.length > 0 ? (
            <pre class="lines">{lines.join('\n')}</pre>
          ) : (
            <p class="quiet-text">The run printed nothing that explains it.</p>
          )}
        </div>
      </details>
    </li>
  );
}

function fits({ project, branch, session, status, checks, lines }: Run, text: string): boolean {
  const all = [project.name, branch, session, status, ...checks.map(checkName), ...lines]
    .join(' ')
    .toLowerCase();
  return all.includes(text.toLowerCase());
}

function Figures({ runs }: { runs: readonly Run[] }) {
  const times = runs.map(({ ms }) => ms ?? 0).sort((one, two) => one - two);
  const failures = runs.filter(({ status }) => lookOf(status).tone === 'deny').length;
  return (
    <>
      {count(runs.length, 'run')}, {count(failures, 'failure')}, median{' '}
      {took(times[Math.floor(times.length / 2)])}
    </>
  );
}

export function Gates() {
  const [runs, setRuns] = useState<readonly Run[] | null>(null);
  /** Where to read further back, once the newest page has been read. */
  const [next, setNext] = useState<string | null>();
  const [error, setError] = useState<string | null>(null);
  const [text, setText] = useState('');
  const read = (before?: string) => {
    api.runs({ limit: MANY, before }).then(
      (page) => {
        // A refresh of the newest page keeps what was read further back.
        setRuns((old) => (before ? [...(old ?? []), ...page.items] : joined(page.items, old ?? [])));
        setNext((old) => (before || old === undefined ? page.next : old));
        setError(null);
      },
      (thrown: unknown) => setError(sentence(thrown)),
    );
  };
  useRefreshed(() => read(), 15_000);
  const found = (runs ?? []).filter((run) => fits(run, text));
  return (
    <section aria-labelledby="view-title">
      <div class="view-head">
        <h1 id="view-title">Gates</h1>
        <span class="figures">{found.length > 0 && <Figures runs={found} />}</span>
        <Search label="Filter runs" value={text} set={setText} />
      </div>
      {error && <Trouble text={error} again={() => read()} />}
      {runs === null && !error && <Loading />}
      {runs?.length === 0 && (
        <Empty title="No gate has run yet">
          <p>
            Gates are the checks that run when an agent ends its turn. Add one under <code>gates</code> in a
            project’s config, and each run appears here with its duration and the lines that tell why it
            failed.
          </p>
        </Empty>
      )}
      {runs && runs.length > 0 && found.length === 0 && (
        <Empty title="No run matches">
          <p>Clear the filter to see all {runs.length.toLocaleString('en')}.</p>
        </Empty>
      )}
      {found.length > 0 && (
        <>
          <figure>
            <figcaption>
              Duration of each run
              <span class="marks">
                <Kind kind="passed" /> <Kind kind="failed" /> <span class="kind held">△ Error</span>
              </span>
            </figcaption>
            <Plot
              of={found.map(({ id }) => id).join()}
              height={180}
              label="Duration of each run over time; the list below has the same figures."
              plotted={(colour) => runsPlot(found, colour)}
            />
          </figure>
          <ul class="runs" aria-label="Runs, newest first">
            {found.map((run) => (
              <RunRow key={`${run.machine.id} ${run.id}`} run={run} />
            ))}
          </ul>
          {next && (
            <button type="button" onClick={() => read(next)}>
              Read further back
            </button>
          )}
        </>
      )}
    </section>
  );
}

function joined(head: readonly Run[], old: readonly Run[]): readonly Run[] {
  const have = new Set(head.map(({ machine, id }) => `${machine.id} ${id}`));
  const oldest = head.at(-1)?.at ?? '';
  return [...head, ...old.filter(({ machine, id, at }) => at <= oldest && !have.has(`${machine.id} ${id}`))];
}
