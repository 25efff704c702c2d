import { isJsonObject } from '../../../core/json';
import { plainAgentName } from '../delegation';
import {
  type Agent,
  canonicalPhases,
  own,
  ownersOf,
  type Phase,
  type PhaseRequirements,
  type Projects,
  type Routes,
  RULE_NAMES,
  type RuleSetting,
  type Workflow,
  type WorkflowModel,
} from '../model';
import { ISDLC, RULE_DEFAULTS } from './preset';
import type { AgentInput, RequirementsInput, WorkflowInput } from './schema';
import { compileWorkflows, type Draft, type InputLayer, notInWorkflow, reportUnknown } from './workflows';

const PLAN_PATHS = ['docs/isdlc/{project}tasks.md', '.isdlc/{project}tasks.md'];
const CONSTITUTION_PATHS = ['docs/isdlc/{project}constitution.md', '.isdlc/{project}constitution.md'];
const PROTECTED = ['main', 'master', '@default'];

/** The model of a project that configures nothing: the built-in workflows as they are. */
export function builtinModel(): WorkflowModel {
  const report = (path: readonly string[], message: string): never => {
    throw new Error(`the built-in workflows are wrong at ${path.join('/')}: ${message}`);
  };
  return { ...compileModel([{ input: ISDLC, written: false, report }], 'builtin'), problems: [] };
}

/** What the parts of the model are compiled from. */
interface Sources {
  readonly layers: readonly InputLayer[];
  readonly drafts: readonly Draft[];
  readonly phaseAliases: WorkflowModel['phaseAliases'];
  /** What the gates of phases ask for in general. */
  readonly asked: ByPhase;
}

type Layers = Sources['layers'];

/**
 * The model of all layers, in rising priority. What is wrong is reported, and left out of the model, so that
 * every gate can be passed and no phase waits for one that comes after it.
 */
export function compileModel(
  layers: Layers,
  manifest: WorkflowModel['manifest'],
): Omit<WorkflowModel, 'problems'> {
  const phaseAliases = compileAliases(layers);
  const required = layers.map(({ input }) => input.requirements);
  const asked = mergeByPhase(phaseAliases, required);
  const sources = { layers, drafts: compileWorkflows(layers), phaseAliases, asked };
  const agents = compileAgents(sources);
  const isOwned = (phase: string): boolean => ownersOf({ agents, phaseAliases }, phase).length > 0;
  const phases = compilePhases(sources, isOwned);
  const routes = compileRoutes(sources);
  const said = merged(layers.map(({ input }) => input.discipline));
  return {
    workflows: compileOverrides(sources, phases, isOwned),
    phases,
    agents,
    phaseAliases,
    rules: compileRules(layers, routes),
    protectedBranches: highest(layers, 'protected_branches') ?? PROTECTED,
    projects: compileProjects(layers),
    planPaths: highest(layers, 'plan_paths') ?? PLAN_PATHS,
    constitutionPaths: highest(layers, 'constitution_paths') ?? CONSTITUTION_PATHS,
    testCommands: highest(layers, 'test_commands') ?? [],
    setupCommands: (highest(layers, 'setup_commands') ?? []).map((command) => command.toLowerCase()),
    obligations: Object.entries(merged(layers.map(({ input }) => input.must_delegate))).map(
      ([skill, { agent, exempt = [] }]) => ({ skill, agent, exempt }),
    ),
    routes,
    manifest,
    discipline: {
      noHalfwayEntry: said['no_halfway_entry'] ?? true,
      noPhaseSkipping: said['no_phase_skipping'] ?? true,
      singleActiveWorkflow: said['single_active_workflow'] ?? true,
      requireCancellationReason: said['require_cancellation_reason'] ?? true,
    },
  };
}

/** The value of the highest layer that has one. */
function highest<K extends keyof WorkflowInput>(layers: Layers, key: K): WorkflowInput[K] | undefined {
  return layers.findLast((layer) => layer.input[key] !== undefined)?.input[key];
}

/** Mappings as one; later ones replace members of the same name. */
function merged<T>(mappings: readonly (Readonly<Record<string, T>> | undefined)[]): Record<string, T> {
  return Object.fromEntries(mappings.flatMap((mapping) => Object.entries(mapping ?? {})));
}

