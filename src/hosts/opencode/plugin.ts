import type { Answer } from '../../core/decision';
import { detailOf } from '../../core/failure';
import type { Json, JsonObject } from '../../core/json';
import { atIdle } from './at-idle';
import type { BusEvent, Hooks, PluginInput, TextPart } from './client';
import { Denied, guarded } from './denied';
import { type Reply, replyIn } from './reply';
import { identityOf, type Session, type Sessions, sessionsOf } from './sessions';
import { teller } from './tell';

/** What the plugin stands on: the host, and the engine behind `answer`. */
export interface World extends PluginInput {
  answer(document: JsonObject): Answer | Promise<Answer>;
  /** Whether the program ends with the turn, so that nobody can be told to go on. */
  readonly ends: boolean;
  /** Milliseconds since the epoch. */
  readonly loadedAt: number;
}

/** The hooks at work: documents out, replies in. */
export interface Desk {
  readonly world: World;
  readonly sessions: Sessions;
  tell(message: string): void;
  /** Asks the engine about something that happens in a session; what is for the person is shown. */
  ask(session: Session, hook: string, members: JsonObject): Promise<Reply>;
}

/** The hooks of our plugin. Nothing that goes wrong in them reaches the host but a refusal that is meant. */
export function hooksFor(world: World): Hooks {
  const sessions = sessionsOf(world.client, world.loadedAt);
  const tell = teller(world.client);
  const desk: Desk = {
    world,
    sessions,
    tell,
    ask: async (session, hook, members) => {
      const document = { opencode: 1, hook, ...identityOf(session), directory: world.directory, ...members };
      const answer = await world.answer(document);
      if (answer.stderr !== '') tell(answer.stderr.trim());
      const reply = replyIn(answer.stdout);
      if (reply.notice !== undefined) tell(reply.notice);
      return reply;
    },
  };
  const safe = guarded((error) => tell(`holdpoint: a mistake of ours: ${detailOf(error)}.`));
  return {
    event: safe(({ event }) => onEvent(desk, event)),
    'chat.message': safe(async ({ sessionID }, output) => {
      const session = await begun(desk, sessionID);
      await onPrompt(desk, session, output.parts);
      session.last = { agent: output.message.agent ?? '', model: output.message.model };
    }),
    'command.execute.before': safe(async (input, { parts }) => {
      const session = await begun(desk, input.sessionID);
      session.expanding = true;
      const { command, arguments: args } = input;
      addContext(
        parts,
        (await desk.ask(session, 'command.execute.before', { command, arguments: args })).context,
      );
    }),
    ...toolHooks(desk, safe),
    'shell.env': safe(async ({ sessionID }, { env }) => {
      if (sessionID === undefined) return;
      const session = await sessions.meet(sessionID);
      env['HOLDPOINT_SESSION_ID'] = session.root ?? session.id;
    }),
  };
}

function toolHooks(
  desk: Desk,
  safe: ReturnType<typeof guarded>,
): Pick<Hooks, 'tool.execute.before' | 'tool.execute.after'> {
  /** Advice before a call has no place there; it goes with the call's result. */
  const advice = new Map<string, string>();
  return {
    'tool.execute.before': safe(async ({ tool, sessionID, callID }, { args }) => {
      const session = await begun(desk, sessionID);
      const members = { tool, callID, args: jsonOf(args) };
      const { deny, context } = await desk.ask(session, 'tool.execute.before', members);
      if (deny !== undefined) throw new Denied(deny);
      if (context !== undefined) advice.set(callID, context);
    }),
    'tool.execute.after': safe(async ({ tool, sessionID, callID, args }, output) => {
      const session = await begun(desk, sessionID);
      const facts = { args: jsonOf(args), output: output.output, metadata: jsonOf(output.metadata) };
      const { context } = await desk.ask(session, 'tool.execute.after', { tool, callID, ...facts });
      const words = [advice.get(callID), context].filter((text) => text !== undefined);
      advice.delete(callID);
      if (words.length > 0) output.output = [output.output, ...words].join('\n\n');
    }),
  };
}

async function onEvent(desk: Desk, { type, properties }: BusEvent): Promise<void> {
  const id = properties?.sessionID ?? properties?.info?.id;
  if (id === undefined) return;
  if (type === 'session.created') {
    desk.sessions.note(id, properties?.info ?? {});
    await begun(desk, id);
  }
  if (type === 'session.idle') await atIdle(desk, await desk.sessions.meet(id));
  if (type === 'session.deleted') {
    const session = await desk.sessions.meet(id);
    desk.sessions.forget(id);
    if (session.root === undefined) await desk.ask(session, 'session.deleted', { reason: 'deleted' });
  }
}

/** The session, its beginning told once: when it is created, or when one that was taken up again first stirs. */
async function begun(desk: Desk, id: string): Promise<Session> {
  const session = await desk.sessions.meet(id);
  if (session.begun) return session;
  session.begun = true;
  if (session.root !== undefined) return session;
  const source = session.resumed ? 'resume' : 'startup';
  const { context } = await desk.ask(session, 'session.created', { source });
  if (context !== undefined) session.waiting.push(context);
  return session;
}

async function onPrompt(desk: Desk, session: Session, parts: TextPart[]): Promise<void> {
  const typed = parts.filter(({ type, synthetic }) => type === 'text' && synthetic !== true);
  const text = typed.map((part) => part.text ?? '').join('\n');
  const byMachine = session.expanding || typed.length === 0;
  session.expanding = false;
  session.prompts += 1;
  session.continuing = text !== '' && text === session.own;
  const { context } = await desk.ask(session, 'chat.message', { text, byMachine });
  addContext(parts, [...session.waiting.splice(0), ...(context === undefined ? [] : [context])].join('\n\n'));
}

/** A part of our own would need ids of the host's making; so what we say stands below what was typed. */
function addContext(parts: TextPart[], context: string | undefined): void {
  const part = parts.find(({ type }) => type === 'text');
  if (context && part !== undefined) part.text = `${part.text ?? ''}\n\n${context}`;
}

/** What comes from the host as JSON: it may hold what JSON has no word for. */
function jsonOf(value: unknown): Json {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as Json);
}
