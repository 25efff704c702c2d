import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../src/core/json';
import {
  type Change,
  type DocumentRef,
  type Layout,
  readDocument,
  type Topic,
} from '../../src/state/documents';
import { layoutAt, makeScratch, type Scratch } from './scratch';

export const S1 = 'session-one';
export const NAME = 'loop:current';

/** A project with a message store beside its git directory. */
export interface TopicScratch extends Scratch {
  readonly store: string;
  readonly file: string;
}

export function makeTopicScratch(): TopicScratch {
  const scratch = makeScratch();
  const layout = topicLayoutAt(scratch.dir);
  const store = layout.messages ?? '';
  mkdirSync(store);
  return { ...scratch, layout, store, file: join(store, 'messages.jsonl') };
}

export function topicLayoutAt(dir: string): Layout {
  const layout = layoutAt(dir);
  return { ...layout, messages: join(layout.root, '.jwz') };
}

export function topicRef(session = S1, base: 'messages' | 'own' = 'messages'): DocumentRef {
  const path = base === 'own' ? 'loop.jsonl' : 'messages.jsonl';
  return { base, path, format: 'topic', durability: 'durable', topic: { name: NAME, session } };
}

export function topicRecord(id: string, name = NAME): string {
  return `${JSON.stringify({ type: 'topic', id, name, description: '', created_at: 1 })}\n`;
}

/** A line as the older program writes it. */
export function message(body: Json, facts: Record<string, Json> = {}): string {
  const text = typeof body === 'string' || Array.isArray(body) ? body : JSON.stringify(body);
  const line = {
    type: 'message',
    id: `M${Math.random()}`,
    topic_id: 'T1',
    parent_id: null,
    body: text,
    created_at: 5,
    sender: null,
    git: null,
    ...facts,
  };
  return `${JSON.stringify(line)}\n`;
}

/** The topic as a session sees it. */
export function topicIn(layout: Layout, ref: DocumentRef = topicRef()): Topic {
  const found = readDocument(layout, ref);
  if (found.kind !== 'present') throw new Error(JSON.stringify(found));
  return found.value as unknown as Topic;
}

export function bodiesIn(layout: Layout, ref?: DocumentRef): string[] {
  return topicIn(layout, ref).messages.map(({ body }) => body);
}

/** Adds a body to the end of the topic. */
export function post(body: string, ref: DocumentRef = topicRef()): Change {
  return {
    document: ref,
    what: 'test',
    apply: (current) => {
      const topic = (current ?? { dir: '', known: false, messages: [] }) as unknown as Topic;
      return { ...topic, messages: [...topic.messages, { body }] } as unknown as Json;
    },
  };
}
