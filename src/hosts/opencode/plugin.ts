import { detailOf } from '../../core/failure';
import type { Json, JsonObject } from '../../core/json';
import type { Answer } from '../../core/verdict';
import type { BusEvent, Hooks, MessageInfo, PluginInput, SessionInfo, TextPart } from './client';

/** What the plugin works with: the host, and the engine behind `answer`. */
interface PluginSetting extends PluginInput {
  answer(document: JsonObject): Answer | Promise<Answer>;
  /** Whether the program ends with the turn, so that the agent cannot be told to go on. */
  readonly ends: boolean;
  /** Milliseconds since the epoch. */
  readonly loadedAt: number;
}

/** What an answer tells the plugin to do: one line of JSON on standard output, as for any other host. */
export interface Reply {
  /** The call is refused for this reason. */
  readonly deny?: string;
  /** The agent goes on with this prompt. */
  readonly prompt?: string;
  /** For the agent. */
  readonly context?: string;
  /** For the person. */
  readonly notice?: string;
}

/** What the plugin remembers of a session while the program runs. All that matters later is on disk. */
interface Session {
  readonly id: string;
  /** The topmost session that a subagent's belongs to. */
  root?: string;
  agent?: string;
  /** Whether it is older than this program. */
  resumed: boolean;
  /** Whether the engine was told of its start. */
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
  /** Advice that waits for the next prompt. */
  waiting: string[];
}

/** The one error that may reach the host: it refuses the call, and the agent reads the message. */
class Denied extends Error {
  override readonly name = 'Error';
}

/** The hooks of our plugin. Nothing that goes wrong in them reaches the host but a refusal that is meant. */
export function hooksFor(setting: PluginSetting): Hooks {
  const plugin = new Plugin(setting);
  const safe =
    <A extends readonly unknown[]>(hook: (...args: A) => Promise<void>) =>
    async (...args: A): Promise<void> => {
      try {
        await hook(...args);
      } catch (error) {
        if (error instanceof Denied) throw error;
        plugin.tell(`holdpoint: a mistake of ours: ${detailOf(error)}.`);
      }
    };
  return {
    event: safe(({ event }) => plugin.onEvent(event)),
    'chat.message': safe(async ({ sessionID }, { message, parts }) => {
      const session = await plugin.begun(sessionID);
      await plugin.onPrompt(session, parts);
      session.last = { agent: message.agent ?? '', model: message.model };
    }),
    'command.execute.before': safe(async ({ command, sessionID, arguments: args }, { parts }) => {
      const session = await plugin.begun(sessionID);
      session.expanding = true;
      const { context } = await plugin.ask(session, 'command.execute.before', { command, arguments: args });
      addContext(parts, context);
    }),
    'tool.execute.before': safe(async ({ tool, sessionID, callID }, { args }) => {
      const session = await plugin.begun(sessionID);
      const members = { tool, callID, args: jsonOf(args) };
      const { deny, context } = await plugin.ask(session, 'tool.execute.before', members);
      if (deny !== undefined) throw new Denied(deny);
      if (context !== undefined) plugin.advice.set(callID, context);
    }),
    'tool.execute.after': safe(async ({ tool, sessionID, callID, args }, output) => {
      const session = await plugin.begun(sessionID);
      const facts = { args: jsonOf(args), output: output.output, metadata: jsonOf(output.metadata) };
      const { context } = await plugin.ask(session, 'tool.execute.after', { tool, callID, ...facts });
      const advice = [plugin.advice.get(callID), context].filter((text) => text !== undefined);
      plugin.advice.delete(callID);
      if (advice.length > 0) output.output = [output.output, ...advice].join('\n\n');
    }),
    'shell.env': safe(async ({ sessionID }, { env }) => {
      if (sessionID === undefined) return;
      const session = await plugin.session(sessionID);
      env['HOLDPOINT_SESSION_ID'] = session.root ?? session.id;
    }),
  };
}

/** More than any real chain of subagents. */
const MOST_PARENTS = 16;
const MOST_REMEMBERED = 100;

class Plugin {
  /** Advice before a call, by the call's id: it has no place there and goes with the result. */
  readonly advice = new Map<string, string>();
  private readonly setting: PluginSetting;
  private readonly sessions = new Map<string, Session>();
  private readonly told = new Set<string>();

  constructor(setting: PluginSetting) {
    this.setting = setting;
  }

  /** Asks the engine about something that happens in a session, and shows the person what is for them. */
  async ask({ id, root, agent }: Session, hook: string, members: JsonObject): Promise<Reply> {
    const { directory } = this.setting;
    const subagent = root === undefined ? {} : { rootSessionID: root, ...(agent !== undefined && { agent }) };
    const document = { opencode: 1, hook, sessionID: id, ...subagent, directory, ...members };
    const { stdout, stderr } = await this.setting.answer(document);
    if (stderr !== '') this.tell(stderr.trim());
    const reply: Reply = stdout === '' ? {} : JSON.parse(stdout);
    if (reply.notice !== undefined) this.tell(reply.notice);
    return reply;
  }

