import { useEffect, useRef, useState } from 'preact/hooks';
import {
  atTop,
  failed,
  filters,
  isFiltered,
  keyOf,
  known,
  loading,
  NO_FILTERS,
  next,
  readMore,
  reloadDecisions,
  setFilters,
  shown,
  wantDecisions,
} from '../decisions';
import { count, short, shortTime } from '../format';
import { useKeysOf } from '../keys';
import { Empty, Loading, Search, Trouble } from '../parts/bits';
import { Icon } from '../parts/icon';
import { Kind, kindOf } from '../parts/kind';
import { VirtualList } from '../parts/virtual-list';
import { go, place } from '../state';
import type { Decision } from '../types';
import { Why } from './why';

const narrow = matchMedia('(max-width: 760px)');

/** The rows' height; the style sheet has the same values. */
function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const change = () => setNarrow(narrow.matches);
    narrow.addEventListener('change', change);
    return () => narrow.removeEventListener('change', change);
  }, []);
  return isNarrow ? 60 : 32;
}

function row(item: Decision) {
  const { at, rules, event, tool, project, branch, session, mark } = item;
  return (
    <>
      <span class="cell at mono">{shortTime(at)}</span>
      <span class="pair">
        <Kind kind={kindOf(item)} />
        <span class="cell cut mono">{rules.join(', ')}</span>
      </span>
      <span class="pair second">
        <span class="cell cut event">
          {event} <span class="mono">{tool}</span>
        </span>
        <span class="cell cut where">
          {project.name} <span class="mono">{branch}</span>
        </span>
      </span>
      <span class="cell whose mono">{short(session)}</span>
      <span class="cell marked">{mark === 'false-alarm' && 'False alarm'}</span>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  /** The value and label of each. */
  readonly options: readonly (readonly [string, string])[];
  readonly onPick: (value: string) => void;
}

function Choice({ label, value, options, onPick }: ChoiceProps) {
  const isKnown = value === '' || options.some(([each]) => each === value);
  const all = isKnown ? options : [[value, short(value)] as const, ...options];
  return (
    <select aria-label={label} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
      <option value="">{label}: all</option>
      {all.map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  );
}

function Filters() {
  const { rule, session, project, text, held } = filters.value;
  const { rules, projects, sessions } = known.value;
  return (
    <search class="flow filters" aria-label="Filter decisions">
      <Search label="Filter by text" value={text} set={(value) => setFilters({ text: value })} />
      <Choice
        label="Rule"
        value={rule}
        options={rules.map((each) => [each, each] as const)}
        onPick={(value) => setFilters({ rule: value })}
      />
      <Choice
        label="Project"
        value={project}
        options={projects}
        onPick={(value) => setFilters({ project: value })}
      />
      <Choice
        label="Session"
        value={session}
        options={sessions.map((each) => [each, short(each)] as const)}
        onPick={(value) => setFilters({ session: value })}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={held}
          onChange={(event) => setFilters({ held: event.currentTarget.checked })}
        />
        Held only
      </label>
      {isFiltered.value && (
        <button type="button" class="link" onClick={() => setFilters(NO_FILTERS)}>
          Clear
        </button>
      )}
    </search>
  );
}

function NoRows() {
  if (loading.value) return <Loading />;
  if (isFiltered.value)
    return (
      <Empty title="No decision matches">
        <p>
          {next.value === null
            ? 'Change or clear the filters.'
            : 'None of those read so far. Search further back, or change the filters.'}
        </p>
        {next.value !== null && (
          <button type="button" onClick={readMore}>
            Search further back
          </button>
        )}
      </Empty>
    );
  return (
    <Empty title="No decisions yet">
      <p>
        Every event of an agent that a rule applies to appears here as soon as it is decided. Start an agent
        in a project where Holdpoint is set up, on a machine that has joined this hub.
      </p>
    </Empty>
  );
}

export function Decisions() {
  const rowHeight = useRowHeight();
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string | null>(null);
  const [seen, setSeen] = useState<string | undefined>();
  useEffect(wantDecisions, []);
  const items = shown.value;
  const [, machine, id] = place.value;
  const opened = machine !== undefined && id !== undefined ? { machine, id } : null;
  const open = (item: Decision) => go('decisions', item.machine.id, item.id);
  const close = () => {
    go('decisions');
    box.current?.focus({ preventScroll: true });
  };

  useEffect(() =>
    useKeysOf({
      move: (by) => {
        const at = items.findIndex((item) => keyOf(item) === active);
        const to = items[Math.max(0, Math.min(items.length - 1, at + by))];
        if (!to) return;
        setActive(keyOf(to));
        box.current?.focus({ preventScroll: true });
        if (opened) open(to);
      },
      open: () => {
        const item = items.find((each) => keyOf(each) === active);
        if (item) open(item);
      },
      close: () => {
        if (opened) close();
      },
    }),
  );

  // How many rows arrived above while the reader was further down.
  const newest = items[0] && keyOf(items[0]);
  useEffect(() => {
    if (atTop.value) setSeen(newest);
  }, [newest, atTop.value]);
  const fresh = atTop.value
    ? 0
    : Math.max(
        0,
        items.findIndex((item) => keyOf(item) === seen),
      );

  return (
    <section class={opened ? 'decisions-view with-detail' : 'decisions-view'} aria-labelledby="view-title">
      <div class="flow view-head">
        <h1 id="view-title">Decisions</h1>
        <span class="figures">
          {items.length > 0 && `${count(items.length, 'decision')}${next.value === null ? '' : ' read'}`}
        </span>
        <Filters />
      </div>
      {failed.value && <Trouble text={failed.value} again={reloadDecisions} />}
      <div class="panes">
        <div class="list-pane">
          {fresh > 0 && (
            <button type="button" class="primary fresh" onClick={() => box.current?.scrollTo({ top: 0 })}>
              {count(fresh, 'new decision')}
            </button>
          )}
          {items.length === 0 ? (
            !failed.value && <NoRows />
          ) : (
            <VirtualList
              box={box}
              items={items}
              row={row}
              rowHeight={rowHeight}
              active={active}
              onActive={(item) => setActive(keyOf(item))}
              onOpen={open}
              // The text is only looked up in rows that were read: reading on would load all rows in vain.
              onNearEnd={() => filters.value.text === '' && void readMore()}
              onTop={(is) => {
                atTop.value = is;
              }}
            />
          )}
          {items.length > 0 && filters.value.text !== '' && next.value !== null && (
            <button type="button" class="further" disabled={loading.value} onClick={readMore}>
              Search further back
            </button>
          )}
        </div>
        {opened && (
          <aside class="detail" aria-label="The decision’s details">
            <button type="button" class="plain detail-close" aria-label="Close the details" onClick={close}>
              <Icon name="close" />
            </button>
            <Why key={`${opened.machine} ${opened.id}`} machine={opened.machine} id={opened.id} />
          </aside>
        )}
      </div>
    </section>
  );
}
