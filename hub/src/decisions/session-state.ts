import type { Queries } from '../db/database.js';
import type { DecisionRow } from './shape.js';

/** What new decisions say about their session. */
interface SessionState {
  readonly machine_id: string;
  readonly id: string;
  readonly project_id: string;
  readonly branch: string;
  /** Null if only people or commands acted, not the agent's hooks. */
  readonly host: string | null;
  readonly doing: string | null;
  readonly held_by: readonly string[];
  readonly held_since: string | null;
  /** All of these decisions held, so an earlier hold may continue. */
  readonly continues: boolean;
  /** Nothing was decided yet, so holds stay as they are. */
  readonly keeps: boolean;
  readonly last_at: string;
  readonly ended_at: string | null;
}

/** Updates sessions with new decisions. News older than what is stored changes nothing. */
export async function updateSessions(queries: Queries, rows: readonly DecisionRow[]): Promise<void> {
  const states = statesOf(rows);
  if (states.length === 0) return;
  await queries.query(
    `insert into sessions as s
       (machine_id, id, project_id, branch, host, doing, held_by, held_since, last_at, ended_at)
     select r.machine_id, r.id, r.project_id, r.branch, coalesce(r.host, old.host, ''), coalesce(r.doing, old.doing),
       case when r.keeps then coalesce(old.held_by, '{}') else r.held_by end,
       case when r.keeps then old.held_since
         when r.continues and old.held_by && r.held_by then coalesce(old.held_since, r.held_since)
         else r.held_since end,
       r.last_at, r.ended_at
     from jsonb_to_recordset($1::text::jsonb) as r(machine_id text, id text, project_id text, branch text, host text,
       doing text, held_by text[], held_since timestamptz, continues boolean, keeps boolean, last_at timestamptz,
       ended_at timestamptz)
     left join sessions old on old.machine_id = r.machine_id and old.id = r.id
     order by r.machine_id, r.id
     on conflict (machine_id, id) do update set project_id = excluded.project_id, branch = excluded.branch,
       host = excluded.host, doing = excluded.doing, held_by = excluded.held_by, held_since = excluded.held_since,
       last_at = excluded.last_at, ended_at = excluded.ended_at
     where excluded.last_at >= s.last_at`,
    [JSON.stringify(states)],
  );
}

function statesOf(rows: readonly DecisionRow[]): SessionState[] {
  const sessions = new Map<string, DecisionRow[]>();
  for (const row of rows) {
    if (row.session === '') continue;
    const key = JSON.stringify([row.machine_id, row.session]);
    const known = sessions.get(key);
    if (known) known.push(row);
    else sessions.set(key, [row]);
  }
  return [...sessions.values()].map(stateOf);
}

function stateOf(rows: DecisionRow[]): SessionState {
  const ordered = rows.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const last = ordered[ordered.length - 1] as DecisionRow;
  const ended = ordered.findLast(({ event }) => isEnd(event));
  const isOver = ended !== undefined && !ordered.some(({ at, event }) => at > ended.at && !isEnd(event));
  // A line about a check that started says nothing about holds.
  const deciding = ordered.filter(({ kind }) => kind !== 'started');
  const firstOfStreak = deciding.findLastIndex(({ held }) => !held) + 1;
  const streak = isOver ? [] : deciding.slice(firstOfStreak);
  const hooks = ordered.findLast(({ host }) => host !== 'command line' && host !== 'hub');
  return {
    machine_id: last.machine_id,
    id: last.session,
    project_id: last.project_id,
    branch: last.branch,
    host: hooks?.host ?? null,
    doing: hooks ? doingOf(hooks) : null,
    held_by: streak.at(-1)?.rules ?? [],
    held_since: sinceOf(streak),
    continues: firstOfStreak === 0,
    keeps: deciding.length === 0,
    last_at: last.at,
    ended_at: isOver ? ended.at : null,
  };
}

/** When the last holds in a row that share a rule began. */
function sinceOf(streak: readonly DecisionRow[]): string | null {
  const last = streak.at(-1);
  if (!last) return null;
  const other = streak.findLastIndex(({ rules }) => !rules.some((rule) => last.rules.includes(rule)));
  return streak[other + 1]?.at ?? last.at;
}

function isEnd(event: string): boolean {
  return /^session[._ ]?(end|deleted)/i.test(event);
}

const words: Readonly<Record<string, string>> = {
  sessionstart: 'starting',
  sessionend: 'ended',
  userpromptsubmit: 'reading a prompt',
  stop: 'ending its turn',
  subagentstop: 'a subagent ends',
  precompact: 'compacting its context',
};

/** The tool or the event and its result, in a few words. */
function doingOf({ tool, event, held, kind, rules, body }: DecisionRow): string {
  const what = tool || words[event.toLowerCase().replaceAll(/[^a-z]/g, '')] || event;
  const status = body['status'];
  if (held)
    return `${what}: ${kind === 'ask' ? 'asked' : 'held'} by ${rules.join(', ') || 'a rule'}`.slice(0, 200);
  if (typeof status === 'string' && status !== '')
    return `${what}: ${status.replaceAll('_', ' ')}`.slice(0, 200);
  return what.slice(0, 200);
}
