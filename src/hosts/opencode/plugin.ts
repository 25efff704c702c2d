import { detailOf } from '../../core/failure';
import { type Json, type JsonObject, objectIn, objectsIn, textIn } from '../../core/json';
import type { Answer } from '../../core/verdict';

/* First, the part of OpenCode's own types that the plugin uses. Anything that OpenCode sends may be missing. */

export interface TextPart {
  readonly type: string;
  text?: string;
  readonly synthetic?: boolean;
}

export interface SessionInfo {
  readonly parentID?: string;
  readonly agent?: string;
  readonly time?: { readonly created?: number };
}

export interface MessageInfo {
  readonly role?: string;
  readonly agent?: string;
  readonly model?: unknown;
  readonly error?: { readonly name?: string };
}

interface ById {
  readonly path: { readonly id: string };
}

interface PromptRequest extends ById {
  readonly body: { readonly parts: readonly TextPart[]; readonly agent?: string; readonly model?: unknown };
}

/** The part of OpenCode's client API that we call. */
export interface Client {
  readonly session: {
    get(request: ById): Promise<{ data?: SessionInfo }>;
    messages(request: ById): Promise<{ data?: readonly { info: MessageInfo; parts: readonly TextPart[] }[] }>;
    prompt(request: PromptRequest): Promise<unknown>;
    promptAsync?(request: PromptRequest): Promise<unknown>;
  };
  readonly app: {
    log(request: { body: { service: string; level: string; message: string } }): Promise<unknown>;
  };
  readonly tui?: {
    showToast(request: { body: { message: string; variant: string } }): Promise<unknown>;
  };
}

/** What OpenCode passes to a plugin. */
export interface PluginInput {
  readonly client: Client;
  readonly directory: string;
}

/** An event on OpenCode's bus. */
interface BusEvent {
  readonly type: string;
  readonly properties?: {
    readonly sessionID?: string;
    readonly info?: SessionInfo & { readonly id?: string };
  };
}

type InSession = { readonly sessionID: string };
type Command = InSession & { readonly command: string; readonly arguments: string };
type Call = InSession & { readonly tool: string; readonly callID: string };
type ToolResult = { output: string; readonly metadata?: unknown };

/** What a plugin returns to OpenCode. */
export type Hooks = ReturnType<typeof hooksFor>;

/** What the plugin needs: the host, and the engine behind `answer`. */
interface PluginSetting extends PluginInput {
  answer(document: JsonObject): Answer | Promise<Answer>;
  /** Whether the program exits after the turn, so that the agent cannot be told to continue. */
  readonly ends: boolean;
  /** Milliseconds since the epoch. */
  readonly loadedAt: number;
}

/** An answer to the plugin: one line of JSON on standard output, as for any other host. */
export interface Reply {
  /** Refuses the call for this reason. */
  readonly deny?: string;
  /** Makes the agent continue with this prompt. */
  readonly prompt?: string;
  /** For the agent. */
  readonly context?: string;
  /** For the person. */
  readonly notice?: string;
}

/** What the plugin remembers of a session while the program runs. Everything needed later is on disk. */
interface Session {
  readonly id: string;
  /** For a subagent's session, the topmost session that it belongs to. */
  root?: string;
  agent?: string;
  /** Whether it is older than this process. */
  resumed: boolean;
  /** Whether the engine knows of its start. */
  begun: boolean;
  /** How many prompts it has seen. */
  prompts: number;
  /** Our last prompt. */
  own?: string;
  /** Whether the last prompt was ours. */
  continuing: boolean;
  /** Whether the next prompt is the text of a command. */
  expanding: boolean;
  /** Agent and model of the last message, so that our prompt goes to the same ones. */
  last?: Pick<MessageInfo, 'agent' | 'model'>;
  /** Advice to add to the next prompt. */
  waiting: string[];
}

/** The only error that may reach the host: it refuses the call, and the agent reads the message. */
class Denied extends Error {
  override readonly name = 'Error';
}

/** More than any real chain of subagents has. */
const MOST_PARENTS = 16;
const MOST_REMEMBERED = 100;

