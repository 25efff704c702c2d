import { readFileSync } from 'node:fs';

/** A message as the message store's own program would list it. */
export interface Listed {
  readonly id: string;
  readonly body: string;
  readonly at: number;
}

interface Line {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly topic_id?: unknown;
  readonly parent_id?: unknown;
  readonly body?: unknown;
  readonly created_at?: unknown;
}

/**
 * Reads a message file by the rules of the program that it belongs to, and by none of ours: it takes in what
 * was added since the last look, line by line; passes over what is no JSON; knows a topic's name once; and
 * would break off at a line that is JSON but no object, or at fields of another kind.
 */
export class JwzReader {
  readonly #file: string;
  readonly #topics = new Map<string, string>();
  readonly #messages = new Map<string, Listed & { readonly topic: string }>();
  #offset = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** The newest message of a topic, by its time as that program sorts them. */
  newest(topic: string): Listed | undefined {
    this.#takeIn();
    const id = this.#topics.get(topic);
    const own = [...this.#messages.values()].filter((one) => one.topic === id);
    return own.sort((a, b) => b.at - a.at)[0];
  }

  count(): number {
    return this.#messages.size;
  }

  #takeIn(): void {
    const bytes = readFileSync(this.#file);
    if (bytes.length < this.#offset) throw new Error('the file has become shorter');
    const added = bytes.subarray(this.#offset).toString('utf8');
    this.#offset = bytes.length;
    const lines = added.split('\n').flatMap((line) => parsed(line.trim()));
    for (const line of lines.filter(({ type }) => type === 'topic')) this.#addTopic(line);
    for (const line of lines.filter(({ type }) => type === 'message')) this.#addMessage(line);
  }

  #addTopic({ id, name, created_at }: Line): void {
    if (!isText(id) || !isText(name) || !Number.isInteger(created_at)) throw new Error('a topic is odd');
    if (!this.#topics.has(name)) this.#topics.set(name, id);
  }

  /** A message of a topic that nobody knows is refused there, and so is an id that is taken. */
  #addMessage({ id, topic_id, parent_id, body, created_at }: Line): void {
    if (!isText(id) || !isText(topic_id) || !isText(body) || !Number.isInteger(created_at)) {
      throw new Error('a message is odd');
    }
    if (![...this.#topics.values()].includes(topic_id) || parent_id !== null) return;
    if (this.#messages.has(id)) throw new Error(`the id ${id} was given twice`);
    this.#messages.set(id, { id, body, at: Number(created_at), topic: topic_id });
  }
}

function parsed(line: string): Line[] {
  if (line === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [];
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('a line is no object');
  return [value];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
