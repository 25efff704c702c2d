import type { Change, Document, DocumentRef } from '../../state/documents';
import { REGISTRY } from '../../state/sessions';
import { isJsonObject, type Json, type JsonObject, objectIn } from '../json';
import { MASKED, mask, maskOwn, secretsIn } from './mask';
import { mapTexts, type PathPlaceholders } from './path-placeholders';

/** A document as a recording knows it. */
export type KnownDocument =
  | { readonly kind: 'present'; readonly value: Json }
  | Exclude<Document, { kind: 'present' }>;

type Path = readonly string[];

/** A change that no recorded event made: written by a command, or not read before. */
export type DocumentChange =
  | { readonly is: Json }
  | { readonly gone: true }
  | { readonly unreadable: { readonly file: string; readonly why: string } }
  | { readonly set: readonly (readonly [Path, Json])[]; readonly drop: readonly Path[] };

/** A topic has different messages for each session that asks. */
function keyOf({ base, path, topic }: DocumentRef): string {
  return topic === undefined ? `${base}:${path}` : `${base}:${path}#${topic.session}`;
}

/** The registry names every project of this machine; what it says about this one is recorded as a fact. */
function isNotRecorded({ base, path }: DocumentRef): boolean {
  return base === REGISTRY.base && path === REGISTRY.path;
}

/**
 * The documents and facts that a replay knows before an event: from the recording so far, and from the
 * changes of its events. The recorder keeps the same, so that it writes only what a replay could not know.
 */
export class ReplayMemory {
  readonly #documents: Map<string, KnownDocument>;
  readonly #facts: Map<string, Json>;
  readonly #places: PathPlaceholders;
  #secrets: readonly string[] = [];

  constructor(kept: Json | undefined, places: PathPlaceholders) {
    this.#documents = new Map(Object.entries(objectIn(kept, 'documents')) as [string, KnownDocument][]);
    this.#facts = new Map(Object.entries(objectIn(kept, 'facts')) as [string, Json][]);
    this.#places = places;
  }

