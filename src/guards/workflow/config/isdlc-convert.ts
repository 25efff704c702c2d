import { isJsonObject, type Json, type JsonObject } from '../../../core/json';
import { plainAgentName } from '../delegation';
import { ownValue } from '../model';
import { AGENTS, CLOUD, presetPhases, WORKFLOWS } from './preset';
import type { AgentInput, RequirementsInput, WorkflowEntry, WorkflowInput } from './schema';

/** Reports a value of the wrong type, by its path in the file. */
type Wrong = (path: readonly string[], expected: string) => void;

/**
 * A mapping in a file of iSDLC, read key by key. A value of the wrong type is reported and counts as absent;
 * keys that begin with `_` are comments.
 */
export class IsdlcMapping {
  readonly #value: JsonObject;
  readonly #path: readonly string[];
  readonly #wrong: Wrong;

  constructor(value: JsonObject, wrong: Wrong, path: readonly string[] = []) {
    this.#value = value;
    this.#wrong = wrong;
    this.#path = path;
  }

  text(key: string): string | undefined {
    return this.#read(key, 'text', isText);
  }

  count(key: string, least = 0): number | undefined {
    const isCount = (found: Json): found is number => Number.isInteger(found) && Number(found) >= least;
    return this.#read(key, `a whole number, at least ${least}`, isCount);
  }

  flag(key: string): boolean | undefined {
    return this.#read(key, 'true or false', (found) => typeof found === 'boolean');
  }

  texts(key: string): string[] | undefined {
    const isTexts = (found: Json): found is string[] => Array.isArray(found) && found.every(isText);
    return this.#read(key, 'a list of texts', isTexts);
  }

