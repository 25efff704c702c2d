// What is measured: projects, the events sent to them, and what each answer must look like.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAMES = ['commit_plan', 'adr_reviewed', 'tests_planned', 'docs_planned'];
const BRANCH = 'feature/bench';
const REQUIREMENTS = '.claude/requirements.yaml';

/** A realistic id: sessions are told apart by its beginning. */
const sessionCalled = (number) =>
  `${(Math.imul(number, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}-1111-4111-8111-111111111111`;

// Events, each a function of the row and its turn.
const call =
  (tool_name, tool_input) =>
  ({ turn }) => ({ hook_event_name: 'PreToolUse', tool_name, tool_input, tool_use_id: `toolu_${turn}` });
const edit = (at) =>
  call('Edit', { file_path: `${at.place.root}/a.ts`, old_string: 'a', new_string: 'b' })(at);
const read = (at) => call('Read', { file_path: `${at.place.root}/a.ts` })(at);
const bash = (command) => call('Bash', { command, description: 'as planned' });
const after = (before, tool_response) => (at) => ({
  ...before(at),
  hook_event_name: 'PostToolUse',
  tool_response,
  duration_ms: 10,
});
const prompt = () => ({ hook_event_name: 'UserPromptSubmit', prompt: 'Write the parser as planned.' });
const start = () => ({ hook_event_name: 'SessionStart', source: 'startup' });
const stop = ({ turn }) => ({
  hook_event_name: 'Stop',
  stop_hook_active: false,
  last_assistant_message: `This was round ${turn}.`,
  background_tasks: [],
});

// Answers. A fast answer is worthless if it is wrong.
const isSilent = ({ status, stdout, stderr }) => status === 0 && stdout === '' && stderr === '';
const denies = ({ status, stdout }) => status === 0 && stdout.includes('"permissionDecision":"deny"');
const holds = ({ status, stdout }) => status === 0 && stdout.includes('"decision":"block"');
const briefs = ({ status, stdout }) => status === 0 && stdout.includes('"additionalContext"');
const loops = ({ status, stdout }) => status === 2 && stdout.startsWith('{"decision": "block"');
const reports =
  (wanted) =>
  ({ stdout }) =>
    stdout.includes(`"status":"${wanted}"`);

// Projects.
const configOf = (names) =>
  `inherit: false\nrequirements:\n${names.map((name) => `  ${name}: {enabled: true, scope: session}\n`).join('')}`;
const withRules = (stage, name = 'requirements', names = NAMES) => ({
  ...stage.repository(name, BRANCH, { [REQUIREMENTS]: configOf(names), 'a.ts': 'a\n' }),
  names,
});
const PASSES = `inherit: false
requirements:
  plan: {enabled: true, scope: session, satisfied_by_skill: planner}
  review:
    enabled: true
    scope: single_use
    trigger_tools: [{tool: Bash, command_pattern: 'git\\s+commit'}]
`;
const withPasses = (stage) => ({
  ...stage.repository('passes', BRANCH, { [REQUIREMENTS]: PASSES }),
  names: ['plan', 'review'],
});
const EFFECTS = `requirements:
  plan: {enabled: true, on: edit}
  review: {enabled: true, on: commit, scope: single_use}
  protected_branch: {enabled: true, type: guard, guard_type: protected_branch}
`;
const withEffects = (stage) => ({
  ...stage.repository('effects', BRANCH, { '.holdpoint/config.yaml': EFFECTS, 'a.ts': 'a\n' }),
  names: ['plan', 'review'],
});
const NOTES = 'inherit: false\nrequirements: {notes: {enabled: true, scope: session, stop_only: true}}\n';
const withNotes = (stage) => stage.repository('notes', BRANCH, { [REQUIREMENTS]: NOTES });
const plain = (stage) => stage.repository('plain', BRANCH, { 'a.ts': 'a\n' });
const looping = (stage) => stage.repository('loop', BRANCH, { 'a.ts': 'a\n' });

function withWorkflow(stage, branch) {
  const phase = '06-implementation';
  const state = {
    active_workflow: {
      type: 'feature',
      current_phase: phase,
      current_phase_index: 6,
      git_branch: { name: 'feature/x', status: 'active' },
    },
    phases: { [phase]: { status: 'in_progress' } },
  };
  return stage.repository(`workflow-${branch.replace('/', '-')}`, branch, {
    '.isdlc/state.json': `${JSON.stringify(state, null, 2)}\n`,
    'docs/isdlc/tasks.md': '- [ ] T001 the parser\n',
    'a.ts': 'a\n',
  });
}
const ownBranch = (stage) => withWorkflow(stage, 'feature/x');
const mainBranch = (stage) => withWorkflow(stage, 'main');

