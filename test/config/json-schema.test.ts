import { Ajv } from 'ajv';
import * as v from 'valibot';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { configJsonSchema } from '../../src/config/json-schema';
import type { Section } from '../../src/config/section';
import { printableSchema, SECTIONS } from '../../src/core/compile-config';
import { printed, readFiles } from './scratch';

const OURS = '.holdpoint/config.yaml';

type Accepts = (config: string) => boolean;

function acceptedBy(schema: object): Accepts {
  const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  const validate = ajv.compile(schema);
  return (config) => validate(parse(config));
}

function errorsOf(config: string, sections?: readonly Section[]): string {
  const read = readFiles({ [OURS]: config }, sections);
  return read.diagnostics.some((one) => one.severity === 'error') ? printed(read) : '';
}

const GOOD: Readonly<Record<string, string>> = {
  'an empty file': '',
  'a comment alone': '# nothing yet\n',
  'the version as a number': 'version: 1',
  'the version as text': 'version: "1.0"',
  'our own keys': 'version: "1"\ninherit: false\nenforce_everywhere: true\nguards: {loop: {on_error: hold}}',
  'every guard that may be set':
    'guards: {requirements: {}, workflow: {}, gates: {}, loop: {on_error: allow}}',
  'keys with nothing behind them': 'requirements:\nhooks:\nguards:\ninherit:\nversion:\n',
  'empty keys below': 'hooks:\n  stop:\n  session_start:\n    briefing_format:\n    carry_over:\n',
  'a requirement that is only a name': 'requirements:\n  plan:\n',
  'a whole requirement':
    'requirements: {plan: {enabled: true, type: blocking, scope: branch, trigger_tools: [Edit, {tool: Bash, command_pattern: "git push"}], message: m, checklist: [a, b], replan_ttl: 0}}',
  'keys of the user in a requirement': 'requirements: {plan: {enabled: true, adr_path: docs, owner: [x]}}',
  'a condition':
    'requirements: {main: {type: guard, guard_type: protected_branch, protected_branches: [main]}}',
  evidence: 'requirements: {plan: {evidence: {dirs: [docs], max_age_seconds: 5.5}}}',
  'a dynamic requirement':
    'requirements: {size: {enabled: true, type: dynamic, calculator: x, thresholds: {block: 5}}}',
  'keys that nothing reads': 'hooks: {lazy_dev: {enabled: true}, qdrant: 5}',
  hooks:
    'hooks: {session_start: {inject_context: true, briefing_format: compact}, stop: {verify_scopes: [session, branch]}}',
};

const BAD: Readonly<Record<string, string>> = {
  'a list at the top': '- a',
  'text at the top': 'just text',
  'an unknown key at the top': 'requirments: {}',
  'a key that only a seed file can fill': 'requirements.yaml: {enabled: false}',
  'words of message files': 'messages.yaml: {project: {plan: {blocking_message: m}}}',
  'a version of the future': 'version: 2',
  'a version that is a list': 'version: [1]',
  'a word for a boolean': 'inherit: "yes"',
  'a guard that does not exist': 'guards: {nope: {}}',
  'an unknown word': 'guards: {loop: {on_error: hodl}}',
  'an unknown key of a guard': 'guards: {loop: {on_fail: hold}}',
  'a list for a mapping': 'requirements: [plan]',
  'text for a requirement': 'requirements: {plan: yes please}',
  'a list for a requirement': 'requirements: {plan: []}',
  'a scope that does not exist': 'requirements: {plan: {scope: week}}',
  'a trigger without a tool': 'requirements: {plan: {trigger_tools: [{command_pattern: x}]}}',
  'a trigger with an unknown key': 'requirements: {plan: {trigger_tools: [{tool: Bash, pattern: x}]}}',
  'an empty trigger': 'requirements: {plan: {trigger_tools: [""]}}',
  'nothing in a list': 'requirements: {plan: {trigger_tools: [null]}}',
  'a number for a trigger': 'requirements: {plan: {trigger_tools: [3]}}',
  'a negative time': 'requirements: {plan: {replan_ttl: -1}}',
  'a time in words': 'requirements: {plan: {replan_ttl: 5m}}',
  'a condition without its kind': 'requirements: {main: {type: guard}}',
  'a condition whose kind is empty': 'requirements: {main: {type: guard, guard_type: }}',
  'a dynamic requirement without thresholds': 'requirements: {size: {type: dynamic, calculator: x}}',
  'thresholds without a block': 'requirements: {size: {thresholds: {warn: 5}}}',
  'an unknown key in evidence': 'requirements: {plan: {evidence: {folder: docs}}}',
  'an unknown key in hooks': 'hooks: {stop: {colour: red}}',
  'a wrong scope in a list': 'hooks: {stop: {verify_scopes: [session, week]}}',
};

