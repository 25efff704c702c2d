import * as v from 'valibot';
import { errorFinding } from '../../config/diagnostics';
import { pointerOf } from '../../config/pointer';
import { byName, type CompileContext, flag, mapping, mode, name, section } from '../../config/section';
import { MODES } from '../../core/effect-kinds';
import type { Json } from '../../core/json';
import { BUILT_IN } from './built-in';
import { compileRules, type RuleSettings } from './compile';

const setting = mapping({
  mode: [
    mode,
    '`shadow` records what the rule would hold, `warn` tells the agent, `hold` holds. Default: what the rule says, else hold.',
  ],
  enabled: [flag, 'If false, the rule is off. Default: true.'],
});
const packages = v.array(name);
const entry = v.lazy(
  (input): v.GenericSchema<unknown, v.InferOutput<typeof setting> | string[]> =>
    Array.isArray(input) ? packages : setting,
);
const named = byName(entry);
/** `named`, with messages that say what to write instead. */
const settings: typeof named = {
  ...named,
  '~run': (dataset, config) => {
    const done = named['~run'](dataset, config);
    for (const issue of done.issues ?? []) {
      const [step, ...below] = issue.path ?? [];
      const message =
        step === undefined ? 'must be a mapping or a list' : wrongShape(String(step.key), step.value);
      if (below.length === 0) Object.assign(issue, { type: 'custom', message });
    }
    return done;
  },
};
const rules = v.lazy(
  (input): v.GenericSchema<unknown, v.InferOutput<typeof settings> | string[]> =>
    Array.isArray(input) ? packages : settings,
);

/** A message to follow the key's name. Only `packages` is a list. */
function wrongShape(key: string, value: unknown): string {
  if (key === 'packages') return "must be a list, such as `['@acme/x']`";
  const known = MODES.find((one) => one === value);
  const instead = value === false ? 'enabled: false' : known === undefined ? '' : `mode: ${known}`;
  return `must be a mapping; write \`${key}: {${instead}}\``;
}

type Input = v.InferOutput<typeof rules>;

const SENTENCE =
  'Packages with rules as a list, or a mapping: settings of your own and of built-in rules by name, and `packages`. Rules of your own stand in `.holdpoint/rules`. Default: none.';

/** The user's own rules, in TypeScript or JavaScript, and the built-in ones. */
export const rulesSection = section({
  guard: 'rules',
  keys: { rules: v.pipe(rules, v.description(SENTENCE)) },
  units: ['rules/*'],
  compile: (valid, context) =>
    compileRules(settingsIn(valid.rules ?? {}, context), BUILT_IN, context) as Json | undefined,
});

function settingsIn(input: Input, context: CompileContext): RuleSettings {
  const list = Array.isArray(input) ? input : packagesIn(input, context);
  const path = Array.isArray(input) ? ['rules'] : ['rules', 'packages'];
  const isBuiltIn = (one: string): boolean => BUILT_IN.some((rule) => rule.name === one);
  const listed = list.map((one, at) => ({ name: one, pointer: pointerOf([...path, String(at)]) }));
  const written = Object.entries(Array.isArray(input) ? {} : input).flatMap(([key, value]) =>
    Array.isArray(value) || key === 'packages'
      ? []
      : [[key, { ...value, pointer: pointerOf(['rules', key]) }] as const],
  );
  return {
    packages: listed.filter(({ name: one }) => !isBuiltIn(one)),
    named: Object.fromEntries([
      ...listed.flatMap(({ name: one, pointer }) => (isBuiltIn(one) ? [[one, { pointer }] as const] : [])),
      ...written,
    ]),
  };
}

function packagesIn(input: Exclude<Input, string[]>, context: CompileContext): string[] {
  for (const [key, value] of Object.entries(input)) {
    // A key without a value counts as absent.
    const isEmpty = key === 'packages' && Object.keys(value).length === 0;
    if (!isEmpty && Array.isArray(value) !== (key === 'packages'))
      context.report(
        pointerOf(['rules', key]),
        errorFinding('config.wrong-type', `\`${key}\` ${wrongShape(key, value)}`),
      );
  }
  const list = input['packages'];
  return Array.isArray(list) ? list : [];
}
