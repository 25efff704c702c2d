import * as v from 'valibot';
import { type SeedFile, section } from '../../config/section';
import { compileGates } from './compile-gates';
import { GATES_SENTENCE } from './key-sentences';
import { debugLog, gates, stopHook } from './schema';

/** The key of the model that holds what does not belong into the person's own file of the older program. */
const HOME_FILE = 'agent-gauntlet/config.yml';
const HOME_KEYS = ['stop_hook', 'debug_log'];

/** Named in the older program's documentation, and without effect there and here. */
const NOBODY_READS = [
  ...['logging', 'fail_fast', 'parallel'].map((key) => `gates/${key}`),
  'gates/checks/*/name',
  ...'name pass_pattern fail_pattern ignore_pattern include_context include_full_repo fail_fast'
    .split(' ')
    .map((key) => `gates/reviews/*/${key}`),
];

const project = { layer: 'project', base: 'project', yaml: '1.2' } as const;

function namedGate(kind: 'checks' | 'reviews', path: string): SeedFile {
  return {
    ...project,
    path,
    mount: (key, name) => ['gates', kind, name, key],
    whole: (name) => ['gates', kind, name],
    ...(kind === 'reviews' && { body: 'prompt' }),
  };
}

/** The gates' part of the config: our own key and the files of the older program. */
export const gatesSection = section({
  guard: 'gates',
  keys: {
    gates: v.pipe(gates, v.description(GATES_SENTENCE)),
    [HOME_FILE]: v.strictObject({
      other: v.optional(v.strictObject({ stop_hook: v.optional(stopHook), debug_log: v.optional(debugLog) })),
    }),
  },
  seedOnly: [HOME_FILE],
  files: [
    {
      layer: 'global',
      base: 'home',
      path: '.config/agent-gauntlet/config.yml',
      yaml: '1.2',
      mount: (key) => (HOME_KEYS.includes(key) ? ['gates', key] : [HOME_FILE, 'other', key]),
      configures: false,
      lenient: true,
    },
    { ...project, path: '.gauntlet/config.yml', mount: (key) => ['gates', key], whole: () => ['gates'] },
    namedGate('checks', '.gauntlet/checks/*.yml'),
    namedGate('checks', '.gauntlet/checks/*.yaml'),
    namedGate('reviews', '.gauntlet/reviews/*.md'),
  ],
  units: ['gates/checks/*', 'gates/reviews/*', 'gates/entry_points/*', 'gates/cli/default_preference/*'],
  tolerated: NOBODY_READS,
  compile: (valid, context) => compileGates(valid.gates ?? {}, context),
});
