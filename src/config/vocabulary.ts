import * as v from 'valibot';
import { type Discipline, GUARD_NAMES } from '../core/guard';
import type { JsonObject } from '../core/json';
import { flag, mapping, type Section } from './section';

export type OnError = 'allow' | 'hold';

const common = {
  on_error: [
    v.optional(v.picklist(['allow', 'hold'])),
    'On an internal error of this discipline: `allow` the event, or `hold` it. Default: allow.',
  ],
} as const;
/** The only discipline with an `enabled` switch, because the config of the older program had one. */
const switchable = mapping({
  ...common,
  enabled: [flag, 'If false, all requirements are off. Default: true.'],
});
const SENTENCE = 'Settings of this discipline as a whole.';
const guard = [v.optional(mapping(common)), SENTENCE] as const;
const guards = mapping({
  ...(Object.fromEntries(GUARD_NAMES.map((name) => [name, guard])) as Record<Discipline, typeof guard>),
  requirements: [v.optional(switchable), SENTENCE],
});

const version = v.pipe(
  v.custom<1 | '1' | '1.0'>(
    (value) => value === 1 || value === '1' || value === '1.0',
    'must be 1, the only version there is',
  ),
  // For the JSON Schema, which cannot ask a function which values it accepts.
  v.metadata({ enum: [1, '1', '1.0'] }),
);

/** The top-level keys that belong to no discipline. */
const { entries: OWN_KEYS } = mapping({
  version: [version, 'Version of the file format. Default: 1.'],
  inherit: [v.boolean(), 'If false, ignore the global config files in your home directory. Default: true.'],
  guards: [guards, 'Settings of each discipline as a whole.'],
});

/** A key for the user's own notes and anchors. Among names that users choose (rules), it is just a name. */
export function isExtension(key: string): boolean {
  return key.startsWith('x-');
}

/** All keys of the config: ours and those of the sections. */
export interface Vocabulary {
  readonly schemas: Readonly<Record<string, v.GenericSchema>>;
  /** The whole model as one schema, for walking it. */
  readonly root: v.GenericSchema;
  readonly units: readonly string[];
  readonly tolerated: readonly string[];
  readonly legacyOnly: ReadonlySet<string>;
}

export function vocabularyOf(sections: readonly Section[]): Vocabulary {
  const schemas: Vocabulary['schemas'] = Object.assign({}, OWN_KEYS, ...sections.map(({ keys }) => keys));
  return {
    schemas,
    root: v.strictObject(schemas),
    units: sections.flatMap((section) => section.units),
    tolerated: sections.flatMap((section) => section.tolerated),
    legacyOnly: new Set(sections.flatMap((section) => section.legacyOnly)),
  };
}

/** The top-level keys allowed in our own files. */
export function topKeys(vocabulary: Vocabulary): string[] {
  return Object.keys(vocabulary.schemas).filter((key) => !vocabulary.legacyOnly.has(key));
}

/** Whether our own config files leave the requirements switched on. */
export function isSwitchedOn(valid: JsonObject): boolean {
  return guardsIn(valid).requirements?.enabled ?? true;
}

/** What to do when a guard fails, according to the valid config. */
export function onErrorOf(valid: JsonObject, name: Discipline): OnError {
  return guardsIn(valid)[name]?.on_error ?? 'allow';
}

function guardsIn(valid: JsonObject): v.InferOutput<typeof OWN_KEYS.guards> {
  return (valid['guards'] ?? {}) as v.InferOutput<typeof OWN_KEYS.guards>;
}