/** One check that passes at once, and a change for it to check. */
function withGates(stage, name, interval, cache) {
  const place = stage.repository(name, 'main', {
    '.gitignore': 'gauntlet_logs\n',
    'src/a.txt': 'one\n',
    '.gauntlet/config.yml': `cli: {default_preference: [claude]}\nstop_hook: {run_interval_minutes: ${interval}}\nbase_branch: main\nentry_points: [{path: src, checks: [c]}]\n`,
    '.gauntlet/checks/c.yml': `command: "true"\ncache: ${cache}\n`,
  });
  stage.git(place, 'checkout', '--quiet', '-b', 'feat');
  writeFileSync(join(place.root, 'src/a.txt'), 'two\n');
  return place;
}

// What happened earlier in the row's session.
const satisfyAll = ({ place, session, stage }) =>
  stage.product(place, 'req', 'satisfy', ...place.names, '--session', session);
const startLoop = ({ place, session, stage }) =>
  stage.product(place, 'holdpoint', 'loop', 'start', '--session', session, '--max', '1000000', 'Work');
function makeEdit({ place, session, stage }) {
  const document = { session_id: session, cwd: place.root, ...edit({ place, turn: 'first' }) };
  stage.run(place, [process.execPath, join(stage.dist, 'hook.cjs')], JSON.stringify(document));
}
function satisfyBeside(others) {
  return (at) => {
    satisfyAll(at);
    const file = join(at.place.root, '.git/requirements/feature-bench.json');
    const state = JSON.parse(readFileSync(file, 'utf8'));
    for (const { sessions } of Object.values(state.requirements)) {
      const [own] = Object.values(sessions);
      for (let count = 0; count < others; count++) {
        const session_id = sessionCalled(1_000_000 + count);
        sessions[session_id.slice(0, 8)] = { ...own, session_id };
      }
    }
    writeFileSync(file, `${JSON.stringify(state, null, 2)}\n`);
  };
}

const COMMIT = `git add -A && git commit -m "$(cat <<'EOF'\nfeat: a parser\n\nIt reads lines.\nEOF\n)"`;
const TESTS = bash('npm test 2>&1 | tail -20');
const delegation = (subagent_type) =>
  call('Task', { subagent_type, prompt: 'Build it.', description: 'build' });
const row = (name, place, event, expects, before) => ({ name, place, event, expects, before });

export const EVENTS = [
  row('nobody watches: read', withRules, read, isSilent),
  row('nobody watches: command', withRules, bash('npm test'), isSilent),
  row('nobody watches: after an edit', withRules, after(edit, { success: true }), isSilent),
  row('nobody watches: edit, no config', plain, edit, isSilent),
  row('nobody watches: stop, no config', plain, stop, isSilent),
  row('requirements: edit held', withRules, edit, denies),
  row('requirements: edit allowed', withRules, edit, isSilent, satisfyAll),
  row('requirements: commit held', withPasses, bash(COMMIT), denies),
  row('requirements: commit allowed', withPasses, bash(COMMIT), isSilent, satisfyAll),
  row('requirements: other command', withPasses, bash('npm test 2>&1 | tail'), isSilent),
  row(
    'requirements: skill satisfies',
    withPasses,
    after(call('Skill', { skill: 'planner' }), 'done'),
    isSilent,
  ),
  row('requirements: stop held', withNotes, stop, holds, makeEdit),
  row('requirements: session starts', withRules, start, briefs),
  row('nobody watches: reading command, on effects', withEffects, bash('git status'), isSilent),
  row('requirements: on effects, tests', withEffects, bash('npm test'), isSilent),
  row('requirements: on effects, tests piped', withEffects, bash('npm test 2>&1 | tail -20'), isSilent),
  row(
    'requirements: on effects, after tests',
    withEffects,
    after(bash('npm test'), { stdout: '' }),
    isSilent,
  ),
  row('requirements: on effects, sed held', withEffects, bash("sed -i 's/a/b/' a.ts"), denies),
  row('requirements: on effects, tests, satisfied', withEffects, bash('npm test'), isSilent, satisfyAll),
  row('requirements: on effects, session starts', withEffects, start, briefs),
  row(
    'requirements: 1,000 sessions in the branch file',
    (stage) => withRules(stage, 'branch-1000'),
    edit,
    isSilent,
    satisfyBeside(999),
  ),
  row('loop: stop held', looping, stop, loops, startLoop),
  row('loop: prompt', looping, prompt, isSilent, startLoop),
  row('workflow: task', ownBranch, delegation('software-developer'), isSilent),
  row('workflow: task out of order', ownBranch, delegation('qa-engineer'), denies),
  row('workflow: commit', ownBranch, bash(COMMIT), isSilent),
  row('workflow: commit to main', mainBranch, bash('git commit -m x'), denies),
  row('workflow: edit', ownBranch, edit, isSilent),
  row('workflow: tests recorded', ownBranch, after(TESTS, { stdout: 'Tests: 12 passed, 12 total' }), briefs),
  row(
    'gates: within the interval',
    (stage) => withGates(stage, 'resting', 600, true),
    stop,
    reports('interval_not_elapsed'),
  ),
  row(
    'gates: one trivial check runs',
    (stage) => withGates(stage, 'working', 0, false),
    stop,
    reports('passed'),
  ),
  row(
    'gates: nothing has changed',
    (stage) => withGates(stage, 'unchanged', 0, true),
    stop,
    reports('passed'),
  ),
];

