import type { Json, JsonObject } from '../core/json';

interface Rule {
  readonly kind: string;
  readonly type: string;
  readonly requirement?: unknown;
  readonly title?: string;
  readonly description?: string;
}

/** What stands behind a type in a schema, as far as JSON Schema has words for it. */
export function rulesToJson(rules: readonly unknown[], base: JsonObject): JsonObject {
  const json: Record<string, Json> = {};
  for (const rule of rules as readonly Rule[]) {
    // What follows judges another value than the one in the file.
    if (rule.kind === 'transformation' || rule.kind === 'schema') break;
    Object.assign(json, ruleToJson(rule, base['type'] === 'array' ? 'Items' : 'Length'));
  }
  return json;
}

function ruleToJson(
  { type, requirement, title, description }: Rule,
  counted: 'Items' | 'Length',
): JsonObject {
  if (type === 'title' && title !== undefined) return { title };
  if (type === 'description' && description !== undefined) return { description };
  if (type === 'non_empty') return { [`min${counted}`]: 1 };
  if (type === 'integer' || type === 'safe_integer') return { type: 'integer' };
  if (requirement instanceof RegExp) return requirement.flags === '' ? { pattern: requirement.source } : {};
  return typeof requirement === 'number' ? boundToJson(type, requirement, counted) : {};
}

function boundToJson(type: string, bound: number, counted: 'Items' | 'Length'): JsonObject {
  const names: Readonly<Record<string, string>> = {
    min_value: 'minimum',
    max_value: 'maximum',
    gt_value: 'exclusiveMinimum',
    lt_value: 'exclusiveMaximum',
    min_length: `min${counted}`,
    max_length: `max${counted}`,
  };
  const name = names[type];
  return name === undefined ? {} : { [name]: bound };
}
