import { AGENTS } from '../../src/guards/workflow/config/preset';
import { type Events, eventsIn } from './events';
import { type Circumstances, type Ended, makeRig, type Rig, template } from './rig';

export const OWN_STATE = '.git/holdpoint/workflow.json';
export const SEED_STATE = '.isdlc/state.json';

/** The shell that an agent works in. */
export const AS_AGENT = { env: { CLAUDECODE: '1' } };

type Record_ = Readonly<Record<string, unknown>>;

/** The state, as far as the tests look into it. */
export interface FlowState {
  readonly active_workflow: Record_ | null;
  readonly current_phase: string | null;
  readonly phases: Readonly<Record<string, Record_>>;
  readonly workflow_history?: readonly Record_[];
  readonly [other: string]: unknown;
}

/** A repository on `main` in which workflows are enforced, and the commands that move them. */
export interface FlowProject {
  readonly rig: Rig;
  readonly events: Events;
  flow(args: string, how?: Circumstances): Ended;
  /** The same; the test fails where it does not end well. */
  done(args: string, how?: Circumstances): Ended;
  state(file?: string): FlowState;
  status(how?: Circumstances): FlowStatus;
  /** The agent delegates, and the hook sees it. */
  delegate(agent: string): void;
  /** A person answers a question of the agent's. */
  ask(): void;
  /** The tests ran; `output` is what they printed. */
  test(outcome: 'pass' | 'fail'): void;
}

export interface FlowStatus {
  readonly active: boolean;
  readonly workflow: string | null;
  readonly phase: string | null;
  readonly index: number | null;
  readonly phases: readonly { readonly name: string; readonly status: string }[];
  readonly missing: readonly { readonly what: string; readonly how: string }[];
  readonly branch: string | null;
}

const NUMERALS = ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII'];

/** Writes everything that the built-in phases ask for: their agents and a constitution. */
export function equip({ write }: Rig): void {
  for (const name of Object.keys(AGENTS)) write(`.claude/agents/${name}.md`, `---\nname: ${name}\n---\n`);
  const articles = NUMERALS.map((numeral) => `## Article ${numeral}: Words\n`);
  write('docs/isdlc/constitution.md', articles.join('\n'));
}

/** `seed`: with the directory of the older program, which then holds the state. `bare`: without agents and such. */
export function flowProject(kind: 'own' | 'seed' | 'bare' = 'own'): FlowProject {
  const like = template(`flow ${kind}`, (rig) => {
    rig.write('.holdpoint/config.yaml', 'workflow: {}\n');
    rig.git('branch', '-m', 'main');
    rig.write('a.txt', 'one\n');
    if (kind === 'seed') rig.write('.isdlc/README', 'state is kept here\n');
    if (kind === 'own') equip(rig);
    rig.git('add', '-A');
    rig.git('commit', '--quiet', '-m', 'files');
  });
  const rig = makeRig('', '', like);
  const events = eventsIn(rig);
  let calls = 0;
  const call = (): { tool_use_id: string } => ({ tool_use_id: `call-${++calls}` });
  const flow: FlowProject['flow'] = (args, how) => rig.holdpoint(['flow', ...wordsOf(args)], how);
  return {
    rig,
    events,
    flow,
    done: (args, how) => {
      const ended = flow(args, how);
      if (ended.exitCode !== 0) throw new Error(`flow ${args}: ${ended.exitCode} ${ended.stderr}`);
      return ended;
    },
    state: (file = kind === 'seed' ? SEED_STATE : OWN_STATE) => rig.readJson(file) as FlowState,
    status: (how) => flow('status --json', how).json as FlowStatus,
    delegate: (agent) => {
      const input = { subagent_type: agent, prompt: 'do it', description: '' };
      rig.hook(events.post('Task', input, { ...call(), tool_response: { content: 'done' } }));
    },
    ask: () => void rig.hook(events.post('AskUserQuestion', {}, { ...call(), tool_response: {} })),
    test: (outcome) => {
      const input = { command: 'npm test' };
      if (outcome === 'pass') {
        rig.hook(
          events.post('Bash', input, { ...call(), tool_response: { stdout: '5 passing', stderr: '' } }),
        );
      } else {
        rig.hook(events.postFailure('Bash', input, { ...call(), error: 'Exit code 1\n1 failing' }));
      }
    },
  };
}

/** Words between spaces; what stands in quotes is one. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
