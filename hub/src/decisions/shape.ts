import * as v from 'valibot';

const name = v.nullish(v.string(), '');

/** Characters that change the order in which text is shown, or what a terminal does. */
const misleading = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\t\n\r]/gu;

/** Text for people: what they read must be what was sent. */
export const text = (most: number) =>
  v.pipe(
    v.string(),
    v.maxLength(most),
    v.transform((words) => words.replace(misleading, '\ufffd')),
  );

export const projectShape = v.pipe(
  v.object({
    id: v.pipe(v.string(), v.minLength(1), v.maxLength(600)),
    name: v.nullish(text(600)),
  }),
  v.transform(({ id, name: given }) => ({ id, name: given || id })),
);

/** Both databases can store times from 1970 up to this one, in any time zone; PostgreSQL has no year 0. */
const lastMoment = Date.parse('9999-12-30T00:00:00Z');

export function isStorable(moment: number): boolean {
  return moment >= 0 && moment <= lastMoment;
}

/** Clocks may differ by this much. */
const tolerated = 60_000;

/** An ISO 8601 time with a zone. What a machine's fast clock puts into the future happens now: nothing comes before it. */
export const moment = v.pipe(
  v.string(),
  v.check(
    (text) => /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(text) && isStorable(Date.parse(text)),
    'Give a time such as 2026-03-31T14:00:00.000Z.',
  ),
  v.transform((text) => {
    const [at, now] = [Date.parse(text), Date.now()];
    return new Date(at > now + tolerated ? now : at).toISOString();
  }),
);

/** A journal line with its project. Fields that are not listed here are kept unchanged. */
const decisionShape = v.looseObject({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  at: moment,
  project: projectShape,
  branch: name,
  session: name,
  host: name,
  event: name,
  tool: name,
  actor: name,
  channel: name,
  decision: v.nullish(v.string(), 'nothing'),
});

export const batchShape = v.object({ decisions: v.array(decisionShape) });

export type Decision = v.InferOutput<typeof decisionShape>;

/** A decision as stored in the table. */
export interface DecisionRow {
  readonly machine_id: string;
  readonly id: string;
  readonly at: string;
  readonly project_id: string;
  readonly branch: string;
  readonly session: string;
  readonly host: string;
  readonly event: string;
  readonly tool: string;
  readonly kind: string;
  readonly held: boolean;
  readonly rules: readonly string[];
  readonly actor: string;
  readonly channel: string;
  readonly body: Decision;
}

const holding: ReadonlySet<string> = new Set(['deny', 'hold', 'ask']);

export function rowOf(machine: string, decision: Decision): DecisionRow {
  const { id, at, project, branch, session, host, event, tool, actor, channel, decision: kind } = decision;
  return {
    machine_id: machine,
    id,
    at,
    project_id: project.id,
    branch: cut(branch),
    session: cut(session),
    host: cut(host),
    event: cut(event),
    tool: cut(tool),
    kind: cut(kind),
    held: holding.has(kind),
    rules: rulesIn(decision, holding.has(kind)),
    actor: cut(actor),
    channel: cut(channel),
    body: decision,
  };
}

/** Indexed names must not be long. The body has them in full. */
export function cut(name: string, most = 300): string {
  return name.length > most ? name.slice(0, most).replace(/[\ud800-\udbff]$/, '') : name;
}

/** The rules that gave a verdict, each once: none in shadow mode and, in a hold, none that only warned. */
function rulesIn(decision: Decision, held: boolean): string[] {
  const rules = objectsIn(decision['verdicts'])
    .filter((verdict) => verdict['verdict'] !== 'shadow')
    .flatMap((verdict) => objectsIn(verdict['grounds']))
    .filter((ground) => !held || ground['mode'] !== 'warn')
    .map((ground) => ground['rule'])
    .filter((rule) => typeof rule === 'string' && rule !== '')
    .map((rule) => cut(String(rule)));
  return [...new Set(rules)].slice(0, 100);
}

export function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