/** Every alias with the phases that it finally stands for. */
function compileAliases(layers: Layers): WorkflowModel['phaseAliases'] {
  const direct = new Map(Object.entries(merged(layers.map(({ input }) => input.phase_aliases))));
  const targetsOf = (name: string, passed: readonly string[]): readonly string[] | undefined => {
    if (passed.includes(name)) return undefined;
    const names = direct.get(name);
    if (names === undefined) return [name];
    const all = [names].flat().map((next) => targetsOf(next, [...passed, name]));
    return all.includes(undefined) ? undefined : [...new Set(all.flatMap((targets) => targets ?? []))];
  };
  const found = [...direct.keys()].flatMap((alias) => {
    const targets = targetsOf(alias, []);
    if (targets !== undefined) return [[alias, targets] as const];
    const layer = layers.findLast(({ input }) => Object.hasOwn(input.phase_aliases ?? {}, alias));
    layer?.report(['phase_aliases', alias], `phase alias \`${alias}\` leads back to itself`);
    return [];
  });
  return Object.fromEntries(found);
}

/** The phases that a workflow works through, or about which something special is said. */
function workedPhases(sources: Sources): ReadonlySet<string> {
  const { drafts, layers } = sources;
  const special = layers.flatMap(({ input }) => Object.keys(input.phases ?? {}));
  const names = [...drafts.flatMap(({ phases }) => phases), ...special];
  return new Set(names.flatMap((name) => canonicalPhases(sources, name)));
}

type ByPhase = ReadonlyMap<string, RequirementsInput>;

/** Every phase that a workflow has or that somebody says something about. */
function compilePhases(sources: Sources, isOwned: (phase: string) => boolean): readonly Phase[] {
  const { asked } = sources;
  const worked = workedPhases(sources);
  for (const layer of sources.layers.filter(({ written }) => written)) {
    for (const name of Object.keys(layer.input.requirements ?? {}))
      reportUnknownPhase(sources, layer, ['requirements', name], name, worked);
  }
  const special = new Map<string, NonNullable<WorkflowInput['phases']>[string]>();
  for (const [name, input] of sources.layers.flatMap((layer) => Object.entries(layer.input.phases ?? {})))
    for (const phase of canonicalPhases(sources, name))
      special.set(phase, { ...special.get(phase), ...input });
  return [...new Set([...worked, ...asked.keys()])].map((name) => ({
    name,
    needsPlan: special.get(name)?.needs_plan ?? false,
    makesPlan: special.get(name)?.makes_plan ?? false,
    requirements: compileRequirements(asked.get(name) ?? {}, isOwned(name)),
  }));
}

/** Reports a name that stands for none of the known phases. */
function reportUnknownPhase(
  sources: Sources,
  layer: InputLayer,
  path: readonly string[],
  name: string,
  known: ReadonlySet<string>,
  message = `no workflow has a phase \`${name}\``,
): void {
  if (canonicalPhases(sources, name).some((phase) => known.has(phase))) return;
  reportUnknown(layer, path, name, message, known);
}

/**
 * Requirements of several sources as one mapping by the phases' own names. What is written under an
 * alias gives way to what the same source says under the name itself.
 */
function mergeByPhase(
  phaseAliases: WorkflowModel['phaseAliases'],
  mappings: readonly (Readonly<Record<string, RequirementsInput>> | undefined)[],
): ByPhase {
  const byPhase = new Map<string, RequirementsInput>();
  for (const mapping of mappings) {
    const names = Object.keys(mapping ?? {});
    const isAlias = (name: string): boolean => Object.hasOwn(phaseAliases, name);
    for (const name of [...names.filter(isAlias), ...names.filter((one) => !isAlias(one))]) {
      for (const phase of canonicalPhases({ phaseAliases }, name))
        byPhase.set(phase, overlay(byPhase.get(phase), mapping?.[name]));
    }
  }
  return byPhase;
}

/** Requirements with others on top: a mapping changes the one below, anything else replaces it. */
function overlay(lower: RequirementsInput = {}, upper: RequirementsInput = {}): RequirementsInput {
  const below: Readonly<Record<string, unknown>> = lower;
  const changed = Object.entries(upper).map(([key, value]) => {
    const old = below[key];
    return [key, isJsonObject(old) && isJsonObject(value) ? { ...old, ...value } : value];
  });
  return { ...lower, ...Object.fromEntries(changed) };
}

