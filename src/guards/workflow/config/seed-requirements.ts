import { isJsonObject } from '../../../core/json';
import { presetPhases } from './preset/phases';
import type { RequirementsInput } from './requirement-schema';
import type { WorkflowInput } from './schema';
import type { SeedMapping } from './seed-mapping';

type Converted = Required<Pick<WorkflowInput, 'requirements' | 'overrides'>>;
type ByPhase = Record<string, RequirementsInput>;

/** Our words for the parts that are switched on one by one, and the file's. */
const PARTS = [
  ['tests', 'test_iteration'],
  ['constitution', 'constitutional_validation'],
  ['elicitation', 'interactive_elicitation'],
] as const;

const CLOUD = [{ trigger: 'cloud_configuration', unless_set: ['cloud_configuration', 'provider'] }];

/** `iteration-requirements.json` as a section. */
export function fromRequirements(file: SeedMapping): Converted {
  const requirements = phasesIn(file.mapping('phase_requirements'), requirementsOf);
  const changed = file.mapping('workflow_overrides');
  const overrides = (changed?.names() ?? []).map((name) => {
    const convert = (phase: SeedMapping, key: string): RequirementsInput =>
      changesTo(standingUnder(key, requirements), phase);
    return [name, phasesIn(changed?.mapping(name), convert)] as const;
  });
  return { requirements, overrides: Object.fromEntries(overrides) };
}

function phasesIn(
  mapping: SeedMapping | undefined,
  convert: (phase: SeedMapping, name: string) => RequirementsInput,
): ByPhase {
  const found = (mapping?.names() ?? []).flatMap((name): (readonly [string, RequirementsInput])[] => {
    const phase = mapping?.mapping(name);
    if (phase === undefined) return [];
    // A phase may hold others that are worked through on their own.
    const inner = Object.entries(phasesIn(phase.mapping('sub_phases'), convert));
    return [[name, convert(phase, name)], ...inner];
  });
  return Object.fromEntries(found);
}

/** What the base has for a phase, which may stand there under another number. */
function standingUnder(phase: string, base: ByPhase): readonly RequirementsInput[] {
  const meant = presetPhases(phase);
  return Object.entries(base).flatMap(([name, input]) =>
    presetPhases(name).some((one) => meant.includes(one)) ? [input] : [],
  );
}

/** In the base, what is not switched on is off. */
function requirementsOf(phase: SeedMapping): RequirementsInput {
  const off = PARTS.filter(([, part]) => phase.mapping(part)?.flag('enabled') !== true);
  return { ...changesOf(phase), ...Object.fromEntries(off.map(([key]) => [key, false])) };
}

/** Numbers alone change what the base has switched on, and switch nothing on themselves. */
function changesTo(base: readonly RequirementsInput[], phase: SeedMapping): RequirementsInput {
  const idle = PARTS.filter(([key, part]) => {
    const isSaid = phase.mapping(part)?.flag('enabled') !== undefined;
    return !isSaid && !base.some((input) => isJsonObject(input[key]));
  });
  const changes = Object.entries(changesOf(phase));
  return Object.fromEntries(changes.filter(([key]) => !idle.some(([name]) => name === key)));
}

/** What a phase says of each requirement, and nothing of those that it does not mention. */
function changesOf(phase: SeedMapping): RequirementsInput {
  const tests = partOf(phase.mapping('test_iteration'), testsOf);
  const constitution = partOf(phase.mapping('constitutional_validation'), constitutionOf);
  const elicitation = partOf(phase.mapping('interactive_elicitation'), elicitationOf);
  const delegation = (
    phase.mapping('agent_delegation_validation') ?? phase.mapping('agent_delegation')
  )?.flag('enabled');
  const cloud = phase.mapping('on_gate_pass')?.mapping('trigger_cloud_config')?.flag('enabled');
  return {
    ...(tests !== undefined && { tests }),
    ...(constitution !== undefined && { constitution }),
    ...(elicitation !== undefined && { elicitation }),
    ...(delegation !== undefined && { delegation }),
    ...(cloud === true && { on_pass: CLOUD }),
  };
}

function partOf<T>(part: SeedMapping | undefined, convert: (part: SeedMapping) => T): T | false | undefined {
  if (part === undefined) return undefined;
  return part.flag('enabled') === false ? false : convert(part);
}

function testsOf(part: SeedMapping): Exclude<RequirementsInput['tests'], boolean | undefined> {
  const coverage = part.mapping('success_criteria')?.count('min_coverage_percent');
  return given({
    max_iterations: part.count('max_iterations', 1),
    same_failures: part.count('circuit_breaker_threshold', 1),
    report_only: part.flag('report_only'),
    min_coverage: coverage,
  });
}

function constitutionOf(part: SeedMapping): Exclude<RequirementsInput['constitution'], boolean | undefined> {
  return given({ articles: part.texts('articles'), max_iterations: part.count('max_iterations', 1) });
}

function elicitationOf(part: SeedMapping): Exclude<RequirementsInput['elicitation'], boolean | undefined> {
  return given({
    min_interactions: part.count('min_menu_interactions'),
    final_selections: part.texts('required_final_selection'),
  });
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
