import * as v from 'valibot';
import { described, flag, name } from '../../../config/section';
import * as say from './key-sentences';

const times = v.pipe(
  v.number(),
  v.integer('must be a whole number'),
  v.minValue(1, 'must be at least 1'),
  v.maxValue(1000, 'must be at most 1000'),
);
const percent = v.pipe(
  v.number(),
  v.minValue(0, 'must not be negative'),
  v.maxValue(100, 'must be at most 100'),
);
const yesOrNo = v.boolean();

const tests = v.strictObject(
  described(
    {
      max_iterations: v.optional(times),
      same_failures: v.optional(times),
      report_only: flag,
      min_coverage: v.optional(percent),
    },
    say.TESTS,
  ),
);

const constitution = v.strictObject(
  described({ articles: v.optional(v.array(name)), max_iterations: v.optional(times) }, say.CONSTITUTION),
);

const elicitation = v.strictObject(
  described(
    {
      min_interactions: v.optional(
        v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(0, 'must not be negative')),
      ),
      final_selections: v.optional(v.pipe(v.array(name), v.nonEmpty('must name at least one choice'))),
    },
    say.ELICITATION,
  ),
);

const trigger = v.strictObject(
  described({ trigger: name, unless_set: v.optional(v.array(name)) }, say.TRIGGER),
);

/** What a phase's gate asks for; `false` takes back what stands below, `true` takes the usual numbers. */
export const requirements = v.strictObject(
  described(
    {
      tests: v.optional(v.lazy((input) => (typeof input === 'boolean' ? yesOrNo : tests))),
      constitution: v.optional(v.lazy((input) => (typeof input === 'boolean' ? yesOrNo : constitution))),
      elicitation: v.optional(v.lazy((input) => (typeof input === 'boolean' ? yesOrNo : elicitation))),
      delegation: flag,
      approval: flag,
      on_pass: v.optional(v.array(trigger)),
    },
    say.REQUIREMENTS,
  ),
);

export type RequirementsInput = v.InferOutput<typeof requirements>;