/** What a gate requires, with the usual numbers where none are given. Nobody can delegate to a missing owner. */
function compileRequirements(input: RequirementsInput, isOwned: boolean): PhaseRequirements {
  const tests = partOf(input.tests);
  const constitution = partOf(input.constitution);
  const elicitation = partOf(input.elicitation);
  return {
    tests: tests && {
      maxIterations: tests.max_iterations ?? 10,
      breaker: tests.same_failures ?? 3,
      reportOnly: tests.report_only ?? false,
      minCoverage: tests.min_coverage,
    },
    constitution: constitution && {
      articles: constitution.articles ?? [],
      maxIterations: constitution.max_iterations ?? 5,
    },
    elicitation: elicitation && {
      minInteractions: elicitation.min_interactions ?? 3,
      finalSelections: elicitation.final_selections ?? ['save', 'continue'],
    },
    delegation: (input.delegation === true && isOwned) || undefined,
    approval: input.approval === true || undefined,
    onPass: input.on_pass?.map(({ trigger, unless_set }) => ({ trigger, unlessSet: unless_set })),
  };
}

function partOf<T extends object>(value: T | boolean | undefined): Partial<T> | undefined {
  return value === true ? {} : value || undefined;
}

/** The workflows, with the requirements of phases that differ there. */
function compileOverrides(
  sources: Sources,
  phases: readonly Phase[],
  isOwned: (phase: string) => boolean,
): readonly Workflow[] {
  const { drafts, layers, asked } = sources;
  reportUnknownOverrides(sources);
  const orphans = new Set<string>();
  return drafts.map((draft): Workflow => {
    const { layer, lineage, ...others } = draft;
    const said = layers.flatMap(({ input }) => lineage.map((name) => own(input.overrides ?? {}, name)));
    const overrides = mergeByPhase(sources.phaseAliases, said);
    const inputOf = (phase: string): RequirementsInput => overlay(asked.get(phase), overrides.get(phase));
    for (const [index, phase] of draft.phases.entries()) {
      const [canonical = phase] = canonicalPhases(sources, phase);
      if (orphans.has(canonical) || isOwned(phase)) continue;
      orphans.add(canonical);
      if (layer.written || inputOf(canonical).delegation === true) reportOrphan(draft, index);
    }
    const worked = draft.phases.flatMap((phase) => canonicalPhases(sources, phase));
    const requirements = [...overrides.keys()]
      .filter((phase) => worked.includes(phase))
      .map((phase) => [phase, compileRequirements(inputOf(phase), isOwned(phase))]);
    return {
      ...others,
      plan: hasPlanInTime(sources, draft, phases),
      requirements: Object.fromEntries(requirements),
    };
  });
}

function reportUnknownOverrides(sources: Sources): void {
  const { drafts, layers } = sources;
  for (const layer of layers.filter(({ written }) => written)) {
    for (const [name, byPhase] of Object.entries(layer.input.overrides ?? {})) {
      const draft = drafts.find((one) => one.name === name);
      const known = drafts.map((one) => one.name);
      if (draft === undefined)
        reportUnknown(layer, ['overrides', name], name, `there is no workflow \`${name}\``, known);
      const worked = new Set(draft?.phases.flatMap((phase) => canonicalPhases(sources, phase)));
      for (const phase of draft === undefined ? [] : Object.keys(byPhase)) {
        const path = ['overrides', name, phase];
        reportUnknownPhase(sources, layer, path, phase, worked, notInWorkflow(name, phase));
      }
    }
  }
}

function reportOrphan({ name, phases, layer }: Draft, index: number): void {
  const phase = phases[index];
  layer.report(
    ['workflows', name, 'phases', String(index)],
    `no agent works in phase \`${phase}\` of workflow \`${name}\`: its gate goes without a delegation`,
    `give an agent the phase: agents: {my-agent: {phases: [${phase}]}}`,
  );
}

/** Whether the plan is made before the first phase that waits for it. */
function hasPlanInTime(sources: Sources, { name, phases, layer }: Draft, all: readonly Phase[]): boolean {
  const found = phases.map((phase) => all.find((one) => one.name === canonicalPhases(sources, phase)[0]));
  const makes = found.findIndex((phase) => phase?.makesPlan);
  const waits = found.findIndex((phase) => phase?.needsPlan);
  if (makes < 0 || waits < 0 || makes < waits) return makes >= 0 && waits >= 0;
  layer.report(
    ['workflows', name, 'phases', String(waits)],
    `in workflow \`${name}\` phase \`${phases[waits]}\` waits for the plan that only \`${phases[makes]}\` makes, which comes later: it goes without`,
  );
  return false;
}

type AgentDraft = { readonly name: string; readonly input: AgentInput; readonly layer: InputLayer };

