import * as v from 'valibot';
import type { Json, JsonObject } from '../core/json';
import type { Diagnostic } from './diagnostics';
import { findingOf, isMissing, issuePath } from './issues';
import { judgeKeys } from './judge-keys';
import { diagnoseAt, shownPath } from './locate';
import type { Model } from './merge';
import { pathOf, pointerOf, showPath } from './pointer';
import { childOf, prune } from './prune';
import { schemaAt, smallestPart } from './smallest-part';
import type { Vocabulary } from './vocabulary';

export interface Validated {
  /** What holds: known keys with good values, as their schemas put them out. */
  readonly valid: JsonObject;
  /** What was judged: the model without unknown and empty keys. */
  readonly cleaned: JsonObject;
  /** Pointers into `cleaned` that are switched off. */
  readonly removed: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Judges the merged model. All errors are found at once; each switches off as little as it can. */
export function validate(model: Model, vocabulary: Vocabulary): Validated {
  const { cleaned, diagnostics } = judgeKeys(model, vocabulary);
  const removed = new Set<string>();
  const valid: Record<string, Json> = {};
  for (const [key, schema] of Object.entries(vocabulary.schemas)) {
    const value = childOf(cleaned, key);
    if (value === undefined) continue;
    const result = v.safeParse(schema, value);
    for (const issue of result.issues ?? []) {
      diagnostics.push(...report(issue, key, { model, vocabulary, cleaned, removed }));
    }
    const output = result.success ? (result.output as Json) : rest(schema, key, cleaned, removed);
    if (output !== undefined) valid[key] = output;
  }
  return { valid, cleaned, removed, diagnostics };
}

interface Judging {
  readonly model: Model;
  readonly vocabulary: Vocabulary;
  readonly cleaned: JsonObject;
  readonly removed: Set<string>;
}

function report(issue: v.BaseIssue<unknown>, key: string, judging: Judging): Diagnostic[] {
  const { model, vocabulary, cleaned, removed } = judging;
  const path = issuePath(key, issue);
  const pointer = pointerOf(path);
  const off = pointerOf(smallestPart(path, isMissing(issue), cleaned, vocabulary));
  removed.add(off);
  const written = path.reduce<Json | undefined>((value, name) => childOf(value, name), model.value);
  const schema = schemaAt(vocabulary.root, cleaned, path);
  const finding = findingOf(issue, schema, shownPath(model, pointer), written);
  const at = isMissing(issue) ? 'key' : 'value';
  const diagnostic = diagnoseAt(model, pointer, at, {
    ...finding,
    switchesOff: showPath(shownPath(model, off)) || showPath(pathOf(off)),
  });
  return diagnostic === undefined ? [] : [diagnostic];
}

/** What is left of a key once the bad parts are gone. */
function rest(
  schema: v.GenericSchema,
  key: string,
  cleaned: JsonObject,
  removed: ReadonlySet<string>,
): Json | undefined {
  const left = childOf(prune(cleaned, removed), key);
  if (left === undefined) return undefined;
  const again = v.safeParse(schema, left);
  return again.success ? (again.output as Json) : undefined;
}
