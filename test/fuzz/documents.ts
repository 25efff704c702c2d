import { eventsIn, SESSION } from '../e2e/events';
import type { HostDocument } from '../e2e/rig';
import { FOREIGN_EVENTS, ODD_SESSIONS, ODD_TOOLS, ODD_VALUES, oddDirectories } from './hostile';
import type { Random } from './random';
import type { Sandbox } from './sandbox';

/** One input for the hook, with words for whoever has to look at a failure. */
export interface Case {
  readonly what: string;
  readonly input: Uint8Array;
}

/** Events as a host sends them: what the broken ones are made of. */
function plainEvents(sandbox: Sandbox): HostDocument[] {
  const on = eventsIn(sandbox);
  const common = {
    transcript_path: `${sandbox.dir}/outside/none.jsonl`,
    permission_mode: 'default',
    tool_use_id: 'toolu_1',
    prompt_id: 'p1',
  };
  return [
    on.pre('Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, common),
    on.pre('Bash', { command: 'git commit -m x' }, common),
    on.pre('Read', { file_path: 'a' }, common),
    on.pre('mcp__srv__put', { a: 1 }, common),
    on.pre('NotebookEdit', { notebook_path: 'a' }, common),
    on.post('Bash', { command: 'git commit -m x' }, { ...common, tool_response: { stdout: 'x' } }),
    on.postFailure('Bash', { command: 'git commit' }, { ...common, error: 'x' }),
    on.stop(false, { ...common, last_assistant_message: 'done', background_tasks: [], session_crons: [] }),
    on.stop(true, common),
    on.start('startup', { ...common, model: 'x' }),
    on.end(common),
    { ...common, session_id: SESSION, cwd: sandbox.repo, hook_event_name: 'UserPromptSubmit', prompt: 'x' },
    { ...common, session_id: SESSION, cwd: sandbox.repo, hook_event_name: 'SubagentStop', agent_id: 'a' },
  ];
}

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
const named = (what: string, input: HostDocument): Case => ({ what, input: bytes(JSON.stringify(input)) });

/** Every hostile value in every field that it is meant for, and every document that is hostile as a whole. */
export function fixedCases(sandbox: Sandbox): Case[] {
  const events = plainEvents(sandbox);
  const [edit = {}] = events;
  const tool = (tool_name: string): HostDocument => ({ ...edit, tool_name });
  return [
    ...events.flatMap((event, index) => wrongTypes(event, index)),
    ...events.flatMap((event) => ODD_SESSIONS.map((id) => named('session', { ...event, session_id: id }))),
    ...[edit, events[7] ?? {}, events[9] ?? {}].flatMap((event) =>
      oddDirectories(sandbox).map((cwd) => named('directory', { ...event, cwd })),
    ),
    ...ODD_TOOLS.map((name) => named('tool', tool(name))),
    ...FOREIGN_EVENTS.map((event) => named('foreign', event)),
    ...FOREIGN_EVENTS.map((event) =>
      named('foreign, here', { session_id: SESSION, cwd: sandbox.repo, ...event }),
    ),
    ...wholeDocuments(JSON.stringify(edit)),
  ];
}

/** A few odd values for every field of an event: all of them would be thousands of processes. */
function wrongTypes(event: HostDocument, index: number): Case[] {
  const input = event['tool_input'];
  const fields = Object.keys(event).map((key) => [key] as const);
  const inner = Object.keys((input ?? {}) as object).map((key) => ['tool_input', key] as const);
  return [...fields, ...inner].flatMap(([outer, key], at) =>
    [0, 7, 14, 21, 28].map((step) => {
      const odd = ODD_VALUES[(index * 5 + at * 3 + step) % ODD_VALUES.length];
      const changed = key === undefined ? odd : { ...(input as object), [key]: odd };
      return named(`${outer} ${key ?? ''} wrong`, { ...event, [outer]: changed });
    }),
  );
}

const DEEP = 100_000;

function wholeDocuments(edit: string): Case[] {
  const open = edit.slice(0, -1);
  const texts: [string, string | Uint8Array][] = [
    ['empty', ''],
    ['blank', ' \r\n\t'],
    ['BOM', `\ufeff${edit}`],
    ['BOM alone', '\ufeff'],
    ['two BOMs', `\ufeff\ufeff${edit}`],
    ['CRLF', edit.replaceAll(',', ',\r\n')],
    ['two documents', `${edit}\n${edit}`],
    ['two documents on a line', `${edit}${edit}`],
    ['trailing NUL', `${edit}\u0000`],
    ['leading NUL', `\u0000${edit}`],
    ['trailing comma', `${open},}`],
    ['comment', `// x\n${edit}`],
    ['single quotes', edit.replaceAll('"', "'")],
    ['duplicate keys', `${open},"tool_name":"Read","tool_name":"Edit","cwd":1}`],
    ['proto', `${open},"__proto__":{"tool_name":"Read","enabled":false}}`],
    ['proto first', `{"__proto__":{"cwd":"/"},${edit.slice(1)}`],
    ['proto in the input', edit.replace('"tool_input":{', '"tool_input":{"__proto__":{"file_path":"/x"},')],
    ['constructor', `${open},"constructor":{"prototype":{"x":1}}}`],
    ['infinite', `${open},"duration_ms":1e999,"x":-1e999}`],
    ['long number', `${open},"x":${'9'.repeat(100_000)}}`],
    ['NaN', `${open},"x":NaN}`],
    ['lone surrogates', `${open},"session_id":"\\ud800","tool_use_id":"\\udfff\\ud800"}`],
    ['escaped NUL', `${open},"tool_name":"Edit\\u0000"}`],
    ['deep list', '['.repeat(DEEP)],
    ['deep whole list', '['.repeat(DEEP) + ']'.repeat(DEEP)],
    ['deep object', `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`],
    ['deep input', `${open},"tool_input":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}}`],
    ['deep response', `${open},"tool_response":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`],
    ['deep name', `${open},"tool_name":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`],
    ['many keys', `${open},${Array.from({ length: 50_000 }, (_, n) => `"k${n}":${n}`).join(',')}}`],
    ['UTF-16', Buffer.from(edit, 'utf16le')],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from(open), Buffer.from([0x2c, 0x22, 0xff, 0xfe, 0x80]), bytes('":1}')]),
    ],
    ['overlong UTF-8', Buffer.concat([Buffer.from([0xc0, 0xaf, 0xed, 0xa0, 0x80]), bytes(edit)])],
    ['binary', Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 37) % 256))],
    ['NULs', Buffer.alloc(100_000)],
    ...['null', 'true', '0', '"x"', '[1]', '{}', '[{}]', '{"hook_event_name":"Stop"}'].map(
      (text): [string, string] => [text, text],
    ),
  ];
  return texts.map(([what, text]) => ({ what, input: typeof text === 'string' ? bytes(text) : text }));
}

