import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OTHER_SESSION, SESSION } from './events';
import { type Circumstances, type Ended, makeRig, type Rig, runNow } from './rig';

/** Our own log, and the log of a message store at the root. */
export const OWN_LOG = '.git/holdpoint/loop.jsonl';
export const STORE_LOG = '.jwz/messages.jsonl';

/** A state as it was written to the topic. */
export interface State {
  readonly schema?: number;
  readonly event: string;
  readonly reason?: string;
  readonly run_id: string;
  readonly session_id?: string;
  readonly updated_at: string;
  readonly paused?: unknown;
  readonly stack: readonly Readonly<Record<string, unknown>>[];
}

/** A repository without any config, and the loop's commands in it. */
export interface LoopProject {
  readonly rig: Rig;
  /** In the shell of the session of most scenarios. */
  loop(args: readonly string[], how?: Circumstances & { readonly input?: string }): Ended;
  /** In the shell of nobody. */
  person(args: readonly string[], how?: Circumstances): Ended;
  /** Every state in a log, the oldest first. */
  states(log?: string): State[];
  newest(log?: string): State;
}

export const AS_SESSION = { CLAUDE_CODE_SESSION_ID: SESSION };
export const AS_OTHER = { CLAUDE_CODE_SESSION_ID: OTHER_SESSION };

export function loopProject(): LoopProject {
  const rig = makeRig('');
  const states = (log = OWN_LOG): State[] => bodiesIn(log.startsWith('/') ? log : join(rig.repo, log));
  return {
    rig,
    loop: (args, { input = '', cwd = rig.repo, env = {} } = {}) =>
      runNow('holdpoint', ['loop', ...args], input, {
        cwd,
        env: rig.environment({ ...AS_SESSION, ...env }),
      }),
    person: (args, how) => rig.holdpoint(['loop', ...args], how),
    states,
    newest: (log) => {
      const last = states(log).at(-1);
      if (last === undefined) throw new Error('no state was written');
      return last;
    },
  };
}

/** A record and a message of the topic, as the message store's own program writes them. */
export function storeLines(bodies: readonly (object | string)[], from = 1_700_000_000_000): string {
  const topic = { type: 'topic', id: '01J0000000000000000000TPC0', name: 'loop:current', description: '' };
  const messages = bodies.map((body, index) => ({
    type: 'message',
    id: `01J0000000000000000000${String(index).padStart(4, '0')}`,
    topic_id: topic.id,
    parent_id: null,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    created_at: from + index,
    sender: null,
    git: null,
  }));
  return [{ ...topic, created_at: from }, ...messages].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function bodiesIn(file: string): State[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; body: string })
    .filter(({ type }) => type === 'message')
    .map(({ body }) => JSON.parse(body) as State);
}
