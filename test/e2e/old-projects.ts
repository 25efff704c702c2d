import { EDIT, eventsIn, KEY } from './events';
import { storeLines } from './loop-project';
import { deniedBecause, type Ended, type HostDocument, heldBecause, type Rig } from './rig';
import { inPhase, STATE_FILE, task } from './workflow-project';

/** A project as one of the older programs leaves it, and what has to go on in it. */
export interface OldProject {
  readonly program: string;
  /** Whose settings its lines stand in, as a flag of `install`. */
  readonly scope: readonly string[];
  readonly file: (rig: Rig) => string;
  readonly settings: string;
  /** What its own lines have, and nothing else in the file. */
  readonly mark: string;
  /** Config and state in the middle of the work. */
  prepare(rig: Rig): void;
  event(rig: Rig): HostDocument;
  /** What is answered, in words that only the old state can lead to. */
  expected(ended: Ended): void;
}

type Group = { matcher?: string; hooks: { type: string; command: string; timeout?: number }[] };
type Hooks = Record<string, Group[]>;

const OWN = { type: 'command', command: '~/bin/my-own-hook' };

/** Settings with the lines of a program, and with a hook of the person's own beside them. */
function settingsOf(hooks: Hooks, more: object = {}): string {
  const own = { matcher: 'Read', hooks: [OWN] };
  const all = { ...hooks, PreToolUse: [...(hooks['PreToolUse'] ?? []), own] };
  return `${JSON.stringify({ model: 'opus', ...more, hooks: all }, null, 4)}\n`;
}

function calling(commands: readonly string[], timeout?: number, matcher?: string): Group {
  const hooks = commands.map((command) => ({
    type: 'command',
    command,
    ...(timeout !== undefined && { timeout }),
  }));
  return { ...(matcher !== undefined && { matcher }), hooks };
}

const python = (...names: string[]) => names.map((name) => `python3 ~/.claude/hooks/${name}.py`);
const cjs = (...names: string[]) => names.map((name) => `node $CLAUDE_PROJECT_DIR/.claude/hooks/${name}.cjs`);

const requirements: OldProject = {
  program: 'claude-requirements-framework',
  scope: ['--user'],
  file: ({ home }) => `${home}/.claude/settings.json`,
  mark: '.claude/hooks/',
  settings: settingsOf({
    SessionStart: [calling(python('handle-session-start'))],
    PreToolUse: [calling(python('check-requirements'), undefined, 'Edit|Write|MultiEdit|Bash')],
    PostToolUse: [
      calling(python('auto-satisfy-skills'), undefined, 'Skill'),
      calling(python('clear-single-use'), undefined, 'Bash'),
    ],
    Stop: [calling(python('handle-stop'))],
    SessionEnd: [calling(python('handle-session-end'))],
  }),
  prepare: (rig) => {
    const entry = '{enabled: true, scope: session, trigger_tools: [Edit]}';
    rig.write('.claude/requirements.yaml', `requirements: {commit_plan: ${entry}, adr_reviewed: ${entry}}\n`);
    const satisfied = { satisfied: true, satisfied_at: 1_700_000_000, satisfied_by: 'skill' };
    const state = { commit_plan: { scope: 'session', sessions: { [KEY]: satisfied } } };
    const file = { version: '1.0', branch: 'feature/auth', project: rig.repo, requirements: state };
    rig.write('.git/requirements/feature-auth.json', JSON.stringify(file));
  },
  event: (rig) => eventsIn(rig).pre('Edit', EDIT, { tool_use_id: 'toolu_1' }),
  // One was satisfied by the old program and stays so; the other was not.
  expected: (ended) => expectWords(deniedBecause(ended), '## Blocked: adr_reviewed'),
};

const idle: OldProject = {
  program: 'idle',
  scope: [],
  file: ({ repo }) => `${repo}/.claude/settings.json`,
  mark: 'stop-hook.sh',
  settings: settingsOf({ Stop: [calling(['bash ~/src/idle/hooks/stop-hook.sh'], 30)] }),
  prepare: (rig) => {
    const stack = [
      { id: 'loop-1', mode: 'loop', iter: 3, max: 10, prompt_file: '/tmp/idle-loop-1/prompt.txt' },
    ];
    const updated_at = `${new Date().toISOString().slice(0, 19)}Z`;
    const state = { schema: 1, event: 'STATE', run_id: 'loop-1', updated_at, stack };
    rig.write('.jwz/messages.jsonl', storeLines([state]));
  },
  event: (rig) => eventsIn(rig).stop(false, { last_assistant_message: 'Not yet.', prompt_id: 'p' }),
  expected: (ended) => expectWords(`${ended.exitCode} ${heldBecause(ended)}`, '2 [ITERATION 4/10] Continue'),
};

const isdlc: OldProject = {
  program: 'iSDLC',
  scope: [],
  file: ({ repo }) => `${repo}/.claude/settings.json`,
  mark: '.claude/hooks/',
  settings: settingsOf(
    {
      PreToolUse: [
        calling(
          cjs(
            'iteration-corridor',
            'skill-validator',
            'phase-loop-controller',
            'plan-surfacer',
            'phase-sequence-guard',
            'gate-blocker',
            'constitution-validator',
          ),
          10_000,
          'Task',
        ),
        calling(cjs('iteration-corridor', 'gate-blocker'), 10_000, 'Skill'),
        calling(cjs('branch-guard'), 10_000, 'Bash'),
      ],
      PostToolUse: [
        calling(
          cjs('log-skill-usage', 'menu-tracker', 'walkthrough-tracker', 'discover-menu-guard'),
          5000,
          'Task',
        ),
        calling(cjs('skill-delegation-enforcer'), 5000, 'Skill'),
        calling(cjs('test-watcher', 'review-reminder'), 5000, 'Bash'),
        calling(cjs('state-write-validator'), 5000, 'Write'),
        calling(cjs('state-write-validator'), 5000, 'Edit'),
      ],
      Stop: [calling(cjs('delegation-gate'), 5000)],
    },
    { permissions: { allow: ['Bash(node *)'], deny: ['Read(./secrets/**)'] } },
  ),
  prepare: (rig) => rig.write(STATE_FILE, JSON.stringify(inPhase('03-architecture'))),
  event: (rig) => ({ ...task('software-developer', 'build it', { tool_use_id: 'toolu_1' }), cwd: rig.repo }),
  expected: (ended) => expectWords(deniedBecause(ended), '03-architecture'),
};

const gauntlet: OldProject = {
  program: 'agent-gauntlet',
  scope: ['--local'],
  file: ({ repo }) => `${repo}/.claude/settings.local.json`,
  mark: 'agent-gauntlet stop-hook',
  settings: settingsOf({ Stop: [calling(['agent-gauntlet stop-hook'], 300)] }),
  prepare: (rig) => {
    rig.write('.gauntlet/checks/lint.yml', 'command: sh -c "echo bad line; exit 1"\n');
    const entries = 'entry_points: [{path: ".", checks: [lint]}]';
    rig.write('.gauntlet/config.yml', `base_branch: HEAD\ncli: {default_preference: [claude]}\n${entries}\n`);
  },
  event: (rig) => eventsIn(rig).stop(false, { last_assistant_message: 'Done.', prompt_id: 'p' }),
  expected: (ended) => expectWords(heldBecause(ended), 'check:.:lint'),
};

export const OLD_PROJECTS: readonly OldProject[] = [requirements, idle, isdlc, gauntlet];

function expectWords(text: string, words: string): void {
  if (!text.includes(words)) throw new Error(`${JSON.stringify(words)} is not in: ${text}`);
}
