import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import type { Answer } from '../../src/core/verdict';
import {
  type Client,
  hooksFor,
  type MessageInfo,
  type Reply,
  type SessionInfo,
  type TextPart,
} from '../../src/hosts/opencode/plugin';

const SILENT: Answer = { stdout: '', stderr: '', exitCode: 0, losses: [] };
const DIR = '/p';
const LOADED = 1000;

interface Stage {
  readonly replies?: Readonly<Record<string, Reply>>;
  readonly sessions?: Readonly<Record<string, SessionInfo>>;
  readonly last?: MessageInfo;
  readonly ends?: boolean;
}

/** The plugin before an engine that only listens, and a host that only remembers. */
function stage({ replies = {}, sessions = {}, last, ends = false }: Stage = {}) {
  const documents: JsonObject[] = [];
  const prompts: unknown[] = [];
  const client: Client = {
    session: {
      get: async ({ path }) => ({ data: sessions[path.id] ?? {} }),
      messages: async () => ({
        data: last
          ? [{ info: { role: 'assistant', ...last }, parts: [{ type: 'text', text: ' Done. ' }] }]
          : [],
      }),
      prompt: async (request) => prompts.push(request),
    },
    app: { log: async () => undefined },
  };
  const hooks = hooksFor({
    client,
    directory: DIR,
    ends,
    loadedAt: LOADED,
    answer: (document) => {
      documents.push(document);
      const reply = replies[String(document['hook'])];
      return reply === undefined ? SILENT : { ...SILENT, stdout: JSON.stringify(reply) };
    },
  });
  const event = async (type: string, sessionID: string, info: SessionInfo = {}): Promise<void> =>
    hooks.event?.({ event: { type, properties: { sessionID, info: { id: sessionID, ...info } } } });
  const chat = async (...parts: TextPart[]): Promise<TextPart[]> => {
    await hooks['chat.message']?.({ sessionID: 's' }, { message: { agent: 'build' }, parts });
    return parts;
  };
  const told = (): string[] => documents.map(({ hook }) => String(hook));
  return { hooks, documents, prompts, event, chat, told };
}

const text = (words: string, synthetic?: boolean): TextPart => ({
  type: 'text',
  text: words,
  ...(synthetic !== undefined && { synthetic }),
});

test('a session that is created begins once, and one that is older than the program is taken up again', async () => {
  const one = stage();
  await one.event('session.created', 's', { time: { created: LOADED + 1 } });
  await one.chat(text('Go.'));
  expect(one.told()).toStrictEqual(['session.created', 'chat.message']);
  expect(one.documents[0]).toStrictEqual({
    opencode: 1,
    hook: 'session.created',
    sessionID: 's',
    directory: DIR,
    source: 'startup',
  });
  const other = stage({ sessions: { s: { time: { created: LOADED - 1 } } } });
  await other.chat(text('Go.'));
  expect(other.documents[0]).toMatchObject({ hook: 'session.created', source: 'resume' });
});

test('a subagent of a subagent belongs to the session at the top, and neither begins nor ends it', async () => {
  const { hooks, documents, event } = stage({
    sessions: { inner: { parentID: 'outer', agent: 'explore' }, outer: { parentID: 's' }, s: {} },
  });
  await hooks['tool.execute.before']?.(
    { tool: 'bash', sessionID: 'inner', callID: 'c' },
    { args: { command: 'ls' } },
  );
  await event('session.idle', 'inner');
  await event('session.deleted', 'inner');
  expect(documents).toStrictEqual([
    {
      opencode: 1,
      hook: 'tool.execute.before',
      sessionID: 'inner',
      rootSessionID: 's',
      agent: 'explore',
      directory: DIR,
      tool: 'bash',
      callID: 'c',
      args: { command: 'ls' },
    },
  ]);
});

test('only what was typed counts as a prompt of a person: neither a command’s text nor the program’s own', async () => {
  const { hooks, chat, documents } = stage();
  await chat(text('typed'), text('added', true));
  await hooks['command.execute.before']?.({ command: 'x', sessionID: 's', arguments: 'y' }, { parts: [] });
  await chat(text('the file’s text'));
  await chat(text('typed again'));
  await chat(text('Continue.', true));
  const prompts = documents.filter(({ hook }) => hook === 'chat.message');
  expect(prompts.map(({ text: words, byMachine }) => [words, byMachine])).toStrictEqual([
    ['typed', false],
    ['the file’s text', true],
    ['typed again', false],
    ['', true],
  ]);
});

test('advice before a call goes with its result, and only with that call’s', async () => {
  const { hooks } = stage({ replies: { 'tool.execute.before': { context: 'Plan first.' } } });
  const call = (callID: string) => ({ tool: 'bash', sessionID: 's', callID, args: {} });
  await hooks['tool.execute.before']?.(call('one'), { args: {} });
  const other = { output: 'two' };
  await hooks['tool.execute.after']?.(call('two'), other);
  const output = { output: 'one' };
  await hooks['tool.execute.after']?.(call('one'), output);
  expect([other.output, output.output]).toStrictEqual(['two', 'one\n\nPlan first.']);
});

test('after a refused stop the agent goes on, and the next end of turn is a continuation until a person speaks', async () => {
  const prompt = 'Stop hook feedback:\nNot yet.';
  const { event, chat, documents, prompts } = stage({ replies: { 'session.idle': { prompt } }, last: {} });
  await chat(text('Go.'));
  await event('session.idle', 's');
  expect(prompts).toStrictEqual([{ path: { id: 's' }, body: { parts: [text(prompt)], agent: 'build' } }]);
  await chat(text(prompt));
  await event('session.idle', 's');
  await chat(text('Thanks.'));
  await event('session.idle', 's');
  const stops = documents.filter(({ hook }) => hook === 'session.idle');
  expect(stops.map(({ continuing, lastMessage }) => [continuing, lastMessage])).toStrictEqual([
    [false, 'Done.'],
    [true, 'Done.'],
    [false, 'Done.'],
  ]);
});

test.each<[string, Stage]>([
  ['a person ended it', { last: { error: { name: 'MessageAbortedError' } } }],
  ['an error ended it', { last: { error: { name: 'APIError' } } }],
  ['the program ends with it', { last: {}, ends: true }],
  ['nothing was said', {}],
])('an end of turn is not judged where %s', async (_, how) => {
  const { event, chat, told, prompts } = stage({ ...how, replies: { 'session.idle': { prompt: 'x' } } });
  await chat(text('Go.'));
  await event('session.idle', 's');
  expect(told()).not.toContain('session.idle');
  expect(prompts).toStrictEqual([]);
});
