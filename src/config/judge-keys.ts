import { isJsonObject, type JsonObject } from '../core/json';
import type { Diagnostic, Finding } from './diagnostics';
import { diagnoseAt, shownPath } from './locate';
import type { Model } from './merge';
import * as say from './messages';
import { nearest } from './nearest';
import { pointerOf, showPath } from './pointer';
import { dropUnknownKeys, type KeyTrouble } from './unknown-keys';
import { topKeys, type Vocabulary } from './vocabulary';

/** More names than this help nobody. */
const LISTED_KEYS = 16;

export interface JudgedKeys {
  /** The model without unknown and empty keys. */
  readonly cleaned: JsonObject;
  readonly diagnostics: Diagnostic[];
}

/** Reports every key that nobody knows, at any depth, and goes on without it. */
export function judgeKeys(model: Model, vocabulary: Vocabulary): JudgedKeys {
  const found: KeyTrouble[] = [];
  const cleaned = dropUnknownKeys(model.value, vocabulary.root, [], vocabulary, found);
  const diagnostics = found.flatMap((trouble) => {
    const pointer = pointerOf(trouble.path);
    return diagnoseAt(model, pointer, 'key', findingOf(trouble, shownPath(model, pointer), vocabulary)) ?? [];
  });
  return { cleaned: isJsonObject(cleaned) ? cleaned : {}, diagnostics };
}

/** The finding for a key at the top or below that nobody knows. */
export function unknownKeyFinding(shown: readonly string[], known: readonly string[]): Finding {
  const key = shown.at(-1) ?? '';
  const meant = nearest(key, known);
  return {
    code: 'config.unknown-key',
    severity: 'error',
    message: say.unknownKey(key),
    ...(known.length > 0 && {
      hint: meant === undefined ? say.knownKeys(known.slice(0, LISTED_KEYS)) : say.didYouMean(meant),
    }),
    switchesOff: showPath(shown),
  };
}

function findingOf(trouble: KeyTrouble, shown: readonly string[], vocabulary: Vocabulary): Finding {
  const key = shown.at(-1) ?? '';
  switch (trouble.kind) {
    case 'unknown':
      return unknownKeyFinding(shown, knownBeside(trouble, vocabulary));
    case 'near-miss':
      return {
        code: 'config.unknown-key',
        severity: 'error',
        message: say.nearMiss(key, trouble.meant),
        switchesOff: showPath(shown),
      };
    case 'not-read':
      return { code: 'config.not-read', severity: 'warning', message: say.notRead(showPath(shown)) };
  }
}

/** What stands together in a seed's file may be apart in the model: at its top every key is a candidate. */
function knownBeside(
  trouble: Extract<KeyTrouble, { kind: 'unknown' }>,
  vocabulary: Vocabulary,
): readonly string[] {
  const [top] = trouble.path;
  if (trouble.path.length === 1) return topKeys(vocabulary);
  if (trouble.path.length > 2 || top === undefined || !vocabulary.seedOnly.has(top)) return trouble.known;
  return [...topKeys(vocabulary), ...trouble.known];
}