/** A well-made event, broken at random. */
export function randomCase(sandbox: Sandbox, random: Random): Case {
  const event = random.pick(plainEvents(sandbox));
  const text = JSON.stringify(event);
  switch (random.below(4)) {
    case 0:
      return { what: 'cut off', input: bytes(text).subarray(0, random.below(text.length)) };
    case 1:
      return { what: 'flipped', input: flipped(text, random) };
    case 2: {
      const from = random.below(text.length);
      const end = from + random.below(40);
      return { what: 'piece lost or doubled', input: bytes(spliced(text, from, end, random)) };
    }
    default: {
      const keys = Object.keys(event);
      const changes = [0, 1, 2].map(() => [random.pick(keys), random.pick(ODD_VALUES)] as const);
      return named('several fields wrong', { ...event, ...Object.fromEntries(changes) });
    }
  }
}

function flipped(text: string, random: Random): Uint8Array {
  const broken = Buffer.from(text);
  for (let count = 1 + random.below(8); count > 0; count--) {
    const at = random.below(broken.length);
    broken[at] = (broken[at] ?? 0) ^ (1 << random.below(8));
  }
  return broken;
}

function spliced(text: string, from: number, end: number, random: Random): string {
  const piece = random.below(2) === 0 ? '' : text.slice(from, end).repeat(2);
  return text.slice(0, from) + piece + text.slice(end);
}