/** The line that `install --resident` writes, with its server running. */
function withServer(stage) {
  const place = withRules(stage, 'server');
  const runtime = `HOLDPOINT_RUNTIME_DIR=${stage.path('run')}`;
  const product = (...args) => ['env', runtime, process.execPath, join(stage.dist, 'holdpoint.cjs'), ...args];
  stage.atEnd(() => stage.run(place, product('serve', '--stop')));
  const installed = stage.run(place, product('install', '--host', 'claude-code', '--resident'));
  const started = stage.run(place, product('serve'));
  if (installed.status !== 0 || started.status !== 0) throw new Error(installed.stderr + started.stderr);
  const settings = JSON.parse(readFileSync(join(place.root, '.claude/settings.json'), 'utf8'));
  const [{ command }] = settings.hooks.PreToolUse.flatMap(({ hooks }) => hooks);
  return { ...place, command: ['sh', '-c', command] };
}

export const SERVER = [
  row('server: read', withServer, read, isSilent),
  row('server: edit held', withServer, edit, denies),
  row('server: edit allowed', withServer, edit, isSilent, satisfyAll),
];

// Growth: the same event with little state and with much.
const LINE = '{"id":"0123456789","at":"2026-01-01T00:00:00.000Z","event":"PreToolUse","decision":"deny"}\n';

function withJournal(stage, lines) {
  const place = withRules(stage, `journal-${lines}`);
  const newest = Math.min(lines, Math.floor((3 * 1024 * 1024) / LINE.length));
  const own = join(place.root, '.git/holdpoint');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'journal.jsonl'), LINE.repeat(newest));
  for (const number of lines > newest ? [1, 2, 3] : [])
    writeFileSync(join(own, `journal.${number}.jsonl`), LINE.repeat(Math.ceil((lines - newest) / 3)));
  return place;
}

function withMetrics(stage, files) {
  const place = withRules(stage, `metrics-${files}`);
  const dir = join(place.root, '.git/requirements/sessions');
  mkdirSync(dir, { recursive: true });
  for (let index = 0; index < files; index++) {
    const id = sessionCalled(1_000_000 + index);
    const metrics = { version: '1.0', session_id: id.slice(0, 8), tools: { Edit: { count: 3 } } };
    writeFileSync(join(dir, `${id.slice(0, 8)}.json`), JSON.stringify(metrics));
  }
  return place;
}

/** All sessions are alive: their process is ours. */
function withRegistry(stage, count) {
  const place = withRules(stage, `registry-${count}`);
  const now = Math.floor(Date.now() / 1000);
  const entries = Array.from({ length: count }, (_, index) => {
    const session_id = sessionCalled(1_000_000 + index);
    const process_ids = { pid: process.pid, ppid: process.pid };
    const times = { started_at: now - 600, last_active: now };
    return [
      session_id.slice(0, 8),
      { ...process_ids, session_id, project_dir: '/p', branch: 'main', ...times },
    ];
  });
  const sessions = Object.fromEntries(entries);
  mkdirSync(join(place.home, '.claude'), { recursive: true });
  writeFileSync(join(place.home, '.claude/sessions.json'), JSON.stringify({ version: '1.0', sessions }));
  return place;
}

