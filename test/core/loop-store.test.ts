import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Interest } from '../../src/core/guard';
import type { Json } from '../../src/core/json';
import { NOTHING } from '../../src/core/verdict';
import { newStamp } from '../../src/exec/processes';
import type { DocumentRef, Topic } from '../../src/state/documents';
import { message, post, topicRecord, topicRef } from '../state/topic-rig';
import {
  endEvent,
  makeRig,
  preTool,
  type Rig,
  type Scripted,
  SESSION,
  SILENT,
  scriptedChunks,
  startEvent,
  stopEvent,
} from './rig';

const STORES = ['.jwz/messages.jsonl', '.zawinski/messages.jsonl'];
const TRACES = [...STORES, 'holdpoint/loop.jsonl', '.claude/idle-loop.local.md'];
const INTERESTS: readonly Interest[] = [
  { kind: 'turn.stop', whenFile: TRACES },
  { kind: 'prompt.submit', whenFile: TRACES },
  { kind: 'session.start', whenFile: TRACES },
  { kind: 'tool.after', whenFile: ['holdpoint/loop-live.json'] },
];
const REASON = '[ITERATION 2/10] Continue.';
const FALLBACK: DocumentRef = {
  base: 'project',
  path: '.claude/idle-loop.local.md',
  format: 'text',
  durability: 'durable',
};

let seen: { kind: string; document: Json }[];
let rig: Rig;

/** A loop that holds every stop and posts a message for it. */
function loop(): Scripted {
  const ref = topicRef(SESSION);
  return {
    name: 'loop',
    interests: INTERESTS,
    decide: ({ kind }, _config, ctx) => {
      const document = ctx.document(ref);
      ctx.document(FALLBACK);
      seen.push({ kind, document: document as unknown as Json });
      if (kind !== 'turn.stop') return NOTHING;
      const state = post(JSON.stringify({ session_id: SESSION, n: 1 }), ref);
      const text = { document: FALLBACK, what: 'test', apply: (now: Json | undefined) => `${now}more\n` };
      const grounds = [{ rule: 'loop', fact: 'it goes on' }];
      ctx.change(document.kind === 'present' ? state : text);
      return { kind: 'hold', reason: REASON, grounds };
    },
  };
}

beforeEach(() => {
  seen = [];
  rig = makeRig(scriptedChunks([loop()]));
  rmSync(join(rig.root, '.holdpoint'), { recursive: true });
});
afterEach(() => rig.remove());

