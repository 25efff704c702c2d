import { isJsonObject } from '../../../core/json';
import { plainAgentName } from '../delegation';
import {
  type Aliases,
  canonicalPhases,
  MODE_WORDS,
  ownersOf,
  ownValue,
  RULE_NAMES,
  type RuleName,
  type RuleSetting,
} from '../model';
import { DENIES, ISDLC, RULE_DEFAULTS } from './preset';
import type { AgentInput, RequirementsInput, WorkflowInput } from './schema';
import { compileWorkflows, type Draft, type InputLayer, notInWorkflow, reportUnknown } from './workflows';

const PROTECTED = ['main', 'master', '@default'];

/** The model of a project without config: the built-in workflows as they are. */
export function builtinModel() {
  const report = (path: readonly string[], message: string): never => {
    throw new Error(`the built-in workflows are wrong at ${path.join('/')}: ${message}`);
  };
  return { ...compileModel([{ input: ISDLC, written: false, report }], 'builtin'), problems: [] };
}

type Layers = readonly InputLayer[];

/** What the parts of the model are compiled from. */
interface Sources extends Aliases {
  readonly layers: Layers;
  readonly drafts: readonly Draft[];
  /** What the gates of phases require before the overrides of single workflows. */
  readonly asked: ReadonlyMap<string, RequirementsInput>;
}

/**
 * The model of all layers, in rising priority. Invalid entries are reported and left out, so that every gate
 * can be passed and no phase waits for a later one. `manifest` says where the agents come from; `unreadable`
 * means that the project's own list of them is broken.
 */
