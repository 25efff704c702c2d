import type { MessageInfo, TextPart } from './client';
import type { Desk } from './plugin';
import type { Session } from './sessions';

/**
 * An end of turn. It cannot be refused, but the agent can be told to go on. One that a person or an error
 * made is left alone, and so is one after which somebody has already said something else.
 */
export async function atIdle(desk: Desk, session: Session): Promise<void> {
  const { client, ends } = desk.world;
  if (ends || session.root !== undefined) return;
  const { prompts } = session;
  const messages = (await client.session.messages({ path: { id: session.id } })).data ?? [];
  const last = messages.findLast(({ info }) => info.role === 'assistant');
  if (last === undefined || last.info.error !== undefined) return;
  const reply = await desk.ask(session, 'session.idle', {
    continuing: session.continuing,
    lastMessage: wordsIn(last.parts),
  });
  if (reply.prompt === undefined || session.prompts !== prompts) return;
  session.own = reply.prompt;
  await goOn(desk, session, reply.prompt, session.last ?? {});
}

/** The call that does not wait for the agent to end again, where the program has it. */
async function goOn(
  { world: { client }, tell }: Desk,
  { id }: Session,
  text: string,
  { agent, model }: Pick<MessageInfo, 'agent' | 'model'>,
): Promise<void> {
  const body = {
    parts: [{ type: 'text', text }],
    ...(agent && { agent }),
    ...(model !== undefined && { model }),
  };
  const request = { path: { id }, body };
  if (client.session.promptAsync !== undefined) await client.session.promptAsync(request);
  else
    void client.session.prompt(request).catch(() => tell('holdpoint: the agent could not be told to go on.'));
}

function wordsIn(parts: readonly TextPart[]): string {
  const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => text ?? '');
  return texts.join('\n').trim();
}
