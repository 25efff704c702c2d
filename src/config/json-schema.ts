import type { JsonObject } from '../core/json';
import { orEmpty, schemaToJson } from './schema-to-json';
import type { Section } from './section';
import { topKeys, vocabularyOf } from './vocabulary';

/**
 * The JSON Schema (draft 07, which every editor knows) of our own config files, made from the schemas
 * that judge them. It knows all that these say of shapes and words; a misspelt key among the user's own
 * and a pattern that is no regular expression are found only when the file is read.
 */
export function configJsonSchema(sections: readonly Section[]): JsonObject {
  const vocabulary = vocabularyOf(sections);
  const properties = topKeys(vocabulary).flatMap((key) => {
    const schema = vocabulary.schemas[key];
    return schema === undefined ? [] : [[key, orEmpty(schemaToJson(schema, [key], vocabulary))] as const];
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Holdpoint config',
    type: ['object', 'null'],
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}