/** All agents, those of higher layers first. */
function compileAgents(sources: Sources): readonly Agent[] {
  const drafts = new Map<string, AgentDraft>();
  for (const layer of sources.layers.toReversed()) {
    for (const [written, input] of Object.entries(layer.input.agents ?? {})) {
      const name = plainAgentName(written);
      const above = drafts.get(name);
      drafts.set(name, { name, layer: above?.layer ?? layer, input: { ...input, ...above?.input } });
    }
  }
  const known = new Set([...workedPhases(sources), ...sources.asked.keys()]);
  const agents = [...drafts.values()].flatMap((draft) => agentOf(sources, draft, known));
  // An alias means one agent: a name goes before it, and so does the same alias of an agent before.
  const taken = new Map(agents.map(({ name }) => [name, name]));
  return agents.map((agent) => {
    const layer = drafts.get(agent.name)?.layer;
    const aliases = agent.aliases.filter((alias) => {
      const other = taken.get(alias) ?? agent.name;
      taken.set(alias, other);
      if (other === agent.name) return alias !== agent.name;
      const message = `agent \`${agent.name}\` cannot be called \`${alias}\`, which means \`${other}\``;
      if (layer?.written) layer.report(['agents', agent.name, 'aliases'], message);
      return false;
    });
    return { ...agent, aliases };
  });
}

function agentOf(sources: Sources, { name, input, layer }: AgentDraft, known: ReadonlySet<string>): Agent[] {
  const { kind = 'phase', phases = [], aliases = [] } = input;
  if (kind === 'generic') return [];
  if ((kind === 'phase' || kind === 'sub') && phases.length === 0) {
    layer.report(['agents', name], `agent \`${name}\` has no phases to work in, and so is nobody special`);
    return [];
  }
  for (const [index, phase] of layer.written ? phases.entries() : [])
    reportUnknownPhase(sources, layer, ['agents', name, 'phases', String(index)], phase, known);
  return [{ name, kind, phases, aliases: aliases.map(plainAgentName) }];
}

/** How strict each rule is, and whom it tells. */
function compileRules(layers: Layers, routes: Routes | undefined): WorkflowModel['rules'] {
  const settings = RULE_NAMES.map((name): [string, RuleSetting] => {
    const usual = RULE_DEFAULTS[name] ?? { mode: 'deny', tell: 'both' };
    // Without any models there is nothing to route to.
    const idle = name === 'model-provider-router' && routes === undefined && { mode: 'disabled' };
    return [name, Object.assign({}, usual, idle, ...layers.map(({ input }) => input.rules?.[name]))];
  });
  return Object.fromEntries(settings) as WorkflowModel['rules'];
}

/** Which model delegations get; `undefined` where nobody has configured any. */
function compileRoutes({ layers, ...aliases }: Sources): Routes | undefined {
  const said = layers.flatMap(({ input }) => input.models ?? []);
  const agents = Object.entries(merged(said.map((models) => models.agents)));
  const byPhase = merged(said.map((models) => models.phases));
  const otherwise = said.findLast((models) => models.default !== undefined)?.default;
  if (agents.length === 0 && Object.keys(byPhase).length === 0 && otherwise === undefined) return undefined;
  // Under every name that the phase goes by: the state may have another than the one written here.
  const phases = Object.entries(byPhase).flatMap(([name, model]) => {
    const meant = canonicalPhases(aliases, name);
    const others = Object.keys(aliases.phaseAliases).filter((alias) =>
      canonicalPhases(aliases, alias).some((phase) => meant.includes(phase)),
    );
    return [...others, ...meant].map((phase) => [phase, model] as const);
  });
  return {
    byAgent: Object.fromEntries(agents.map(([name, model]) => [plainAgentName(name), model])),
    byPhase: { ...Object.fromEntries(phases), ...byPhase },
    otherwise,
  };
}

/** An id becomes part of a path, so it must be a plain name. */
const PROJECT_ID = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** The projects of the highest layer that has any. */
function compileProjects(layers: Layers): Projects | undefined {
  const layer = layers.findLast(({ input }) => input.projects !== undefined);
  const given = layer?.input.projects;
  if (layer === undefined || given === undefined) return undefined;
  const list = Object.entries(given.paths).flatMap(([id, path]) => {
    const parts = path.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
    if (PROJECT_ID.test(id)) return [{ id, path: parts.join('/') }];
    const message = `\`${id}\` is no id of a project: letters, digits, dots, dashes and underscores`;
    layer.report(['projects', 'paths', id], message);
    return [];
  });
  if (given.default === undefined) return { list };
  if (list.some(({ id }) => id === given.default)) return { default: given.default, list };
  layer.report(['projects', 'default'], `\`default\` names \`${given.default}\`, which is no project`);
  return { list };
}
