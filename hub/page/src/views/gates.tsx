import { useState } from 'preact/hooks';
import { api, sentence } from '../api';
import { count, day, took } from '../format';
import { useRefreshed } from '../live';
import { Empty, Id, Reading, Search, Time } from '../parts/bits';
import { Icon } from '../parts/icon';
import { Kind, lookOf } from '../parts/kind';
import { Plot, percent } from '../parts/plot';
import type { Check, Run } from '../types';

/** Runs read at a time. */
const MANY = 200;

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const DAY = 86_400_000;

function RunsPlot({ runs }: { runs: readonly Run[] }) {
  const times = runs.map(({ at }) => Date.parse(at));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  // Some time at both ends, which a single run needs.
  const edge = Math.max(60_000, (last - first) * 0.02);
  const [from, span] = [first - edge, last - first + 2 * edge];
  const most = Math.max(1000, ...runs.map(({ ms }) => ms ?? 0));
  const tick = (share: number) => (span > DAY ? day : clock.format)(from + span * share);
  return (
    <Plot
      label="Duration of each run over time; the list below has the same figures."
      most={most}
      words={(ms) => (ms === 0 ? '0' : took(ms))}
      ticks={[0, 1 / 3, 2 / 3, 1].map((share) => [share, tick(share)])}
    >
      {runs.map(({ machine, id, at, ms, status }) => {
        const { tone, icon } = lookOf(status);
        const place = { left: percent((Date.parse(at) - from) / span), bottom: percent((ms ?? 0) / most) };
        return (
          <span key={`${machine.id} ${id}`} class={`plot-mark ${tone}`} style={place}>
            <Icon name={icon} />
          </span>
        );
      })}
    </Plot>
  );
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
            <ul class="flow checks">
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
      <div class="flow view-head">
        <h1 id="view-title">Gates</h1>
        <span class="figures">{found.length > 0 && <Figures runs={found} />}</span>
        <Search label="Filter runs" value={text} set={setText} />
      </div>
      <Reading error={error} done={runs !== null} again={() => read()} />
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
            <figcaption class="flow">
              Duration of each run
              <span class="flow marks">
                <Kind kind="passed" /> <Kind kind="failed" /> <Kind kind="error" />
              </span>
            </figcaption>
            <RunsPlot runs={found} />
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