  /**
   * Shows a message to the person, once, and puts it into the program's log. Nobody waits for it: while plugins are
   * loaded, the program does not answer. Where it cannot be shown, it is in the journal.
   */
  tell(message: string): void {
    if (this.told.has(message)) return;
    if (this.told.size >= MOST_REMEMBERED) this.told.clear();
    this.told.add(message);
    const { app, tui } = this.setting.client;
    const log = async () => app.log({ body: { service: 'holdpoint', level: 'warn', message } });
    const toast = async () => tui?.showToast({ body: { message, variant: 'warning' } });
    for (const show of [log, toast]) void show().catch(() => undefined);
  }

  async onEvent({ type, properties }: BusEvent): Promise<void> {
    const id = properties?.sessionID ?? properties?.info?.id;
    if (id === undefined) return;
    if (type === 'session.created') {
      this.note(id, properties?.info ?? {});
      await this.begun(id);
    }
    if (type === 'session.idle') await this.onIdle(await this.session(id));
    if (type === 'session.deleted') {
      const session = await this.session(id);
      this.sessions.delete(id);
      if (session.root === undefined) await this.ask(session, 'session.deleted', { reason: 'deleted' });
    }
  }

  /** The session, after the engine was told of its start: when it is created, or first used again after a restart. */
  async begun(id: string): Promise<Session> {
    const session = await this.session(id);
    if (session.begun) return session;
    session.begun = true;
    if (session.root !== undefined) return session;
    const source = session.resumed ? 'resume' : 'startup';
    const { context } = await this.ask(session, 'session.created', { source });
    if (context !== undefined) session.waiting.push(context);
    return session;
  }

  async onPrompt(session: Session, parts: TextPart[]): Promise<void> {
    const typed = parts.filter(({ type, synthetic }) => type === 'text' && synthetic !== true);
    const text = typed.map((part) => part.text ?? '').join('\n');
    const byMachine = session.expanding || typed.length === 0;
    session.expanding = false;
    session.prompts += 1;
    session.continuing = text !== '' && text === session.own;
    const { context } = await this.ask(session, 'chat.message', { text, byMachine });
    addContext(
      parts,
      [...session.waiting.splice(0), ...(context === undefined ? [] : [context])].join('\n\n'),
    );
  }

  /**
   * An end of turn. It cannot be refused, but the agent can be told to go on. A turn that a person or an error ended is
   * left alone, and so is one after which somebody has already said something else.
   */
  private async onIdle(session: Session): Promise<void> {
    const { client, ends } = this.setting;
    if (ends || session.root !== undefined) return;
    const { prompts } = session;
    const messages = (await client.session.messages({ path: { id: session.id } })).data ?? [];
    const last = messages.findLast(({ info }) => info.role === 'assistant');
    if (last === undefined || last.info.error !== undefined) return;
    const texts = last.parts.filter(({ type }) => type === 'text').map(({ text }) => text ?? '');
    const members = { continuing: session.continuing, lastMessage: texts.join('\n').trim() };
    const { prompt } = await this.ask(session, 'session.idle', members);
    if (prompt === undefined || session.prompts !== prompts) return;
    session.own = prompt;
    await this.goOn(session, prompt);
  }

  private async goOn({ id, last = {} }: Session, text: string): Promise<void> {
    const { session } = this.setting.client;
    const body = {
      parts: [{ type: 'text', text }],
      ...(last.agent && { agent: last.agent }),
      ...(last.model !== undefined && { model: last.model }),
    };
    const request = { path: { id }, body };
    // The call that does not wait for the agent to end again, where the program has it.
    if (session.promptAsync !== undefined) await session.promptAsync(request);
    else
      void session.prompt(request).catch(() => this.tell('holdpoint: the agent could not be told to go on.'));
  }

  /** The session of that id; one that was not seen to begin is looked up with its parents. */
  async session(id: string, parents = MOST_PARENTS): Promise<Session> {
    const known = this.sessions.get(id);
    if (known !== undefined || parents === 0) return known ?? newSession(id);
    const info = await this.lookUp(id);
    if (info.parentID !== undefined) await this.session(info.parentID, parents - 1);
    return this.note(id, info);
  }

  private note(id: string, { parentID, agent, time }: SessionInfo): Session {
    const { loadedAt } = this.setting;
    const session = this.sessions.get(id) ?? newSession(id);
    this.sessions.set(id, session);
    if (parentID !== undefined) session.root = this.sessions.get(parentID)?.root ?? parentID;
    if (agent !== undefined) session.agent = agent;
    session.resumed = (time?.created ?? loadedAt) < loadedAt;
    return session;
  }

  /** A session that cannot be looked up counts as a topmost one: its calls are judged all the same. */
  private async lookUp(id: string): Promise<SessionInfo> {
    try {
      return (await this.setting.client.session.get({ path: { id } })).data ?? {};
    } catch {
      return {};
    }
  }
}

function newSession(id: string): Session {
  return { id, resumed: false, begun: false, prompts: 0, continuing: false, expanding: false, waiting: [] };
}

/** Our own part would need ids that only the host makes; so the context goes below what was typed. */
function addContext(parts: TextPart[], context: string | undefined): void {
  const part = parts.find(({ type }) => type === 'text');
  if (context && part !== undefined) part.text = `${part.text ?? ''}\n\n${context}`;
}

/** A value of the host's as JSON: it may hold what JSON cannot. */
function jsonOf(value: unknown): Json {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
}
