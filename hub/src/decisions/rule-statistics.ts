import type { Database, Queries } from '../db/database.js';
import { ApiError } from '../http/errors.js';
import type { Hub } from '../hub.js';

const weekMs = 7 * 86_400_000;
const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: weekMs };

/** What one rule did in one project. Times until a hold was cleared are in seconds. */
export interface RuleStatistics {
  readonly rule: string;
  readonly project: { readonly id: string; readonly name: string } | null;
  held: number;
  /** How often it only warned, and how often it would have acted in shadow mode. */
  warned: number;
  shadowed: number;
  /** How often a person was asked: in the agent's own dialog, or here. */
  asked: number;
  cleared: { readonly median: number | null; readonly p90: number | null };
  by: Record<string, number>;
  falseAlarms: number;
  /** Holds per week, oldest first. */
  readonly weeks: number[];
}

export interface RuleQuestion {
  readonly since: Date;
  readonly now: Date;
  readonly project?: string | undefined;
}

/** `30d`, `12w`, `48h`, or a date; at most a year back. */
function readSince(text: string | undefined, now: Date): Date {
  const age = /^(\d{1,4})([hdw])$/.exec(text || '30d');
  const at = age ? now.getTime() - Number(age[1]) * (unitMs[age[2] ?? ''] ?? 0) : Date.parse(text ?? '');
  if (Number.isNaN(at)) throw new ApiError(422, 'since', 'since: give an age such as 30d or 12w, or a date.');
  return new Date(Math.max(at, now.getTime() - 53 * weekMs));
}

interface Counted {
  readonly rule: string;
  readonly project_id: string;
  readonly project_name: string | null;
  readonly week: number;
  readonly held: number;
  readonly asked: number;
}

interface OfRule {
  readonly rule: string;
  readonly project_id: string;
}

/** JIT is off: compiling these queries takes the database longer than running them. */
export function ruleStatistics(db: Database, question: RuleQuestion): Promise<RuleStatistics[]> {
  return db.tx(async (queries) => {
    await queries.query('set local jit = off');
    return readStatistics(queries, question);
  });
}

async function readStatistics(db: Queries, question: RuleQuestion): Promise<RuleStatistics[]> {
  const { since, now, project = null } = question;
  const given = [since, project] as const;
  const counted = await db.query<Counted>(
    `select c.*, p.name as project_name from (
       select rule, project_id, floor(extract(epoch from ($3::timestamptz - at)) / 604800)::int as week,
         count(*) as held, count(*) filter (where kind = 'ask') as asked
       from decisions, unnest(rules) as rule
       where held and at >= $1 and ($2::text is null or project_id = $2)
       group by rule, project_id, week
     ) c left join projects p on p.id = c.project_id`,
    [...given, now],
  );
  const items = new Map<string, RuleStatistics>();
  const weeks = Math.max(1, Math.ceil((now.getTime() - since.getTime()) / weekMs));
  for (const row of counted) addCounts(items, row, weeks);
  for (const row of await warnings(db, given)) {
    const item = itemOf(items, row, weeks);
    item.warned += row.warned;
    item.shadowed += row.shadowed;
  }
  const asked = await db.query<OfRule & { readonly asked: number }>(
    `select r.rule, r.project_id, count(*) as asked from requests r
     left join decisions d on d.machine_id = r.machine_id and d.id = r.decision_id
     where r.since >= $1 and ($2::text is null or r.project_id = $2) and d.kind is distinct from 'ask'
     group by r.rule, r.project_id`,
    given,
  );
  for (const row of asked) {
    const item = items.get(keyOf(row));
    if (item) item.asked += row.asked;
  }
  const marked = await db.query<OfRule & { readonly marks: number }>(
    `select rule, d.project_id, count(*) as marks from marks k
     join decisions d on d.machine_id = k.machine_id and d.id = k.decision_id
     cross join lateral (
       select unnest(d.rules) as rule union
       select ground->>'rule' from
         jsonb_path_query(d.body, '$.verdicts[*] ? (@.verdict == "shadow").grounds[*]') as ground
       where d.rules = '{}'
     ) named
     where k.mark = 'false-alarm' and d.at >= $1 and ($2::text is null or d.project_id = $2)
     group by rule, d.project_id`,
    given,
  );
  for (const row of marked) {
    const item = items.get(keyOf(row));
    if (item) item.falseAlarms = row.marks;
  }
  addClears(items, await holdEnds(db, given));
  const spoken = ({ warned, shadowed }: RuleStatistics): number => warned + shadowed;
  return [...items.values()].sort(
    (a, b) => b.held - a.held || spoken(b) - spoken(a) || a.rule.localeCompare(b.rule),
  );
}

function addCounts(items: Map<string, RuleStatistics>, row: Counted, weeks: number): void {
  const { week, held, asked } = row;
  const item = itemOf(items, row, weeks);
  const place = Math.min(Math.max(weeks - 1 - week, 0), weeks - 1);
  item.weeks[place] = (item.weeks[place] ?? 0) + held;
  item.held += held;
  item.asked += asked;
}

type Named = OfRule & { readonly project_name: string | null };

function itemOf(items: Map<string, RuleStatistics>, row: Named, weeks: number): RuleStatistics {
  const { rule, project_id, project_name } = row;
  const known = items.get(keyOf(row));
  if (known) return known;
  const fresh: RuleStatistics = {
    rule,
    project: project_id ? { id: project_id, name: project_name ?? project_id } : null,
    held: 0,
    warned: 0,
    shadowed: 0,
    asked: 0,
    cleared: { median: null, p90: null },
    by: {},
    falseAlarms: 0,
    weeks: new Array<number>(weeks).fill(0),
  };
  items.set(keyOf(row), fresh);
  return fresh;
}

