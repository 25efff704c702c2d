/** Made-up rows in the shape of the hub's lists. The same every time. */

const MACHINES = [
  { id: 'm-atlas', name: 'atlas' },
  { id: 'm-borealis', name: 'borealis' },
  { id: 'm-ci', name: 'cloud-runner-7' },
];
const PROJECTS = [
  { id: 'p-shop', name: 'acme/webshop' },
  { id: 'p-pay', name: 'acme/payments-service' },
  { id: 'p-docs', name: 'acme/handbook' },
];
const SESSIONS = Array.from(
  { length: 14 },
  (_, n) => `${(0x9f3ac2d1 + n * 7919).toString(16)}-4b1e-4c6f-9d2a-${n}`,
);
const HOSTS = ['claude-code', 'codex', 'gemini-cli', 'copilot-cli'];
const BRANCHES = ['main', 'feature/checkout-redesign', 'fix/refund-rounding', 'chore/deps'];
const RULES = ['commit_plan', 'adr_reviewed', 'tests_green', 'no_secrets', 'migration_approved', 'pr_size'];
const KINDS = [
  'nothing',
  'nothing',
  'nothing',
  'deny',
  'nothing',
  'advise',
  'hold',
  'nothing',
  'ask',
  'nothing',
];
const TOOLS = ['Edit', 'Bash', 'Write', 'Read', ''];

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const isHeld = (kind: string) => kind === 'deny' || kind === 'hold' || kind === 'ask';

export function decision(n: number, at: string) {
  const kind = pick(KINDS, n * 7 + Math.floor(n / 11));
  const tool = pick(TOOLS, n);
  return {
    id: `mwj${n.toString(36)}`,
    at,
    machine: pick(MACHINES, n),
    project: pick(PROJECTS, Math.floor(n / 3)),
    branch: pick(BRANCHES, Math.floor(n / 5)),
    session: pick(SESSIONS, n),
    host: pick(HOSTS, n),
    event: tool === '' ? 'Stop' : 'PreToolUse',
    tool,
    kind,
    held: isHeld(kind),
    rules: kind === 'nothing' ? [] : [pick(RULES, n)],
    actor: 'agent',
    channel: 'hook',
    mark: null as string | null,
  };
}

export type FakeDecision = ReturnType<typeof decision>;

/** Newest first, one every nine seconds. */
export const decisions = (count: number) =>
  Array.from({ length: count }, (_, n) => decision(count - n, ago(n * 9 + 2)));

export function journalOf(row: FakeDecision) {
  const { id, at, host, session, event, tool, actor, channel, branch, kind, rules } = row;
  return {
    id,
    at,
    host,
    session,
    event,
    tool,
    actor,
    channel,
    branch,
    decision: kind,
    verdicts: rules.map((rule) => ({
      guard: 'requirements',
      verdict: kind,
      grounds: [
        {
          rule,
          place: '.holdpoint/config.yaml:14:3',
          fact: `${tool || 'The end of the turn'} needs ${rule}, and nobody has approved it on this branch.`,
          waive: 'a person, with holdpoint waive',
        },
      ],
    })),
    changes: kind === 'nothing' ? [] : [`opened ${rules.join(', ')}`],
    ms: 3,
  };
}

export function request(n: number, seconds: number) {
  return {
    id: `req-${n}`,
    machine: pick(MACHINES, n),
    project: pick(PROJECTS, n),
    branch: pick(BRANCHES, n + 1),
    session: pick(SESSIONS, n),
    rule: pick(RULES, n),
    description: pick(
      [
        'Show the commit plan and wait for an approval before the first edit.',
        'An architecture decision record must be reviewed before code that depends on it.',
        'Database migrations are looked at by a person.',
      ],
      n,
    ),
    scope: pick(['session', 'branch', 'single_use'], n),
    digest: null,
    ttl: n % 2 === 1 ? 28_800 : null,
    plan: pick(
      [
        'Move the price calculation out of the cart component into its own module.\n\n1. Add pricing.ts with the rounding rules from the ADR.\n2. Use it in Cart and in the refund form.\n3. Cover rounding with tests, half cents included.\n4. Remove the old helper.\n5. Update the handbook page about refunds.\n6. Ask for a review.\n7. Squash into two commits: the module, then its use.',
        'I want to record why refunds go through the ledger service, and then switch the client over.',
        'Add a nullable column settled_at to payments and backfill it in batches of 1,000.',
      ],
      n,
    ),
    changes: {
      files: 9 - (n % 3),
      added: 214 + n,
      removed: 38,
      names: [
        'src/cart/Cart.tsx',
        'src/cart/pricing.ts',
        'src/cart/pricing.test.ts',
        'src/refunds/RefundForm.tsx',
        'src/refunds/rounding.ts',
        'docs/handbook/refunds.md',
        'package.json',
      ],
    },
    decision: `mwj${n}`,
    since: ago(seconds),
    answer: null as string | null,
    note: null as string | null,
    answeredBy: null as string | null,
    closedAt: null as string | null,
  };
}