  toJson(): JsonObject {
    return {
      documents: Object.fromEntries(this.#documents) as JsonObject,
      facts: Object.fromEntries(this.#facts),
    };
  }

  /** A value as stored in a recording: without this machine's paths, and masked. */
  toRecordedValue(value: Json): Json {
    const masked = maskOwn(this.#places.hide(value));
    return this.#secrets.length === 0 ? masked : withoutSecrets(masked, this.#secrets);
  }

  /** The same for a host's document. What is masked here is masked in everything that follows. */
  toRecordedDocument(raw: JsonObject): JsonObject {
    const away = this.#places.hide(raw);
    const masked = mask(away) as JsonObject;
    this.#secrets = secretsIn(away, masked);
    return masked;
  }

  document(ref: DocumentRef): Document {
    const known = isNotRecorded(ref) ? undefined : this.#documents.get(keyOf(ref));
    if (known === undefined || known.kind === 'missing') return { kind: 'missing' };
    if (known.kind === 'unreadable') return known;
    return { kind: 'present', value: this.#places.restore(known.value), version: '' };
  }

  fact(key: string): Json | undefined {
    const found = this.#facts.get(String(this.toRecordedValue(key)));
    return found === undefined ? undefined : this.#places.restore(found);
  }

  /** Stores a document as it was found; returns what was new in it. */
  addDocument(ref: DocumentRef, found: Document): readonly [key: string, moved: DocumentChange] | undefined {
    if (isNotRecorded(ref)) return undefined;
    const key = keyOf(ref);
    const now = this.#knownFrom(found);
    const moved = changeBetween(this.#documents.get(key), now);
    if (moved === undefined) return undefined;
    this.#documents.set(key, now);
    return [key, moved];
  }

  #knownFrom(found: Document): KnownDocument {
    if (found.kind === 'missing') return { kind: 'missing' };
    if (found.kind === 'present') return { kind: 'present', value: this.toRecordedValue(found.value) };
    return {
      kind: 'unreadable',
      ...(this.toRecordedValue({ file: found.file, why: found.why }) as Unreadable),
    };
  }

  /** The same for a fact. */
  addFact(key: string, value: Json): readonly [key: string, value: Json] | undefined {
    const [neutralKey, neutral] = [String(this.toRecordedValue(key)), this.toRecordedValue(value)];
    const before = this.#facts.get(neutralKey);
    if (before === undefined && isDefaultFact(neutralKey, neutral)) return undefined;
    if (JSON.stringify(before) === JSON.stringify(neutral)) return undefined;
    this.#facts.set(neutralKey, neutral);
    return [neutralKey, neutral];
  }

  /** Stores what a recording says about documents and facts. */
  loadRecorded(moved: JsonObject, facts: JsonObject): void {
    for (const [key, one] of Object.entries(moved)) {
      if (isJsonObject(one))
        this.#documents.set(key, applyChange(this.#documents.get(key), one as unknown as DocumentChange));
    }
    for (const [key, value] of Object.entries(facts)) if (value !== undefined) this.#facts.set(key, value);
  }

  /** Applies an event's changes. One that throws is skipped. */
  apply(changes: readonly Change[]): void {
    for (const { document: ref, apply } of changes) {
      if (isNotRecorded(ref)) continue;
      const found = this.document(ref);
      try {
        const value = apply(found.kind === 'present' ? found.value : undefined);
        this.#documents.set(
          keyOf(ref),
          value === undefined ? { kind: 'missing' } : { kind: 'present', value: this.toRecordedValue(value) },
        );
      } catch {
        // The hook reports it when it happens; the document stays.
      }
    }
  }
}

/** Whether a replay assumes this value by default; see replay.ts. */
function isDefaultFact(key: string, value: Json): boolean {
  const said = JSON.stringify(value);
  if (said === (key.startsWith('directory ') ? 'true' : 'false')) return true;
  return key.startsWith('file ') ? said === '{"kind":"missing"}' : ['""', '[]', 'null'].includes(said);
}

function withoutSecrets(value: Json, secrets: readonly string[]): Json {
  return mapTexts(value, (text) => secrets.reduce((now, secret) => now.replaceAll(secret, MASKED), text));
}

type Unreadable = { readonly file: string; readonly why: string };

function changeBetween(before: KnownDocument | undefined, now: KnownDocument): DocumentChange | undefined {
  if (now.kind === 'missing')
    return before === undefined || before.kind === 'missing' ? undefined : { gone: true };
  if (now.kind === 'unreadable') {
    const { file, why } = now;
    return before?.kind === 'unreadable' && before.why === why ? undefined : { unreadable: { file, why } };
  }
  if (before?.kind !== 'present') return { is: now.value };
  const set: [Path, Json][] = [];
  const drop: Path[] = [];
  compare(before.value, now.value, [], set, drop);
  if (set.length + drop.length === 0) return undefined;
  return set[0]?.[0].length === 0 ? { is: now.value } : { set, drop };
}

/** Lists are compared as a whole. */
function compare(before: Json, now: Json, path: Path, set: [Path, Json][], drop: Path[]): void {
  if (!isJsonObject(before) || !isJsonObject(now)) {
    if (JSON.stringify(before) !== JSON.stringify(now)) set.push([path, now]);
    return;
  }
  for (const key of Object.keys(before)) if (now[key] === undefined) drop.push([...path, key]);
  for (const [key, value] of Object.entries(now)) {
    if (value === undefined) continue;
    const old = before[key];
    if (old === undefined) set.push([[...path, key], value]);
    else compare(old, value, [...path, key], set, drop);
  }
}

/** Keeps what changed rules have written into a document beside what the recording says about it. */
function applyChange(before: KnownDocument | undefined, moved: DocumentChange): KnownDocument {
  if ('is' in moved) return { kind: 'present', value: moved.is };
  if ('gone' in moved) return { kind: 'missing' };
  if ('unreadable' in moved) return { kind: 'unreadable', ...moved.unreadable };
  const value = before?.kind === 'present' ? before.value : {};
  const dropped = moved.drop.reduce((now: Json, path) => setAtPath(now, path, undefined), value);
  return {
    kind: 'present',
    value: moved.set.reduce((now: Json, [path, one]) => setAtPath(now, path, one), dropped),
  };
}

function setAtPath(value: Json, [key, ...rest]: Path, to: Json | undefined): Json {
  if (key === undefined) return to ?? null;
  const { [key]: inner, ...others } = isJsonObject(value) ? value : {};
  if (rest.length > 0) return { ...others, [key]: setAtPath(inner ?? {}, rest, to) };
  return to === undefined ? others : { ...others, [key]: to };
}