/** What rules warned about, and what rules in shadow mode would have done. */
function warnings(
  db: Queries,
  given: readonly [Date, string | null],
): Promise<(Named & { readonly warned: number; readonly shadowed: number })[]> {
  return db.query(
    `select c.*, p.name as project_name from (
       select rule, project_id, count(*) filter (where not shadow) as warned, count(*) filter (where shadow) as shadowed
       from (
         select rule, project_id, false as shadow from decisions, unnest(rules) as rule
         where kind = 'advise' and at >= $1 and ($2::text is null or project_id = $2)
         union all
         select ground->>'rule', project_id, true from decisions,
           jsonb_path_query(body, '$.verdicts[*] ? (@.verdict == "shadow").grounds[*]') as ground
         where body @> '{"verdicts":[{"verdict":"shadow"}]}' and at >= $1 and ($2::text is null or project_id = $2)
       ) spoken where rule <> '' group by rule, project_id
     ) c left join projects p on p.id = c.project_id`,
    given,
  );
}

interface Cleared extends OfRule {
  readonly actor: string;
  readonly seconds: number;
}

/**
 * How holds ended: by a change that names the rule, by an approval, or because the same call passed. Only
 * looks at the newest holds, 30 of each rule, and at the 50 decisions after each, to stay fast with any
 * amount of data. Holds that ended by the same act count as one, from the first.
 */
function holdEnds(db: Queries, given: readonly [Date, string | null]): Promise<Cleared[]> {
  return db.query<Cleared>(
    `with holds as (
       select * from (
         select rule, project_id, machine_id, session, at, seq, event, tool,
           row_number() over (partition by rule, project_id order by at desc, seq desc) as place
         from (
           select * from decisions
           where held and at >= $1 and ($2::text is null or project_id = $2) and session <> ''
           order by at desc, seq desc limit 10000
         ) d, unnest(rules) as rule
       ) newest where place <= 30
     )
     select h.rule, h.project_id, e.actor, extract(epoch from e.at - min(h.at))::float8 as seconds
     from holds h cross join lateral (
       (select c.at, c.actor from (
          select * from decisions d
          where d.machine_id = h.machine_id and d.session = h.session and (d.at, d.seq) > (h.at, h.seq)
          order by d.at, d.seq limit 50
        ) c
        where c.kind <> 'started' and (
          (not c.held and c.event = h.event and c.tool = h.tool and not c.rules @> array[h.rule])
          or (c.host = 'command line' and c.event ~ 'satisfy|approve|waive'
              and h.rule = any(regexp_split_to_array(c.tool, '[ ,]+')))
          or exists (
            select 1 from jsonb_array_elements_text(
              case when jsonb_typeof(c.body->'changes') = 'array' then c.body->'changes' else '[]'::jsonb end) as change
            where change ~ '^(satisfied|approved|waived) ' and h.rule = any(regexp_split_to_array(change, '[ ,]+'))))
        order by c.at, c.seq limit 1)
       union all
       (select r.answered_at, 'person' from requests r
        where r.machine_id = h.machine_id and r.project_id = h.project_id and r.rule = h.rule
          and r.session = h.session and r.answer = 'approve' and r.answered_at >= h.at
        order by r.answered_at limit 1)
       order by at limit 1
     ) e
     group by h.rule, h.project_id, h.machine_id, h.session, e.at, e.actor`,
    given,
  );
}

function addClears(items: Map<string, RuleStatistics>, cleared: readonly Cleared[]): void {
  const times = new Map<RuleStatistics, number[]>();
  for (const { actor, seconds, ...of } of cleared) {
    const item = items.get(keyOf(of));
    if (!item) continue;
    const who = actor || 'unknown';
    item.by[who] = (item.by[who] ?? 0) + 1;
    times.set(item, [...(times.get(item) ?? []), seconds]);
  }
  for (const [item, seconds] of times) {
    seconds.sort((a, b) => a - b);
    item.cleared = { median: part(seconds, 0.5), p90: part(seconds, 0.9) };
  }
}

function part(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

function keyOf({ rule, project_id }: OfRule): string {
  return JSON.stringify([rule, project_id]);
}

interface Kept {
  readonly items: Promise<RuleStatistics[]>;
  readonly until: number;
}

const manyHolds = 5000;
const keptMs = 30_000;

/** Statistics of many holds are kept for a while, and shared by all who ask for them; those of few are always computed. */
export function openRuleStatistics(
  hub: Hub,
): (since: string | undefined, project?: string) => Promise<RuleStatistics[]> {
  const kept = new Map<string, Kept>();
  return async (since, project) => {
    const now = hub.clock();
    const question = { since: readSince(since, now), now, project };
    const key = JSON.stringify([since ?? '', project ?? '']);
    const last = kept.get(key);
    if (last && performance.now() < last.until) return last.items;
    const items = ruleStatistics(hub.db, question);
    if (kept.size >= 100) kept.clear();
    kept.set(key, { items, until: performance.now() + keptMs });
    const holds = await items.then(
      (all) => all.reduce((sum, { held }) => sum + held, 0),
      () => 0,
    );
    if (holds <= manyHolds) kept.delete(key);
    return items;
  };
}