export type FakeRequest = ReturnType<typeof request>;

/** The first three are held, the last three have ended. */
export const sessions = () =>
  SESSIONS.map((id, n) => ({
    id,
    machine: pick(MACHINES, n),
    project: pick(PROJECTS, n),
    branch: pick(BRANCHES, n + 1),
    host: pick(HOSTS, n),
    model: pick(['opus', null, null], n),
    doing: pick(['Bash', 'ending its turn', 'Read'], n),
    heldBy: [] as string[],
    heldSince: null as string | null,
    loop: pick([{ iteration: n + 3, max: 20 }, null, null, null], n),
    phase: pick([null, 'plan', null, null, null], n),
    gates: null as unknown,
    lastAt: ago(n * 31 + 4),
    endedAt: n > 10 ? ago(n * 4000) : null,
    ...(n < 3 && {
      doing: `Edit: held by ${pick(RULES, n)}`,
      heldBy: [pick(RULES, n)],
      heldSince: ago(200 + n * 700),
    }),
    ...(n === 4 && {
      gates: { running: true, status: 'failed', failing: ['check:.:test'] },
    }),
  }));

export const rules = () =>
  RULES.map((rule, n) => ({
    rule,
    project: pick(PROJECTS, n),
    held: 420 - n * 63,
    warned: n * 9,
    shadowed: n === 3 ? 57 : 0,
    asked: 31 - n * 4,
    cleared: { median: n === 5 ? null : 40 + n * 260, p90: n === 5 ? null : 900 + n * 2100 },
    by: { person: 30 - n * 3, agent: 260 - n * 40 },
    falseAlarms: [3, 0, 21, 0, 1, 8][n] ?? 0,
    weeks: Array.from({ length: 13 }, (_, week) =>
      Math.round(14 + 12 * Math.sin((week + n) / 2) + week * (3 - n)),
    ).map((value) => Math.max(0, value)),
  }));

export const runs = (count: number) =>
  Array.from({ length: count }, (_, n) => {
    const status =
      n % 9 === 4 ? 'error' : n % 4 === 1 ? 'failed' : n % 7 === 3 ? 'passed_with_warnings' : 'passed';
    const isBad = status === 'failed';
    return {
      id: `run-${n}`,
      at: ago(n * 1700 + 40),
      machine: pick(MACHINES, n),
      project: pick(PROJECTS, n),
      branch: pick(BRANCHES, n),
      session: pick(SESSIONS, n),
      status,
      ms: 4000 + ((n * 7919) % 60_000),
      checks: [
        { id: 'check:.:lint', status: 'pass', durationMs: 2100 },
        {
          id: 'check:.:unit tests',
          status: isBad ? 'fail' : 'pass',
          durationMs: 3000 + ((n * 7919) % 58_000),
        },
      ],
      lines: isBad
        ? ['FAIL src/cart/pricing.test.ts > rounds half cents up', 'AssertionError: expected 1004 to be 1005']
        : [],
    };
  });

export const people = [
  { id: 'p1', name: 'Ada', role: 'admin', createdAt: ago(9e6) },
  { id: 'p2', name: 'Grace', role: 'approver', createdAt: ago(5e6) },
];

export const machines = [
  { id: 'm-atlas', name: 'atlas', createdAt: ago(9e6), lastSeen: ago(4), revokedAt: null },
  { id: 'm-borealis', name: 'borealis', createdAt: ago(8e6), lastSeen: ago(7200), revokedAt: null },
  { id: 'm-ci', name: 'cloud-runner-7', createdAt: ago(8e5), lastSeen: null, revokedAt: null },
];

export const audit = Array.from({ length: 12 }, (_, n) => ({
  seq: 40 - n,
  at: ago(n * 3600),
  actor: pick(['Ada', 'Grace', 'command line'], n),
  action: pick(['approve', 'reject', 'machine invited'], n),
  subject: pick(RULES, n),
  detail: { machine: 'm-atlas', session: pick(SESSIONS, n) },
}));