/** A machine that has joined a hub where nobody answers; no event contacts it. */
function withHub(stage, hubs) {
  const place = withRules(stage, `hubs-${hubs}`);
  if (hubs === 0) return place;
  const names = { machine: 'm', name: 'm', token: 't', key: 'k' };
  const hub = { version: 1, url: 'http://localhost:9', ...names, chain: [] };
  mkdirSync(join(place.home, '.config/holdpoint'), { recursive: true });
  writeFileSync(join(place.home, '.config/holdpoint/hub.json'), `${JSON.stringify(hub, null, 2)}\n`);
  return place;
}

/** Typical rules of users: they look at the path and the text, and one reads a file. */
const OWN_RULES = [
  ['no-fixme', 'edit', "event.call.newText?.includes('FIXME') && hold('Open an issue instead of a FIXME.')"],
  ['no-console', 'edit', "/console\\.log/.test(event.call.newText ?? '') && hold('Use the logger.')"],
  ['no-any', 'edit', "/: any\\b/.test(event.call.newText ?? '') && hold('Write the type.')"],
  [
    'no-legacy',
    'edit',
    "ctx.paths.some((path) => path.includes('/legacy/')) && hold('Legacy code is frozen.')",
  ],
  ['no-main', 'edit', "ctx.branch === 'main' && hold('Work on a branch.')"],
  ['keep-license', 'edit', "ctx.paths.some((path) => path.endsWith('/LICENSE')) && hold('Ask first.')"],
  ['read-first', 'edit', "ctx.read('a.ts') === undefined && hold('There is no such file.')"],
  ['no-push', 'push', "hold('A person pushes.')"],
  ['small-edits', 'edit', "(event.call.newText ?? '').split('\\n').length > 500 && hold('Smaller steps.')"],
  ['no-eval', 'edit', "/\\beval\\(/.test(event.call.newText ?? '') && hold('No eval.')"],
];

function withOwnRules(stage, count) {
  const rules = OWN_RULES.slice(0, count).map(([name, on, test]) => [
    `.holdpoint/rules/${name}.ts`,
    `import { defineRule, hold } from 'holdpoint';

export default defineRule({
  name: '${name}',
  on: '${on}',
  decide(event, ctx) {
    if (event.kind !== 'tool.before') return;
    return (${test}) || undefined;
  },
});
`,
  ]);
  return {
    ...stage.repository(`own-rules-${count}`, BRANCH, {
      [REQUIREMENTS]: configOf(NAMES),
      'a.ts': 'a\n',
      ...Object.fromEntries(rules),
    }),
    names: NAMES,
  };
}

const bySize = (what, noun, sizes, placeOf, event, expects, before) =>
  sizes.map((size) => ({
    ...row(
      `${what}, ${size.toLocaleString('en')} ${noun}`,
      (stage) => placeOf(stage, size),
      event,
      expects,
      before,
    ),
    ...(size !== sizes[0] && { smallest: `${what}, ${sizes[0].toLocaleString('en')} ${noun}` }),
  }));

const noOwnRules = (stage) => withOwnRules(stage, 0);
const tenOwnRules = (stage) => withOwnRules(stage, 10);
const withAndWithout = (what, ...rest) => [
  row(`${what}, no own rules`, noOwnRules, ...rest),
  { ...row(`${what}, ten own rules`, tenOwnRules, ...rest), smallest: `${what}, no own rules` },
];

export const GROWTH = [
  ...withAndWithout('rules: edit', edit, isSilent, satisfyAll),
  ...withAndWithout('rules: nobody watches, read', read, isSilent),
  ...withAndWithout('rules: nobody watches, after an edit', after(edit, { success: true }), isSilent),
  ...bySize('call', 'metrics files', [1, 10_000], withMetrics, edit, isSilent, satisfyAll),
  ...bySize('call', 'registered sessions', [1, 10_000], withRegistry, edit, isSilent, satisfyAll),
  ...bySize('hold', 'journal lines', [1, 1_000_000], withJournal, edit, denies),
  ...bySize('call', 'hubs joined', [0, 1], withHub, edit, isSilent, satisfyAll),
  ...bySize('hold', 'hubs joined', [0, 1], withHub, edit, denies),
  ...bySize('session starts', 'registered sessions', [10, 10_000], withRegistry, start, briefs),
];