export function compileModel(layers: Layers, manifest: 'builtin' | 'file' | 'unreadable') {
  const inputs = layers.map(({ input }) => input);
  const highest = <K extends keyof WorkflowInput>(key: K): WorkflowInput[K] =>
    inputs.findLast((input) => input[key] !== undefined)?.[key];
  const phaseAliases = compileAliases(layers);
  const required = inputs.map((input) => input.requirements);
  const asked = mergeByPhase(phaseAliases, required);
  const sources = { layers, drafts: compileWorkflows(layers), phaseAliases, asked };
  const agents = compileAgents(sources);
  const isOwned = (phase: string): boolean => ownersOf({ agents, phaseAliases }, phase).length > 0;
  const phases = compilePhases(sources, isOwned);
  const routes = compileRoutes(inputs);
  const said = merged(inputs.map((input) => input.discipline));
  return {
    workflows: compileOverrides(sources, phases, isOwned),
    phases,
    agents,
    phaseAliases,
    rules: compileRules(inputs, routes !== undefined),
    protectedBranches: highest('protected_branches') ?? PROTECTED,
    /** Only in a monorepo. */
    projects: compileProjects(layers),
    /** Only if the config sets them. */
    planPaths: highest('plan_paths'),
    constitutionPaths: highest('constitution_paths'),
    without: highest('without') ?? [],
    testCommands: highest('test_commands') ?? [],
    setupCommands: (highest('setup_commands') ?? []).map((command) => command.toLowerCase()),
    obligations: Object.entries(merged(inputs.map((input) => input.must_delegate))).map(
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

/** Merges mappings; later ones replace members of the same name. */
function merged<T>(mappings: readonly (Readonly<Record<string, T>> | undefined)[]): Record<string, T> {
  return Object.fromEntries(mappings.flatMap((mapping) => Object.entries(mapping ?? {})));
}

/** Every alias with the phases it resolves to. */
function compileAliases(layers: Layers): Aliases['phaseAliases'] {
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
    layer?.report(['phase_aliases', alias], `phase alias \`${alias}\` refers to itself`);
    return [];
  });
  return Object.fromEntries(found);
}

/** The phases of all workflows, and those that have an entry under `phases` in the config. */
function workedPhases(sources: Sources): ReadonlySet<string> {
  const special = sources.layers.flatMap(({ input }) => Object.keys(input.phases ?? {}));
  const names = [...sources.drafts.flatMap(({ phases }) => phases), ...special];
  return new Set(names.flatMap((name) => canonicalPhases(sources, name)));
}

type Phases = ReturnType<typeof compilePhases>;

/** Every phase that a workflow has or that the config mentions. */
function compilePhases(sources: Sources, isOwned: (phase: string) => boolean) {
  const { layers, asked, phaseAliases } = sources;
  const worked = workedPhases(sources);
  for (const layer of layers)
    for (const name of Object.keys(layer.input.requirements ?? {}))
      reportUnknownPhase(sources, layer, ['requirements', name], name, worked);
  const said = layers.map(({ input }) => input.phases);
  const special = mergeByPhase(phaseAliases, said);
  return [...new Set([...worked, ...asked.keys()])].map((name) => ({
    name,
    needsPlan: special.get(name)?.needs_plan ?? false,
    makesPlan: special.get(name)?.makes_plan ?? false,
    requirements: compileRequirements(asked.get(name) ?? {}, isOwned(name)),
  }));
}

/** Reports a name in the user's config that is not a known phase. */
function reportUnknownPhase(
  sources: Sources,
  layer: InputLayer,
  path: readonly string[],
  name: string,
  known: ReadonlySet<string>,
  message = `no workflow has a phase \`${name}\``,
): void {
  if (!layer.written || canonicalPhases(sources, name).some((phase) => known.has(phase))) return;
  reportUnknown(layer, path, name, message, known);
}

/**
 * Merges what several sources say about phases, under the phases' canonical names. Within a source, an entry
 * under an alias yields to one under the name itself.
 */
function mergeByPhase<T extends object>(
  phaseAliases: Aliases['phaseAliases'],
  mappings: readonly (Readonly<Record<string, T>> | undefined)[],
): ReadonlyMap<string, T> {
  const byPhase = new Map<string, T>();
  for (const mapping of mappings) {
    const isName = ([name]: [string, T]): number => Number(!Object.hasOwn(phaseAliases, name));
    const aliasesFirst = Object.entries(mapping ?? {}).sort((a, b) => isName(a) - isName(b));
    for (const [name, input] of aliasesFirst)
      for (const phase of canonicalPhases({ phaseAliases }, name))
        byPhase.set(phase, overlay(byPhase.get(phase), input));
  }
  return byPhase;
}

/** Puts one mapping over another: mappings inside are merged, anything else is replaced. */
function overlay<T extends object>(lower: T | undefined, upper: T | undefined): T {
  const below: Readonly<Record<string, unknown>> = { ...lower };
  const changed = Object.entries(upper ?? {}).map(([key, value]) => {
    const old = below[key];
    return [key, isJsonObject(old) && isJsonObject(value) ? { ...old, ...value } : value];
  });
  return { ...below, ...Object.fromEntries(changed) };
}

/** What a gate requires, with defaults. Without an owner, no delegation is required. */
function compileRequirements(input: RequirementsInput, isOwned: boolean) {
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
      // As `flow record constitution` spells them.
      articles: (constitution.articles ?? []).map((article) => article.toUpperCase()),
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

/** The workflows, each with the requirements of phases that differ there. */
function compileOverrides(sources: Sources, phases: Phases, isOwned: (phase: string) => boolean) {
  const { drafts, layers, asked } = sources;
  reportUnknownOverrides(sources);
  const orphans = new Set<string>();
  return drafts.map((draft) => {
    const { layer, lineage, ...others } = draft;
    const said = layers.flatMap(({ input }) => lineage.map((name) => ownValue(input.overrides ?? {}, name)));
    const overrides = mergeByPhase(sources.phaseAliases, said);
    const inputOf = (phase: string): RequirementsInput => overlay(asked.get(phase), overrides.get(phase));
    for (const [index, phase] of draft.phases.entries()) {
      const [canonical = phase] = canonicalPhases(sources, phase);
      if (orphans.has(canonical) || isOwned(phase)) continue;
      orphans.add(canonical);
      if (!layer.written && inputOf(canonical).delegation !== true) continue;
      layer.report(
        ['workflows', draft.name, 'phases', String(index)],
        `no agent works in phase \`${phase}\` of workflow \`${draft.name}\`, so any agent may do it`,
        `add one: agents: {my-agent: {phases: [${phase}]}}`,
      );
    }
    const worked = draft.phases.flatMap((phase) => canonicalPhases(sources, phase));
    const requirements = [...overrides.keys()]
      .filter((phase) => worked.includes(phase))
      .map((phase) => [phase, compileRequirements(inputOf(phase), isOwned(phase))] as const);
    return {
      ...others,
      /** Whether one of its phases makes a plan that later ones may require. */
      plan: hasPlanInTime(sources, draft, phases),
      /** Phases whose requirements differ in this workflow, with all their requirements. */
      requirements: Object.fromEntries(requirements),
    };
  });
}

function reportUnknownOverrides(sources: Sources): void {
  const { drafts, layers } = sources;
  for (const layer of layers.filter(({ written }) => written)) {
    for (const [name, byPhase] of Object.entries(layer.input.overrides ?? {})) {
      const path = ['overrides', name];
      const draft = drafts.find((one) => one.name === name);
      if (draft === undefined) {
        const known = drafts.map((one) => one.name);
        reportUnknown(layer, path, name, `unknown workflow \`${name}\``, known);
        continue;
      }
      const worked = new Set(draft.phases.flatMap((phase) => canonicalPhases(sources, phase)));
      for (const phase of Object.keys(byPhase))
        reportUnknownPhase(sources, layer, [...path, phase], phase, worked, notInWorkflow(name, phase));
    }
  }
}

/** Whether the plan is made before the first phase that needs it. */
function hasPlanInTime(sources: Sources, { name, phases, layer }: Draft, all: Phases): boolean {
  const found = phases.map((phase) => all.find((one) => one.name === canonicalPhases(sources, phase)[0]));
  const makes = found.findIndex((phase) => phase?.makesPlan);
  const waits = found.findIndex((phase) => phase?.needsPlan);
  if (makes < 0 || waits < 0 || makes < waits) return makes >= 0 && waits >= 0;
  layer.report(
    ['workflows', name, 'phases', String(waits)],
    `in workflow \`${name}\`, phase \`${phases[waits]}\` needs a plan that only the later phase \`${phases[makes]}\` makes, so it does not wait for one`,
  );
  return false;
}

/** All agents, those of higher layers first: if several own a phase, messages name the first. */
function compileAgents(sources: Sources) {
  const drafts = new Map<string, { readonly input: AgentInput; readonly layer: InputLayer }>();
  for (const layer of sources.layers.toReversed()) {
    for (const [written, input] of Object.entries(layer.input.agents ?? {})) {
      const above = drafts.get(plainAgentName(written));
      const draft = { layer: above?.layer ?? layer, input: { ...input, ...above?.input } };
      drafts.set(plainAgentName(written), draft);
    }
  }
  const known = new Set([...workedPhases(sources), ...sources.asked.keys()]);
  const agents = [...drafts].flatMap(([name, { input, layer }]) => {
    const { kind = 'phase', phases = [], aliases = [] } = input;
    if (kind === 'generic') return [];
    if ((kind === 'phase' || kind === 'sub') && phases.length === 0) {
      layer.report(['agents', name], `agent \`${name}\` has no phases`);
      return [];
    }
    for (const [index, phase] of phases.entries())
      reportUnknownPhase(sources, layer, ['agents', name, 'phases', String(index)], phase, known);
    return [{ name, kind, phases, aliases: aliases.map(plainAgentName) }];
  });
  // As the lookup goes: names take precedence over aliases, and earlier agents over later ones.
  for (const { name, aliases } of agents) {
    const layer = drafts.get(name)?.layer;
    for (const alias of layer?.written ? aliases : []) {
      const taken =
        agents.find((one) => one.name === alias) ?? agents.find((one) => one.aliases.includes(alias));
      const message = `agent \`${name}\` cannot have the alias \`${alias}\`, which is \`${taken?.name}\``;
      if (taken?.name !== name) layer?.report(['agents', name, 'aliases'], message);
    }
  }
  return agents;
}

/** Without configured models, the router is disabled. */
function compileRules(inputs: readonly WorkflowInput[], hasRoutes: boolean) {
  const settings = RULE_NAMES.map((name) => {
    const usual = RULE_DEFAULTS[name] ?? DENIES;
    const idle = name === 'model-provider-router' && !hasRoutes && { mode: 'disabled' };
    const said = Object.assign({}, usual, idle, ...inputs.map((input) => input.rules?.[name]));
    return [name, { ...said, mode: ownValue(MODE_WORDS, said.mode) ?? said.mode }];
  });
  return Object.fromEntries(settings) as Readonly<Record<RuleName, RuleSetting>>;
}

/** The model of delegations: the agent's own before that of the phase; `undefined` if none is configured. */
function compileRoutes(inputs: readonly WorkflowInput[]) {
  const said = inputs.flatMap(({ models }) => models ?? []);
  const agents = Object.entries(merged(said.map((models) => models.agents)));
  const byPhase = merged(said.map((models) => models.phases));
  const otherwise = said.findLast((models) => models.default !== undefined)?.default;
  if (agents.length === 0 && Object.keys(byPhase).length === 0 && otherwise === undefined) return undefined;
  return {
    byAgent: Object.fromEntries(agents.map(([name, model]) => [plainAgentName(name), model])),
    byPhase,
    otherwise,
  };
}

/** An id becomes part of a path, so it must be a plain name. */
const PROJECT_ID = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** The projects of the highest layer that has any. Paths have forward slashes and no trailing one. */
function compileProjects(layers: Layers) {
  const layer = layers.findLast(({ input }) => input.projects !== undefined);
  const given = layer?.input.projects;
  if (layer === undefined || given === undefined) return undefined;
  const list = Object.entries(given.paths).flatMap(([id, path]) => {
    const parts = path.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
    if (PROJECT_ID.test(id)) return [{ id, path: parts.join('/') }];
    const message = `\`${id}\` is not a valid project id; use letters, digits, dots, dashes and underscores`;
    layer.report(['projects', 'paths', id], message);
    return [];
  });
  const isKnown = list.some(({ id }) => id === given.default);
  if (given.default !== undefined && !isKnown)
    layer.report(['projects', 'default'], `\`default\` names \`${given.default}\`, which is not a project`);
  return { default: isKnown ? given.default : undefined, list };
}