function put(path: string, text = topicRecord('T1') + message({ n: 0 })): string {
  const file = join(rig.dir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** The store that the guard was shown. */
function shown(): string | undefined {
  const document = seen[0]?.document as { kind: string; value?: Topic } | undefined;
  return document?.kind === 'present' ? document.value?.dir : document?.kind;
}

describe('a stop that only the loop holds', () => {
  test('is answered with the exact bytes of its wire format, exit 2, and the reason on stderr', async () => {
    put('project/.jwz/messages.jsonl');
    expect(await rig.send(stopEvent())).toMatchObject({
      stdout: `{"decision": "block", "reason": "${REASON}"}\n`,
      stderr: `${REASON}\n`,
      exitCode: 2,
    });
  });

  test('is counted in the store before it is answered', async () => {
    const file = put('project/.jwz/messages.jsonl');
    await rig.send(stopEvent());
    const [last] = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-1);
    expect(JSON.parse(last ?? '')).toMatchObject({ topic_id: 'T1', sender: { id: 'holdpoint' } });
    expect(rig.record()?.stops?.in_row).toBe(1);
  });

  test('is not one to a store that leads elsewhere', async () => {
    put('outside/messages.jsonl');
    rmSync(join(rig.root, '.jwz'), { recursive: true, force: true });
    symlinkSync(join(rig.dir, 'outside'), join(rig.root, '.jwz'));
    const before = readFileSync(join(rig.dir, 'outside/messages.jsonl'), 'utf8');
    await rig.send(stopEvent());
    expect(shown()).toBe('unreadable');
    expect(readFileSync(join(rig.dir, 'outside/messages.jsonl'), 'utf8')).toBe(before);
  });
});

describe('the store of an event in a project that nothing is configured for', () => {
  const FOUND: Record<
    string,
    { files: string[]; cwd?: string; env?: Record<string, string>; store: string }
  > = {
    'lies in the project': { files: ['project/.jwz'], store: 'project/.jwz' },
    'may have its old name': { files: ['project/.zawinski'], store: 'project/.zawinski' },
    'has its new name where both are': {
      files: ['project/.jwz', 'project/.zawinski'],
      store: 'project/.jwz',
    },
    'is the nearest, whatever its name': {
      files: ['project/.jwz', 'project/a/.zawinski'],
      cwd: 'project/a/b',
      store: 'project/a/.zawinski',
    },
    'may lie above the project': { files: ['.jwz'], store: '.jwz' },
    'may be that of the project the host was started in': {
      files: ['other/.jwz'],
      env: { CLAUDE_PROJECT_DIR: 'other/sub' },
      store: 'other/.jwz',
    },
    'may be named by the environment': {
      files: ['named/store'],
      env: { JWZ_STORE: 'named/store' },
      store: 'named/store',
    },
    'is rather one above than the one that is named': {
      files: ['named/store', '.jwz'],
      env: { JWZ_STORE: 'named/store' },
      store: '.jwz',
    },
  };
  for (const [sentence, { files, cwd = 'project', env = {}, store }] of Object.entries(FOUND)) {
    test(sentence, async () => {
      for (const dir of files) put(`${dir}/messages.jsonl`);
      mkdirSync(join(rig.dir, cwd), { recursive: true });
      const absolute = Object.fromEntries(
        Object.entries(env).map(([name, path]) => [name, join(rig.dir, path)]),
      );
      for (const path of Object.values(absolute)) mkdirSync(path, { recursive: true });
      await rig.send({ ...stopEvent(), cwd: join(rig.dir, cwd) }, { env: absolute });
      expect(shown()).toBe(join(rig.dir, store));
    });
  }

  test('is missing to a guard that speaks for another reason', async () => {
    put('project/.claude/idle-loop.local.md', 'x');
    await rig.send(stopEvent());
    expect(shown()).toBe('missing');
  });
});

describe('who is watched without config', () => {
  const LOOKS: Record<string, { files: string[]; event: object; watched: boolean }> = {
    'a stop where nothing tells of a loop is not': { files: [], event: stopEvent(), watched: false },
    'a stop beside a store without messages is not': {
      files: ['project/.jwz/x'],
      event: stopEvent(),
      watched: false,
    },
    'a stop with our own log is': {
      files: ['project/.git/holdpoint/loop.jsonl'],
      event: stopEvent(),
      watched: true,
    },
    'a stop with the older state file is': {
      files: ['project/.claude/idle-loop.local.md'],
      event: stopEvent(),
      watched: true,
    },
    'a prompt beside a store is': {
      files: ['project/.jwz/messages.jsonl'],
      event: { hook_event_name: 'UserPromptSubmit', prompt: 'x' },
      watched: true,
    },
    'a tool is not, whatever store there is': {
      files: ['project/.jwz/messages.jsonl'],
      event: { ...preTool(), hook_event_name: 'PostToolUse' },
      watched: false,
    },
    'a tool while a loop lives is': {
      files: ['project/.git/holdpoint/loop-live.json'],
      event: { ...preTool(), hook_event_name: 'PostToolUse' },
      watched: true,
    },
  };
  for (const [sentence, { files, event, watched }] of Object.entries(LOOKS)) {
    test(sentence, async () => {
      for (const path of files) put(path);
      await rig.send({ ...event });
      expect(seen.length > 0).toBe(watched);
    });
  }

  test('a session beside a store begins without a word', async () => {
    put('project/.jwz/messages.jsonl');
    expect(await rig.send(startEvent())).toMatchObject(SILENT);
  });
  test('any other is told that nothing is enforced, as before', async () => {
    expect((await rig.send(startEvent())).stdout).toContain('Holdpoint is ');
  });
  test('a session that was held is forgotten when it ends', async () => {
    put('project/.jwz/messages.jsonl');
    await rig.send(stopEvent());
    expect(rig.record()).toBeDefined();
    await rig.send(endEvent());
    expect(rig.record()).toBeUndefined();
  });
});

describe('where there is neither git nor a directory of ours', () => {
  const plain = () => join(rig.dir, 'plain');
  const tree = () => readdirSync(plain(), { recursive: true }).map(String).sort();
  const send = (event: object, cwd = plain()) => {
    mkdirSync(cwd, { recursive: true });
    return rig.send({ ...event, cwd });
  };

  test('the loop works on its store, and nothing else is made', async () => {
    const file = put('plain/.jwz/messages.jsonl');
    expect(await send(stopEvent(), join(plain(), 'a/b'))).toMatchObject({
      exitCode: 2,
      stderr: `${REASON}\n`,
    });
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(3);
    expect(tree()).toEqual(['.jwz', '.jwz/messages.jsonl', 'a', 'a/b']);
    expect(readdirSync(rig.home)).toEqual([]);
  });

  test('it works on the older state file, whose lock lies beside it', async () => {
    const file = put('plain/.claude/idle-loop.local.md', 'one\n');
    expect(await send(stopEvent())).toMatchObject({ exitCode: 2 });
    expect(readFileSync(file, 'utf8')).toBe('one\nmore\n');
    expect(tree()).toEqual(['.claude', '.claude/idle-loop.local.md']);
  });

  test('a lock that is held there lets the stop go', async () => {
    put('plain/.jwz/messages.jsonl');
    writeFileSync(join(plain(), '.jwz/holdpoint.lock'), JSON.stringify(newStamp()));
    const answer = await send(stopEvent());
    expect(answer.exitCode).toBe(0);
    expect(answer.stderr).toContain('holdpoint.lock');
  });

  test('a session begins without a word', async () => {
    put('plain/.jwz/messages.jsonl');
    expect(await send(startEvent())).toMatchObject(SILENT);
    expect(seen.map(({ kind }) => kind)).toEqual(['session.start']);
    expect(tree()).toEqual(['.jwz', '.jwz/messages.jsonl']);
  });

  test('without a store nobody looks', async () => {
    expect(await send(stopEvent())).toMatchObject(SILENT);
    expect(seen).toEqual([]);
  });

  test('no other discipline speaks', async () => {
    rig.remove();
    const other: Scripted = {
      name: 'requirements',
      decide: () => ({ kind: 'hold', reason: 'no', grounds: [] }),
    };
    rig = makeRig(scriptedChunks([other, loop()]));
    put('plain/.jwz/messages.jsonl');
    expect(await send(stopEvent())).toMatchObject({ stderr: `${REASON}\n`, exitCode: 2 });
  });
});
