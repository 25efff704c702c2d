import * as v from 'valibot';
import { OWN_KEYS } from './own-keys';
import type { Section } from './section';

/** All that the sections and we ourselves know about keys, in one place. */
export interface Vocabulary {
  readonly schemas: Readonly<Record<string, v.GenericSchema>>;
  /** The whole model as one schema, to walk it. */
  readonly root: v.GenericSchema;
  readonly units: readonly string[];
  readonly tolerated: readonly string[];
  readonly freeForm: readonly string[];
  readonly seedOnly: ReadonlySet<string>;
}

export function vocabularyOf(sections: readonly Section[]): Vocabulary {
  const schemas = Object.assign(
    {},
    OWN_KEYS,
    ...sections.map((section) => section.keys),
  ) as Vocabulary['schemas'];
  return {
    schemas,
    root: v.object(schemas),
    units: sections.flatMap((section) => section.units),
    tolerated: sections.flatMap((section) => section.tolerated),
    freeForm: sections.flatMap((section) => section.freeForm),
    seedOnly: new Set(sections.flatMap((section) => section.seedOnly)),
  };
}

/** The keys that a file of ours may have at its top. */
export function topKeys(vocabulary: Vocabulary): string[] {
  return Object.keys(vocabulary.schemas).filter((key) => !vocabulary.seedOnly.has(key));
}