/** What no schema for editors can say; the file is judged again when it is read. */
const ONLY_WHEN_READ: Readonly<Record<string, string>> = {
  'a near miss among keys of the user': 'requirements: {plan: {triggerTool: [Bash]}}',
  'a pattern that is no regular expression':
    'requirements: {plan: {trigger_tools: [{tool: Bash, command_pattern: "("}]}}',
};

describe('the schema and the reader agree', () => {
  const accepts = acceptedBy(printableSchema());

  test.each(Object.entries(GOOD))('to accept %s', (_, config) => {
    expect(errorsOf(config)).toBe('');
    expect(accepts(config)).toBe(true);
  });

  test.each(Object.entries(BAD))('to refuse %s', (_, config) => {
    expect(errorsOf(config)).not.toBe('');
    expect(accepts(config)).toBe(false);
  });

  test.each(Object.entries(ONLY_WHEN_READ))('to leave to the reader %s', (_, config) => {
    expect(errorsOf(config)).not.toBe('');
    expect(accepts(config)).toBe(true);
  });
});

it('is a valid schema of draft 07 and plain JSON', () => {
  const schema = configJsonSchema(SECTIONS);
  expect(schema['$schema']).toBe('http://json-schema.org/draft-07/schema#');
  expect(new Ajv().validateSchema(schema)).toBe(true);
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
});

it('offers editors the words that a key takes', () => {
  const text = JSON.stringify(configJsonSchema(SECTIONS));
  expect(text).toContain('"scope":{"enum":["session","branch","permanent","single_use",null],');
  expect(text).not.toContain('requirements.yaml');
});

/** A section of every kind of schema, so that a new discipline finds its words. */
const EVERY_KIND: Section = {
  guard: 'gates',
  keys: {
    gates: v.strictObject({
      jobs: v.optional(
        v.pipe(v.number(), v.integer(), v.maxValue(64), v.description('How many run at once.')),
      ),
      names: v.optional(v.pipe(v.array(v.pipe(v.string(), v.regex(/^[a-z]+$/))), v.minLength(1))),
      anything: v.optional(v.unknown()),
      either: v.optional(v.union([v.string(), v.strictObject({ run: v.string() })])),
      by_kind: v.optional(
        v.variant('kind', [
          v.strictObject({ kind: v.literal('check'), run: v.string() }),
          v.object({ kind: v.literal('review'), who: v.optional(v.string()) }),
        ]),
      ),
      limits: v.optional(v.record(v.string(), v.strictObject({ max: v.number() }))),
      label: v.optional(v.pipe(v.string(), v.title('Label'))),
    }),
  },
  legacyOnly: [],
  files: [],
  units: [],
  tolerated: ['gates/limits/*/old'],
  compile: () => undefined,
};

const KINDS: Readonly<Record<string, readonly [config: string, accepted: boolean]>> = {
  'a whole number': ['gates: {jobs: 4}', true],
  'half a number': ['gates: {jobs: 4.5}', false],
  'a number above its bound': ['gates: {jobs: 65}', false],
  'a list of good names': ['gates: {names: [a, b]}', true],
  'a list without names': ['gates: {names: []}', false],
  'a name outside the pattern': ['gates: {names: [A]}', false],
  anything: ['gates: {anything: {deep: [1]}}', true],
  'the first of two': ['gates: {either: x}', true],
  'the second of two': ['gates: {either: {run: x}}', true],
  'neither of two': ['gates: {either: 5}', false],
  'one variant': ['gates: {by_kind: {kind: check, run: x}}', true],
  'another variant': ['gates: {by_kind: {kind: review, mine: 1}}', true],
  'a variant without its key': ['gates: {by_kind: {kind: check}}', false],
  'a variant that does not exist': ['gates: {by_kind: {kind: other}}', false],
  'a mapping of mappings': ['gates: {limits: {a: {max: 1, old: 5}}}', true],
  'an entry that needs more than its name': ['gates: {limits: {a: }}', false],
};

describe('a section may have', () => {
  const accepts = acceptedBy(configJsonSchema([EVERY_KIND]));

  test.each(Object.entries(KINDS))('%s', (_, [config, accepted]) => {
    expect(errorsOf(config, [EVERY_KIND]) === '').toBe(accepted);
    expect(accepts(config)).toBe(accepted);
  });

  it('words for people', () => {
    const text = JSON.stringify(configJsonSchema([EVERY_KIND]));
    expect(text).toContain('"maximum":64,"description":"How many run at once."');
    expect(text).toContain('"title":"Label"');
    expect(text).toContain('"description":"`old` is accepted, but has no effect.","deprecated":true');
  });

  it('no kind that cannot be said', () => {
    const odd = { ...EVERY_KIND, keys: { gates: v.map(v.string(), v.string()) } };
    expect(() => configJsonSchema([odd])).toThrow('"map" schema');
  });
});