/** The hooks of our plugin. No error in them reaches the host, except an intended refusal. */
export function hooksFor({ client, directory, answer, ends, loadedAt }: PluginSetting) {
  const sessions = new Map<string, Session>();
  const shown = new Set<string>();
  /** Advice given before a call, by call id: it can only be delivered with the result. */
  const adviceFor = new Map<string, string[]>();

  /**
   * Shows a message to the person once, and logs it. Does not wait: while plugins are loading, the program does not
   * respond. If it cannot be shown, it is still in the journal.
   */
  const tell = (message: string): void => {
    if (shown.has(message)) return;
    if (shown.size >= MOST_REMEMBERED) shown.clear();
    shown.add(message);
    const log = async () => client.app.log({ body: { service: 'holdpoint', level: 'warn', message } });
    const toast = async () => client.tui?.showToast({ body: { message, variant: 'warning' } });
    for (const show of [log, toast]) void show().catch(() => undefined);
  };

  /** Sends an event of a session to the engine, and shows the person what is meant for them. */
  const ask = async ({ id, root, agent }: Session, hook: string, members: JsonObject): Promise<Reply> => {
    const subagent = root === undefined ? {} : { rootSessionID: root, ...(agent !== undefined && { agent }) };
    const document = { opencode: 1, hook, sessionID: id, ...subagent, directory, ...members };
    const { stdout, stderr } = await answer(document);
    if (stderr !== '') tell(stderr.trim());
    const reply: Reply = stdout === '' ? {} : JSON.parse(stdout);
    if (reply.notice !== undefined) tell(reply.notice);
    return reply;
  };

  /** A session that cannot be looked up counts as a topmost one, so its calls are still judged. */
  const lookUp = async (id: string): Promise<SessionInfo> => {
    try {
      return (await client.session.get({ path: { id } })).data ?? {};
    } catch {
      return {};
    }
  };

  const note = (id: string, { parentID, agent, time }: SessionInfo): Session => {
    const session = sessions.get(id) ?? newSession(id);
    sessions.set(id, session);
    if (parentID !== undefined) session.root = sessions.get(parentID)?.root ?? parentID;
    if (agent !== undefined) session.agent = agent;
    session.resumed = (time?.created ?? loadedAt) < loadedAt;
    return session;
  };

  /** The session with this id. If we did not see it begin, it is looked up together with its parents. */
  const sessionOf = async (id: string, parents = MOST_PARENTS): Promise<Session> => {
    const known = sessions.get(id);
    if (known !== undefined || parents === 0) return known ?? newSession(id);
    const info = await lookUp(id);
    if (info.parentID !== undefined) await sessionOf(info.parentID, parents - 1);
    return note(id, info);
  };

  /** The session, after telling the engine of its start: when it is created, or first used after a restart. */
  const begun = async (id: string): Promise<Session> => {
    const session = await sessionOf(id);
    if (session.begun) return session;
    session.begun = true;
    if (session.root !== undefined) return session;
    const source = session.resumed ? 'resume' : 'startup';
    const { context } = await ask(session, 'session.created', { source });
    if (context !== undefined) session.waiting.push(context);
    return session;
  };

  const goOn = async ({ id, last = {} }: Session, text: string): Promise<void> => {
    const body = {
      parts: [{ type: 'text', text }],
      ...(last.agent && { agent: last.agent }),
      ...(last.model !== undefined && { model: last.model }),
    };
    const request = { path: { id }, body };
    const failed = () => tell('holdpoint: could not tell the agent to continue.');
    // `promptAsync`, where available, does not wait for the agent to finish.
    if (client.session.promptAsync !== undefined) await client.session.promptAsync(request);
    else void client.session.prompt(request).catch(failed);
  };

  /**
   * Handles the end of a turn. It cannot be refused, but the agent can be told to continue. A turn that a person or an
   * error ended is left alone, and so is one after which somebody has already sent another prompt.
   */
  const onIdle = async (session: Session): Promise<void> => {
    if (ends || session.root !== undefined) return;
    const { prompts } = session;
    const messages = (await client.session.messages({ path: { id: session.id } })).data ?? [];
    const last = messages.findLast(({ info }) => info.role === 'assistant');
    if (last === undefined || last.info.error !== undefined) return;
    const texts = last.parts.filter(({ type }) => type === 'text').map(({ text }) => text ?? '');
    const members = { continuing: session.continuing, lastMessage: texts.join('\n').trim() };
    const { prompt } = await ask(session, 'session.idle', members);
    if (prompt === undefined || session.prompts !== prompts) return;
    session.own = prompt;
    await goOn(session, prompt);
  };

  const safe =
    <A extends readonly unknown[]>(hook: (...args: A) => Promise<void>) =>
    async (...args: A): Promise<void> => {
      try {
        await hook(...args);
      } catch (error) {
        if (error instanceof Denied) throw error;
        tell(`holdpoint: internal error: ${detailOf(error)}.`);
      }
    };

  return {
    event: safe(async ({ event: { type, properties } }: { event: BusEvent }) => {
      const id = properties?.sessionID ?? properties?.info?.id;
      if (id === undefined) return;
      if (type === 'session.created') {
        note(id, properties?.info ?? {});
        await begun(id);
      }
      if (type === 'session.idle') await onIdle(await sessionOf(id));
      if (type === 'session.deleted') {
        const session = await sessionOf(id);
        sessions.delete(id);
        if (session.root === undefined) await ask(session, 'session.deleted', { reason: 'deleted' });
      }
    }),
    'chat.message': safe(
      async ({ sessionID }: InSession, { message, parts }: { message: MessageInfo; parts: TextPart[] }) => {
        const session = await begun(sessionID);
        const typed = parts.filter(({ type, synthetic }) => type === 'text' && synthetic !== true);
        const text = typed.map((part) => part.text ?? '').join('\n');
        const byMachine = session.expanding || typed.length === 0;
        session.expanding = false;
        session.prompts += 1;
        session.continuing = text !== '' && text === session.own;
        const { context } = await ask(session, 'chat.message', { text, byMachine });
        addContext(parts, ...session.waiting.splice(0), context);
        session.last = { agent: message.agent ?? '', model: message.model };
      },
    ),
    'command.execute.before': safe(
      async ({ command, sessionID, arguments: args }: Command, { parts }: { parts: TextPart[] }) => {
        const session = await begun(sessionID);
        session.expanding = true;
        const { context } = await ask(session, 'command.execute.before', { command, arguments: args });
        addContext(parts, context);
      },
    ),
    'tool.execute.before': safe(async (call: Call, { args }: { args: unknown }) => {
      const session = await begun(call.sessionID);
      const advice: string[] = [];
      for (const one of callsIn(call, args)) {
        const { deny, context } = await ask(session, 'tool.execute.before', one);
        if (deny !== undefined) throw new Denied(deny);
        if (context !== undefined) advice.push(context);
      }
      if (advice.length > 0) adviceFor.set(call.callID, advice);
    }),
    'tool.execute.after': safe(async (call: Call & { readonly args?: unknown }, done: ToolResult) => {
      const session = await begun(call.sessionID);
      const metadata = jsonOf(done.metadata);
      const advice = adviceFor.get(call.callID) ?? [];
      adviceFor.delete(call.callID);
      const [whole, ...inner] = callsIn(call, call.args);
      // Of the calls in a batch, the result only says which have failed.
      const ran = inner.filter((_, at) => objectsIn(metadata, 'details')[at]?.['success'] === true);
      for (const one of [{ ...whole, output: done.output, metadata }, ...ran]) {
        const { context } = await ask(session, 'tool.execute.after', one);
        if (context !== undefined) advice.push(context);
      }
      if (advice.length > 0) done.output = [done.output, ...advice].join('\n\n');
    }),
    'shell.env': safe(async ({ sessionID }: Partial<InSession>, { env }: { env: Record<string, string> }) => {
      if (sessionID === undefined) return;
      const session = await sessionOf(sessionID);
      env['HOLDPOINT_SESSION_ID'] = session.root ?? session.id;
    }),
  };
}

function newSession(id: string): Session {
  return { id, resumed: false, begun: false, prompts: 0, continuing: false, expanding: false, waiting: [] };
}

/** A part of our own would need ids that only the host creates, so the context goes below the typed text. */
function addContext(parts: TextPart[], ...contexts: readonly (string | undefined)[]): void {
  const part = parts.find(({ type }) => type === 'text');
  const context = contexts.filter((one) => one !== undefined).join('\n\n');
  if (context && part !== undefined) part.text = `${part.text ?? ''}\n\n${context}`;
}

/** A call, and those inside it: OpenCode runs the calls of its `batch` tool without telling plugins of each. */
function callsIn({ tool, callID }: Call, given: unknown): [JsonObject, ...JsonObject[]] {
  const args = jsonOf(given);
  const inner = tool === 'batch' ? objectsIn(args, 'tool_calls') : [];
  return [
    { tool, callID, args },
    ...inner.map((one, at) => {
      return {
        tool: textIn(one, 'tool') ?? '',
        callID: `${callID}.${at}`,
        args: objectIn(one, 'parameters'),
      };
    }),
  ];
}

/** A value from the host, without anything that JSON cannot represent. */
function jsonOf(value: unknown): Json {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
}
