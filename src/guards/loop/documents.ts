import { isAbsolute, relative, sep } from 'node:path';
import type { DocumentRef, Topic, TopicAsk } from '../../core/document';
import { isJsonObject, type Json } from '../../core/json';

/** The topic on which loops live, as other programs know it too. */
const LOOP_TOPIC = 'loop:current';

/** The fallback for a loop that no topic knows. */
export const FALLBACK_PATH = '.claude/idle-loop.local.md';

/** The signs of life of the sessions whose loop is active. The file is there only while there is one. */
export const LIVE_FILE: DocumentRef = {
  base: 'own',
  path: 'loop-live.json',
  format: 'json',
  keeping: 'counted',
};

/** The loop's messages in a store that other programs share. */
export function sharedTopic(session: string): DocumentRef {
  return topicFor('messages', 'messages.jsonl', { name: LOOP_TOPIC, session });
}

/** The same messages in a file of our own. */
export function ownTopic(session: string): DocumentRef {
  return topicFor('own', 'loop.jsonl', { name: LOOP_TOPIC, session });
}

function topicFor(base: DocumentRef['base'], path: string, topic: TopicAsk): DocumentRef {
  return { base, path, format: 'topic', keeping: 'durable', topic };
}

type Topics = readonly [shared: DocumentRef, own: DocumentRef];

let asked: Topics | undefined;

/**
 * Both, in the order in which they count, for who goes by the session's own loop alone. One event asks for them many
 * times, always for the same session.
 */
export function loopTopics(session: string): Topics {
  if (asked?.[0].topic?.session === session) return asked;
  const topic: TopicAsk = { name: LOOP_TOPIC, session, others: 'unwanted' };
  asked = [topicFor('messages', 'messages.jsonl', topic), topicFor('own', 'loop.jsonl', topic)];
  return asked;
}

/** Where the fallback may lie: from the event's directory up to the root, the nearest first. */
export function fallbackFiles(root: string, cwd: string): DocumentRef[] {
  const below = isAbsolute(cwd) ? relative(root, cwd) : '';
  const inside = below !== '' && !below.startsWith('..') && !isAbsolute(below);
  const parts = inside ? below.split(sep) : [];
  const dirs = [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join('/')}/`), ''];
  return dirs.map((dir) => ({
    base: 'project',
    path: `${dir}${FALLBACK_PATH}`,
    format: 'text',
    keeping: 'durable',
  }));
}

/** A topic document's value, as far as it is one. */
export function topicIn(value: Json | undefined): Topic | undefined {
  if (!isJsonObject(value) || !Array.isArray(value['messages'])) return undefined;
  return value as unknown as Topic;
}
