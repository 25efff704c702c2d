import { useState } from 'preact/hooks';
import { api, sentence } from '../api';
import { NO_FILTERS, setFilters } from '../decisions';
import { count, day, duration } from '../format';
import { useRefreshed } from '../live';
import { Empty, Reading, Search } from '../parts/bits';
import { Plot, percent } from '../parts/plot';
import { go } from '../state';
import type { RuleStats } from '../types';

const PERIODS = [
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['365d', 'a year'],
] as const;

const WEEK = 7 * 86_400_000;
/** Rules shown before "more". */
const MANY = 200;

const keyOf = ({ rule, project }: RuleStats) => `${project?.id ?? ''} ${rule}`;

function perWeek(rules: readonly RuleStats[]): number[] {
  const length = Math.max(0, ...rules.map(({ weeks }) => weeks.length));
  return Array.from({ length }, (_, index) =>
    rules.reduce((sum, { weeks }) => sum + (weeks[index - (length - weeks.length)] ?? 0), 0),
  );
}

/** Bars of holds per week; the last one is the current week. */
function Trend({ weeks, about }: { weeks: readonly number[]; about: string }) {
  const { length } = weeks;
  const most = Math.max(2, ...weeks);
  const top = most + (most % 2);
  const middle = (index: number) => (index + 0.5) / length;
  const step = Math.ceil(length / 4);
  const ticks = weeks.flatMap((_, index) =>
    (length - 1 - index) % step === 0
      ? [[middle(index), day(Date.now() - (length - index) * WEEK)] as const]
      : [],
  );
  const label = `Holds a week for ${about}, oldest first: ${weeks.join(', ')}`;
  return (
    <Plot label={label} most={top} words={number} ticks={ticks}>
      {weeks.map((held, index) => (
        <span
          key={index}
          class="plot-bar"
          style={{
            left: percent(middle(index)),
            width: percent(0.7 / length),
            height: percent(held / top),
          }}
        />
      ))}
    </Plot>
  );
}

const number = (value: number) => value.toLocaleString('en');
const seconds = (value: number | null) => (value === null ? '–' : duration(value));

/** The columns of figures, each with its explanation. */
const FIGURES: readonly (readonly [string, string | undefined, (stats: RuleStats) => string])[] = [
  ['Held', undefined, ({ held }) => number(held)],
  ['Warned', undefined, ({ warned }) => number(warned)],
  ['Shadow', 'What rules in shadow mode would have held', ({ shadowed }) => number(shadowed)],
  ['Asked', undefined, ({ asked }) => number(asked)],
  [
    'Satisfied after',
    'The median time from the hold until it was satisfied',
    ({ cleared }) => seconds(cleared.median),
  ],
  [
    '9 of 10 after',
    'Nine of ten holds were satisfied within this time',
    ({ cleared }) => seconds(cleared.p90),
  ],
];

function byWords(by: RuleStats['by']): string {
  return Object.entries(by)
    .filter(([, n]) => n > 0)
    .sort(([, one], [, two]) => two - one)
    .map(([who, n]) => `${who} ${number(n)}`)
    .join(', ');
}

interface RowProps {
  readonly stats: RuleStats;
  readonly isChosen: boolean;
  readonly choose: () => void;
}

function Row({ stats, isChosen, choose }: RowProps) {
  const { rule, project, held, warned, shadowed, by, falseAlarms } = stats;
  const occasions = held + warned + shadowed;
  return (
    <tr class={isChosen ? 'chosen' : undefined}>
      <th scope="row">
        <button type="button" class="link mono" data-item aria-pressed={isChosen} onClick={choose}>
          {rule}
        </button>
        <span class="quiet-text"> {project?.name}</span>
      </th>
      {FIGURES.map(([label, , figure]) => (
        <td key={label} class="number" data-label={label}>
          {figure(stats)}
        </td>
      ))}
      <td data-label="By">{byWords(by) || '–'}</td>
      <td class="number" data-label="False alarms">
        {number(falseAlarms)}
        {occasions > 0 && falseAlarms > 0 && (
          <span class="quiet-text"> ({Math.max(1, Math.round((100 * falseAlarms) / occasions))} %)</span>
        )}
      </td>
      <td class="act">
        <button
          type="button"
          class="link"
          aria-label={`Decisions of ${rule}`}
          onClick={() => {
            setFilters({ ...NO_FILTERS, rule, held: true });
            go('decisions');
          }}
        >
          Decisions
        </button>
      </td>
    </tr>
  );
}

