import { isJsonObject } from '../../../core/json';
import type { PhaseRequirements } from '../model';
import { type PhaseAliases, standsFor } from './compile-aliases';
import type { RequirementsInput } from './requirement-schema';

export type ByPhase = Readonly<Record<string, RequirementsInput>>;

/**
 * Requirements of several sources as one mapping by the phases' own names. What is written under an
 * alias gives way to what the same source says under the name itself.
 */
export function mergeByPhase(
  sources: readonly ByPhase[],
  aliases: PhaseAliases,
): ReadonlyMap<string, RequirementsInput> {
  const merged = new Map<string, RequirementsInput>();
  for (const source of sources) {
    const entries = Object.entries(source);
    const isAlias = ([name]: (typeof entries)[number]): boolean => Object.hasOwn(aliases, name);
    const inOrder = [...entries.filter(isAlias), ...entries.filter((entry) => !isAlias(entry))];
    for (const [name, input] of inOrder) {
      for (const phase of standsFor(aliases, name))
        merged.set(phase, overlay(merged.get(phase) ?? {}, input));
    }
  }
  return merged;
}

/** Requirements with others on top: a mapping changes the one below, anything else takes its place. */
export function overlay(lower: RequirementsInput, upper: RequirementsInput): RequirementsInput {
  const merged = new Map<string, unknown>(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const below = merged.get(key);
    merged.set(key, isJsonObject(below) && isJsonObject(value) ? { ...below, ...value } : value);
  }
  return Object.fromEntries(merged) as RequirementsInput;
}

const FINAL_SELECTIONS = ['save', 'continue'];

/** What a gate asks for, with the usual numbers where none are given. */
export function compileRequirements(input: RequirementsInput): PhaseRequirements {
  const tests = partOf(input.tests);
  const constitution = partOf(input.constitution);
  const elicitation = partOf(input.elicitation);
  const { min_coverage: minCoverage } = tests ?? {};
  return {
    ...(tests && {
      tests: {
        maxIterations: tests.max_iterations ?? 10,
        breaker: tests.same_failures ?? 3,
        reportOnly: tests.report_only ?? false,
        ...(minCoverage !== undefined && { minCoverage }),
      },
    }),
    ...(constitution && {
      constitution: {
        articles: constitution.articles ?? [],
        maxIterations: constitution.max_iterations ?? 5,
      },
    }),
    ...(elicitation && {
      elicitation: {
        minInteractions: elicitation.min_interactions ?? 3,
        finalSelections: elicitation.final_selections ?? FINAL_SELECTIONS,
      },
    }),
    ...(input.delegation === true && { delegation: true }),
    ...(input.approval === true && { approval: true }),
    ...(input.on_pass !== undefined && {
      onPass: input.on_pass.map(({ trigger, unless_set: unlessSet }) => {
        return { trigger, ...(unlessSet !== undefined && { unlessSet }) };
      }),
    }),
  };
}

function partOf<T extends object>(value: T | boolean | undefined): Partial<T> | undefined {
  if (typeof value === 'boolean') return value ? {} : undefined;
  return value;
}