  mapping(key: string): IsdlcMapping | undefined {
    const found = this.#read(key, 'a mapping', isJsonObject);
    return found && new IsdlcMapping(found, this.#wrong, [...this.#path, key]);
  }

  mappings(key: string): readonly IsdlcMapping[] {
    const areMappings = (found: Json): found is JsonObject[] =>
      Array.isArray(found) && found.every((item) => isJsonObject(item));
    const found = this.#read(key, 'a list of mappings', areMappings) ?? [];
    return found.map((item, at) => new IsdlcMapping(item, this.#wrong, [...this.#path, key, String(at)]));
  }

  names(): readonly string[] {
    return Object.keys(this.#value).filter((name) => !name.startsWith('_'));
  }

  /** The members of the mapping at a key that are mappings too, each with its name. */
  members(key: string): readonly (readonly [string, IsdlcMapping])[] {
    const at = this.mapping(key);
    return (at?.names() ?? []).flatMap((name) => {
      const member = at?.mapping(name);
      return member === undefined ? [] : [[name, member] as const];
    });
  }

  #read<T extends Json>(key: string, expected: string, fits: (found: Json) => found is T): T | undefined {
    const found = ownValue(this.#value, key) ?? undefined;
    if (found === undefined || fits(found)) return found;
    this.#wrong([...this.#path, key], expected);
    return undefined;
  }
}

function isText(found: Json): found is string {
  return typeof found === 'string' && found !== '';
}

/** Exploration phases, which the `skip_exploration` option of iSDLC skips. */
const EXPLORING = ['00-quick-scan', '02-tracing'];

export function fromWorkflows(file: IsdlcMapping): WorkflowInput {
  const workflows = file.members('workflows');
  const rules = file.mapping('rules');
  const overrides = workflows.map(([name, entry]) => {
    const byPhase = entry.members('agent_modifiers');
    const approved = byPhase.filter(([, modifiers]) => modifiers.flag('require_user_approval') === true);
    return [name, Object.fromEntries(approved.map(([phase]) => [phase, { approval: true }]))] as const;
  });
  return {
    workflows: Object.fromEntries(workflows.map(([name, entry]) => [name, workflowEntry(name, entry)])),
    overrides: Object.fromEntries(overrides),
    discipline: {
      no_halfway_entry: rules?.flag('no_halfway_entry'),
      no_phase_skipping: rules?.flag('no_phase_skipping'),
      single_active_workflow: rules?.flag('single_active_workflow_per_project'),
      require_cancellation_reason: rules?.flag('require_cancellation_reason'),
    },
  };
}

function workflowEntry(name: string, entry: IsdlcMapping): WorkflowEntry {
  const phases = entry.texts('phases');
  const mode = entry.text('gate_mode');
  const requiresBranch = entry.flag('requires_branch');
  // The file says only whether there is a branch; built-in workflows take its name from the preset.
  const isNamed = requiresBranch === true && Object.hasOwn(WORKFLOWS, name);
  const flag = entry.mapping('options')?.mapping('skip_exploration')?.text('flag');
  const explored = phases?.find((phase) => EXPLORING.includes(phase));
  return {
    label: entry.text('label'),
    phases,
    gate_mode: mode === 'strict' || mode === 'permissive' ? mode : undefined,
    branch: isNamed ? undefined : requiresBranch === true ? 'feature/{artifact}' : requiresBranch,
    artifact_prefix: entry.mapping('agent_modifiers')?.mapping('01-requirements')?.text('artifact_prefix'),
    skip: flag === undefined || explored === undefined ? undefined : { [explored]: flag.replace(/^-+/, '') },
  };
}

type ByPhase = Record<string, RequirementsInput>;

/** Our names for the requirements that are switched on one by one, and the file's. */
const PARTS = [
  ['tests', 'test_iteration'],
  ['constitution', 'constitutional_validation'],
  ['elicitation', 'interactive_elicitation'],
] as const;

export function fromRequirements(file: IsdlcMapping): WorkflowInput {
  // In the base, requirements that are not switched on are off.
  const requirements = phasesIn(file, 'phase_requirements', (phase) => {
    const off = PARTS.filter(([, part]) => phase.mapping(part)?.flag('enabled') !== true);
    return { ...changesOf(phase), ...Object.fromEntries(off.map(([key]) => [key, false])) };
  });
  const overrides = file.mapping('workflow_overrides');
  const changed = file.members('workflow_overrides').map(([workflow]) => {
    return [workflow, phasesIn(overrides, workflow, (phase, name) => changesTo(requirements, name, phase))];
  });
  return { requirements, overrides: Object.fromEntries(changed) };
}

function phasesIn(
  file: IsdlcMapping | undefined,
  key: string,
  convert: (phase: IsdlcMapping, name: string) => RequirementsInput,
): ByPhase {
  const found = (file?.members(key) ?? []).flatMap(([name, phase]) => {
    // A phase may contain sub-phases with requirements of their own.
    const inner = Object.entries(phasesIn(phase, 'sub_phases', convert));
    return [[name, convert(phase, name)] as const, ...inner];
  });
  return Object.fromEntries(found);
}

/** Numbers alone change a requirement that the base has switched on; they do not switch it on. */
function changesTo(base: ByPhase, name: string, phase: IsdlcMapping): RequirementsInput {
  // The phase may be in the base under another number.
  const meant = presetPhases(name);
  const isMeant = (one: string): boolean => presetPhases(one).some((each) => meant.includes(each));
  const disabled = PARTS.filter(([key, part]) => {
    const isSet = phase.mapping(part)?.flag('enabled') !== undefined;
    return !isSet && !Object.entries(base).some(([one, input]) => isMeant(one) && isJsonObject(input[key]));
  });
  return { ...changesOf(phase), ...Object.fromEntries(disabled.map(([key]) => [key, undefined])) };
}

/** The requirements that a phase mentions; any other stays undefined. */
function changesOf(phase: IsdlcMapping): RequirementsInput {
  const part = <T>(key: string, convert: (found: IsdlcMapping) => T): T | false | undefined => {
    const found = phase.mapping(key);
    return found?.flag('enabled') === false ? false : found && convert(found);
  };
  const delegation = phase.mapping('agent_delegation_validation') ?? phase.mapping('agent_delegation');
  const cloud = phase.mapping('on_gate_pass')?.mapping('trigger_cloud_config')?.flag('enabled');
  return {
    tests: part('test_iteration', (found) => ({
      max_iterations: found.count('max_iterations', 1),
      same_failures: found.count('circuit_breaker_threshold', 1),
      report_only: found.flag('report_only'),
      min_coverage: found.mapping('success_criteria')?.count('min_coverage_percent'),
    })),
    constitution: part('constitutional_validation', (found) => ({
      articles: found.texts('articles'),
      max_iterations: found.count('max_iterations', 1),
    })),
    elicitation: part('interactive_elicitation', (found) => ({
      min_interactions: found.count('min_menu_interactions'),
      final_selections: found.texts('required_final_selection'),
    })),
    delegation: delegation?.flag('enabled'),
    on_pass: cloud === true ? CLOUD : undefined,
  };
}

/** Converts `skills-manifest.json`: which agent owns which phase. */
export function fromManifest(file: IsdlcMapping): WorkflowInput {
  const agents = file.members('ownership').flatMap(([written, entry]) => {
    const name = plainAgentName(written);
    const phase = entry.text('phase');
    return phase === undefined ? [] : [[name, agentOf(name, phase)] as const];
  });
  return { agents: Object.fromEntries(agents) };
}

/** The manifest has one word per agent; the preset's phases of that agent are added if they agree. */
function agentOf(name: string, phase: string): AgentInput {
  const known = ownValue(AGENTS, name);
  const { phases = [] } = known ?? {};
  if (phase === 'all') return { kind: 'orchestrator', phases: [] };
  if (phase === 'setup') return { kind: 'setup', phases };
  const agrees = presetPhases(phase).some((one) => phases.includes(one));
  const kind = known?.kind === 'sub' ? 'sub' : 'phase';
  return { kind, phases: agrees ? [...new Set([phase, ...phases])] : [phase] };
}

export function fromMonorepo(file: IsdlcMapping): WorkflowInput {
  const projects = file.mapping('projects');
  const paths = (projects?.names() ?? []).map((id) => [id, projects?.mapping(id)?.text('path') ?? id]);
  return { projects: { default: file.text('default_project'), paths: Object.fromEntries(paths) } };
}

/** The only provider whose models a delegation can request by name. */
const PROVIDER = 'anthropic';

/**
 * Converts `providers.yaml`: only which model an agent or a phase gets. Other providers, keys, addresses and
 * health checks do not concern a hook.
 */
export function fromProviders(file: IsdlcMapping): WorkflowInput {
  // Hosts accept an alias such as `opus`; the file may have the full id of a model.
  const models = file.mapping('providers')?.mapping(PROVIDER)?.mappings('models') ?? [];
  const named = models.filter((model) => model.text('alias') !== undefined);
  const short = new Map(named.map((model) => [model.text('id'), model.text('alias')]));
  const modelOf = (provider = PROVIDER, model?: string): string | undefined =>
    model === undefined || provider !== PROVIDER ? undefined : (short.get(model) ?? model);
  const routeOf = (route?: IsdlcMapping): string | undefined =>
    modelOf(route?.text('provider'), route?.text('model'));
  const routesIn = (key: string): Record<string, string> => {
    const routes = file.members(key).map(([name, route]) => [name, routeOf(route)] as const);
    return Object.fromEntries(routes.flatMap(([name, model]) => (model ? [[name, model]] : [])));
  };
  const chosen = file.text('active_mode');
  const mode = chosen === undefined ? undefined : file.mapping('modes')?.mapping(chosen);
  const provider = mode?.text('default_provider');
  const isSet = provider !== undefined;
  return {
    models: {
      agents: routesIn('agent_overrides'),
      phases: chosen === 'hybrid' ? routesIn('phase_routing') : {},
      default: isSet ? modelOf(provider, mode?.text('default_model')) : routeOf(file.mapping('defaults')),
    },
  };
}