function Table({
  rules,
  chosen,
  choose,
}: {
  rules: readonly RuleStats[];
  chosen: string | null;
  choose: (key: string) => void;
}) {
  const [shown, setShown] = useState(MANY);
  return (
    <>
      <table class="stack">
        <caption class="unseen">Rules by how often they held</caption>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            {FIGURES.map(([label, title]) => (
              <th key={label} scope="col" class="number" title={title}>
                {label}
              </th>
            ))}
            <th scope="col">By</th>
            <th scope="col" class="number">
              False alarms
            </th>
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.slice(0, shown).map((stats) => (
            <Row
              key={keyOf(stats)}
              stats={stats}
              isChosen={keyOf(stats) === chosen}
              choose={() => choose(keyOf(stats))}
            />
          ))}
        </tbody>
      </table>
      {rules.length > shown && (
        <button type="button" onClick={() => setShown(shown + MANY)}>
          Show {count(Math.min(MANY, rules.length - shown), 'more rule')}
        </button>
      )}
    </>
  );
}

export function Rules() {
  const [period, setPeriod] = useState<string>('90d');
  const [rules, setRules] = useState<readonly RuleStats[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [text, setText] = useState('');
  const read = () => {
    api.rules(period).then(
      ({ items }) => {
        setRules([...items].sort((one, two) => two.held - one.held));
        setError(null);
      },
      (thrown: unknown) => setError(sentence(thrown)),
    );
  };
  useRefreshed(read, 60_000, [period]);
  const found = (rules ?? []).filter(({ rule, project }) =>
    `${rule} ${project?.name ?? ''}`.toLowerCase().includes(text.toLowerCase()),
  );
  const one = found.find((stats) => keyOf(stats) === chosen);
  const weeks = perWeek(one ? [one] : found);
  const about = one ? one.rule : 'all rules';
  return (
    <section aria-labelledby="view-title">
      <div class="flow view-head">
        <h1 id="view-title">Rules</h1>
        <span class="figures">{rules && rules.length > 0 && count(rules.length, 'rule')}</span>
        <div class="flow filters">
          <Search label="Filter rules" value={text} set={setText} />
          <select
            aria-label="Period"
            value={period}
            onChange={(event) => setPeriod(event.currentTarget.value)}
          >
            {PERIODS.map(([value, words]) => (
              <option key={value} value={value}>
                Last {words}
              </option>
            ))}
          </select>
        </div>
      </div>
      <Reading error={error} done={rules !== null} again={read} />
      {rules?.length === 0 && (
        <Empty title="No rule has held yet">
          <p>
            As soon as a rule holds an agent, it is counted here: how often, how long until it was satisfied
            and by whom, and how many of its holds were marked as false alarms. Choose a longer period to look
            further back.
          </p>
        </Empty>
      )}
      {rules && rules.length > 0 && found.length === 0 && (
        <Empty title="No rule matches">
          <p>Clear the filter to see all {rules.length}.</p>
        </Empty>
      )}
      {found.length > 0 && (
        <>
          <figure>
            <figcaption class="flow">
              <span>
                Holds a week, <span class={one && 'mono'}>{about}</span>
              </span>
              {one && (
                <button type="button" class="link" onClick={() => setChosen(null)}>
                  Show all rules
                </button>
              )}
            </figcaption>
            <Trend weeks={weeks} about={about} />
          </figure>
          <Table rules={found} chosen={chosen} choose={(key) => setChosen(key === chosen ? null : key)} />
        </>
      )}
    </section>
  );
}
