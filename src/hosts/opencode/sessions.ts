import type { JsonObject } from '../../core/json';
import type { Client, MessageInfo, SessionInfo } from './client';

/** What the plugin remembers of a session while the program runs. All that matters later is on disk. */
export interface Session {
  readonly id: string;
  /** The session that a subagent's belongs to, at the top; absent where it is at the top itself. */
  root?: string;
  agent?: string;
  /** Whether it is older than this program. */
  resumed: boolean;
  /** Whether its beginning has been told. */
  begun: boolean;
  /** How many prompts it has seen. */
  prompts: number;
  /** The last prompt that was ours. */
  own?: string;
  /** Whether the last prompt was ours. */
  continuing: boolean;
  /** Whether the next prompt is the text of a command. */
  expanding: boolean;
  /** Who answered last, so that a prompt of ours goes to the same. */
  last?: Pick<MessageInfo, 'agent' | 'model'>;
  /** Words for the agent that wait for the next prompt. */
  waiting: string[];
}

export interface Sessions {
  /** The session, with its place among the others looked up where it was not seen to begin. */
  meet(id: string): Promise<Session>;
  /** Takes note of a session that has just been created. */
  note(id: string, info: SessionInfo): Session;
  forget(id: string): void;
}

/** More than any real line of subagents. */
const MOST_STEPS = 16;

export function sessionsOf(client: Client, loadedAt: number): Sessions {
  const known = new Map<string, Session>();
  const note = (id: string, info: SessionInfo): Session => {
    const session = known.get(id) ?? fresh(id);
    known.set(id, session);
    if (info.parentID !== undefined) session.root = known.get(info.parentID)?.root ?? info.parentID;
    if (info.agent !== undefined) session.agent = info.agent;
    session.resumed = (info.time?.created ?? loadedAt) < loadedAt;
    return session;
  };
  const meet = async (id: string, steps = MOST_STEPS): Promise<Session> => {
    const found = known.get(id);
    if (found !== undefined || steps === 0) return found ?? fresh(id);
    const info = await lookUp(client, id);
    if (info.parentID !== undefined) await meet(info.parentID, steps - 1);
    return note(id, info);
  };
  return { meet, note, forget: (id) => void known.delete(id) };
}

/** A session that cannot be looked up is taken for one at the top: its calls are judged all the same. */
async function lookUp(client: Client, id: string): Promise<SessionInfo> {
  try {
    return (await client.session.get({ path: { id } })).data ?? {};
  } catch {
    return {};
  }
}

function fresh(id: string): Session {
  return { id, resumed: false, begun: false, prompts: 0, continuing: false, expanding: false, waiting: [] };
}

/** The members that tell whose document it is. */
export function identityOf({ id, root, agent }: Session): JsonObject {
  return {
    sessionID: id,
    ...(root !== undefined && { rootSessionID: root, ...(agent !== undefined && { agent }) }),
  };
}
