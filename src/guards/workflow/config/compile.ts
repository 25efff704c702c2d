import { isJsonObject } from '../../../core/json';
import { plainAgentName } from '../delegation';
import {
  type Agent,
  canonicalPhases,
  type Discipline,
  ownersOf,
  type Phase,
  type PhaseRequirements,
  type Projects,
  phaseNamed,
  type Routes,
  RULE_NAMES,
  type RuleName,
  type RuleSetting,
  requirementsOf,
  type Workflow,
  type WorkflowModel,
} from '../model';
import { defaultSetting, ISDLC } from './preset';
import type { AgentInput, RequirementsInput, WorkflowInput } from './schema';
import { compileWorkflows, type Draft, type InputLayer, notInWorkflow, reportUnknown } from './workflows';

const PLAN_PATHS = ['docs/isdlc/{project}tasks.md', '.isdlc/{project}tasks.md'];
const CONSTITUTION_PATHS = ['docs/isdlc/{project}constitution.md', '.isdlc/{project}constitution.md'];
const PROTECTED = ['main', 'master', '@default'];

type Layers = readonly InputLayer[];
type Aliases = Pick<WorkflowModel, 'phaseAliases'>;

/** The model of a project that configures nothing: the built-in workflows as they are. */
export function builtinModel(): WorkflowModel {
  const report = (path: readonly string[], message: string): never => {
    throw new Error(`the built-in workflows are wrong at ${path.join('/')}: ${message}`);
  };
  return { ...compileModel([{ input: ISDLC, written: false, report }], 'builtin'), problems: [] };
}

/** The model of all layers, in rising priority. What is wrong is reported, and left out of the model. */
export function compileModel(
  layers: Layers,
  manifest: WorkflowModel['manifest'],
): Omit<WorkflowModel, 'problems'> {
  const aliases = { phaseAliases: compileAliases(layers) };
  const drafts = compileWorkflows(layers);
  const phases = compilePhases(layers, drafts, aliases);
  const workflows = compileOverrides(layers, drafts, aliases);
  const projects = compileProjects(layers);
  const routes = compileRoutes(layers, aliases);
  const model = {
    workflows,
    phases,
    agents: compileAgents(
      layers,
      aliases,
      phases.map(({ name }) => name),
    ),
    ...aliases,
    rules: compileRules(layers, routes),
    protectedBranches: highest(layers, 'protected_branches') ?? PROTECTED,
    ...(projects !== undefined && { projects }),
    planPaths: highest(layers, 'plan_paths') ?? PLAN_PATHS,
    constitutionPaths: highest(layers, 'constitution_paths') ?? CONSTITUTION_PATHS,
    testCommands: highest(layers, 'test_commands') ?? [],
    setupCommands: (highest(layers, 'setup_commands') ?? []).map((command) => command.toLowerCase()),
    obligations: Object.entries(merged(layers.map(({ input }) => input.must_delegate))).map(
      ([skill, { agent, exempt = [] }]) => ({ skill, agent, exempt }),
    ),
    ...(routes !== undefined && { routes }),
    manifest,
    discipline: compileDiscipline(layers),
  };
  return soundModel(model, drafts);
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
  return Object.fromEntries(
    [...direct.keys()].flatMap((alias) => {
      const targets = targetsOf(alias, []);
      if (targets !== undefined) return [[alias, targets] as const];
      const layer = layers.findLast(({ input }) => Object.hasOwn(input.phase_aliases ?? {}, alias));
      layer?.report(['phase_aliases', alias], `phase alias \`${alias}\` leads back to itself`);
      return [];
    }),
  );
}

/** Every phase that a workflow has or that somebody says something about. */
function compilePhases(layers: Layers, drafts: readonly Draft[], aliases: Aliases): readonly Phase[] {
  const requirements = mergeByPhase(
    layers.map(({ input }) => input.requirements),
    aliases,
  );
  const special = new Map<string, NonNullable<WorkflowInput['phases']>[string]>();
  for (const [name, input] of layers.flatMap((layer) => Object.entries(layer.input.phases ?? {}))) {
    for (const phase of canonicalPhases(aliases, name))
      special.set(phase, { ...special.get(phase), ...input });
  }
  const worked = new Set(
    [...drafts.flatMap(({ phases }) => phases), ...special.keys()].flatMap((name) =>
      canonicalPhases(aliases, name),
    ),
  );
  for (const layer of layers.filter(({ written }) => written)) {
    for (const name of Object.keys(layer.input.requirements ?? {}))
      reportUnknownPhase(layer, ['requirements', name], name, worked, aliases, noSuchPhase(name));
  }
  return [...new Set([...worked, ...requirements.keys()])].map((name) => ({
    name,
    needsPlan: special.get(name)?.needs_plan ?? false,
    makesPlan: special.get(name)?.makes_plan ?? false,
    requirements: compileRequirements(requirements.get(name) ?? {}),
  }));
}

function noSuchPhase(phase: string): string {
  return `no workflow has a phase \`${phase}\``;
}

/** Reports a name that stands for none of the known phases. */
function reportUnknownPhase(
  layer: InputLayer,
  path: readonly string[],
  name: string,
  known: ReadonlySet<string>,
  aliases: Aliases,
  message: string,
): void {
  if (canonicalPhases(aliases, name).some((phase) => known.has(phase))) return;
  reportUnknown(layer, path, name, message, known);
}

/**
 * Requirements of several sources as one mapping by the phases' own names. What is written under an
 * alias gives way to what the same source says under the name itself.
 */
function mergeByPhase(
  sources: readonly (Readonly<Record<string, RequirementsInput>> | undefined)[],
  aliases: Aliases,
): ReadonlyMap<string, RequirementsInput> {
  const byPhase = new Map<string, RequirementsInput>();
  for (const source of sources) {
    const isAlias = ([name]: readonly [string, unknown]): boolean =>
      Object.hasOwn(aliases.phaseAliases, name);
    const entries = Object.entries(source ?? {});
    for (const [name, input] of [...entries.filter(isAlias), ...entries.filter((entry) => !isAlias(entry))]) {
      for (const phase of canonicalPhases(aliases, name))
        byPhase.set(phase, overlay(byPhase.get(phase) ?? {}, input));
    }
  }
  return byPhase;
}

/** Requirements with others on top: a mapping changes the one below, anything else replaces it. */
function overlay(lower: RequirementsInput, upper: RequirementsInput): RequirementsInput {
  const below: Readonly<Record<string, unknown>> = lower;
  const changed = Object.entries(upper).map(([key, value]) => {
    const old = below[key];
    return [key, isJsonObject(old) && isJsonObject(value) ? { ...old, ...value } : value];
  });
  return { ...lower, ...Object.fromEntries(changed) };
}

/** What a gate requires, with the usual numbers where none are given. */
function compileRequirements(input: RequirementsInput): PhaseRequirements {
  const tests = partOf(input.tests);
  const constitution = partOf(input.constitution);
  const elicitation = partOf(input.elicitation);
  return {
    ...(tests && {
      tests: {
        maxIterations: tests.max_iterations ?? 10,
        breaker: tests.same_failures ?? 3,
        reportOnly: tests.report_only ?? false,
        ...(tests.min_coverage !== undefined && { minCoverage: tests.min_coverage }),
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
        finalSelections: elicitation.final_selections ?? ['save', 'continue'],
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

/** The workflows, with the requirements of phases that differ there. */
function compileOverrides(layers: Layers, drafts: readonly Draft[], aliases: Aliases): readonly Workflow[] {
  const phasesOf = ({ phases }: Draft): ReadonlySet<string> =>
    new Set(phases.flatMap((phase) => canonicalPhases(aliases, phase)));
  for (const layer of layers.filter(({ written }) => written)) {
    for (const [name, byPhase] of Object.entries(layer.input.overrides ?? {})) {
      const draft = drafts.find((one) => one.name === name);
      if (draft === undefined) {
        const known = drafts.map((one) => one.name);
        reportUnknown(layer, ['overrides', name], name, `there is no workflow \`${name}\``, known);
        continue;
      }
      for (const phase of Object.keys(byPhase)) {
        const path = ['overrides', name, phase];
        reportUnknownPhase(layer, path, phase, phasesOf(draft), aliases, notInWorkflow(name, phase));
      }
    }
  }
  const base = mergeByPhase(
    layers.map(({ input }) => input.requirements),
    aliases,
  );
  return drafts.map((draft): Workflow => {
    const { layer, lineage, branch, ...others } = draft;
    const sources = layers.flatMap(({ input }) => {
      const all = new Map(Object.entries(input.overrides ?? {}));
      return lineage.map((name) => all.get(name));
    });
    const worked = phasesOf(draft);
    const requirements = [...mergeByPhase(sources, aliases)]
      .filter(([phase]) => worked.has(phase))
      .map(([phase, input]) => [phase, compileRequirements(overlay(base.get(phase) ?? {}, input))] as const);
    return {
      ...others,
      plan: true,
      ...(branch !== undefined && { branch }),
      requirements: Object.fromEntries(requirements),
    };
  });
}

interface AgentDraft {
  readonly name: string;
  readonly input: AgentInput;
  readonly layer: InputLayer;
}

/** All agents, those of higher layers first. `known` are the phases that there are. */
function compileAgents(layers: Layers, aliases: Aliases, known: readonly string[]): readonly Agent[] {
  const drafts = new Map<string, AgentDraft>();
  for (const layer of layers.toReversed()) {
    for (const [written, input] of Object.entries(layer.input.agents ?? {})) {
      const name = plainAgentName(written);
      const above = drafts.get(name);
      drafts.set(name, { name, layer: above?.layer ?? layer, input: { ...input, ...above?.input } });
    }
  }
  const agents = [...drafts.values()].flatMap((draft) => agentOf(draft, aliases, new Set(known)));
  // An alias means one agent: a name goes before it, and so does the same alias of an agent before.
  const taken = new Map(agents.map(({ name }) => [name, name]));
  return agents.map((agent) => {
    const layer = drafts.get(agent.name)?.layer;
    const free = agent.aliases.filter((alias) => {
      const other = taken.get(alias) ?? agent.name;
      taken.set(alias, other);
      if (other === agent.name) return alias !== agent.name;
      const message = `agent \`${agent.name}\` cannot be called \`${alias}\`, which means \`${other}\``;
      if (layer?.written) layer.report(['agents', agent.name, 'aliases'], message);
      return false;
    });
    return { ...agent, aliases: free };
  });
}

function agentOf({ name, input, layer }: AgentDraft, aliases: Aliases, known: ReadonlySet<string>): Agent[] {
  const { kind = 'phase', phases = [], aliases: given = [] } = input;
  if (kind === 'generic') return [];
  if ((kind === 'phase' || kind === 'sub') && phases.length === 0) {
    layer.report(['agents', name], `agent \`${name}\` has no phases to work in, and so is nobody special`);
    return [];
  }
  for (const [index, phase] of layer.written ? phases.entries() : []) {
    const path = ['agents', name, 'phases', String(index)];
    reportUnknownPhase(layer, path, phase, known, aliases, noSuchPhase(phase));
  }
  return [{ name, kind, phases, aliases: given.map(plainAgentName) }];
}

/** How strict each rule is, and whom it tells. */
function compileRules(layers: Layers, routes: Routes | undefined): WorkflowModel['rules'] {
  const settings = RULE_NAMES.map((name) => {
    const said = layers.map(({ input }) => input.rules?.[name]);
    return [name, Object.assign({}, defaultSetting(name, routes !== undefined), ...said) as RuleSetting];
  });
  return Object.fromEntries(settings) as Record<RuleName, RuleSetting>;
}

/** Which model delegations get; `undefined` where nobody has configured any. */
function compileRoutes(layers: Layers, aliases: Aliases): Routes | undefined {
  const said = layers.flatMap(({ input }) => input.models ?? []);
  const agents = Object.entries(merged(said.map((models) => models.agents)));
  const byPhase = merged(said.map((models) => models.phases));
  const otherwise = said.findLast((models) => models.default !== undefined)?.default;
  if (agents.length === 0 && Object.keys(byPhase).length === 0 && otherwise === undefined) return undefined;
  // Under every name that the phase goes by: the state may have another than the one written here.
  const phases = Object.entries(byPhase).flatMap(([name, model]) => {
    const meant = canonicalPhases(aliases, name);
    const others = Object.entries(aliases.phaseAliases).flatMap(([alias, targets]) =>
      targets.some((target) => meant.includes(target)) ? [alias] : [],
    );
    return [...others, ...meant].map((phase) => [phase, model] as const);
  });
  return {
    byAgent: Object.fromEntries(agents.map(([name, model]) => [plainAgentName(name), model])),
    byPhase: { ...Object.fromEntries(phases), ...byPhase },
    ...(otherwise !== undefined && { otherwise }),
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

function compileDiscipline(layers: Layers): Discipline {
  const said: NonNullable<WorkflowInput['discipline']> = merged(layers.map(({ input }) => input.discipline));
  return {
    noHalfwayEntry: said.no_halfway_entry ?? true,
    noPhaseSkipping: said.no_phase_skipping ?? true,
    singleActiveWorkflow: said.single_active_workflow ?? true,
    requireCancellationReason: said.require_cancellation_reason ?? true,
  };
}

type UncheckedModel = Omit<WorkflowModel, 'problems'>;

/**
 * The model without what nobody could ever satisfy: every gate that stays can be passed, and no phase
 * waits for one that comes after it. What had to go is reported where it was written.
 */
function soundModel(model: UncheckedModel, drafts: readonly Draft[]): UncheckedModel {
  const complete: WorkflowModel = { ...model, problems: [] };
  const orphans = reportOrphans(complete, drafts);
  const passable = (phase: string, asked: PhaseRequirements): PhaseRequirements => {
    const { delegation, ...others } = asked;
    return orphans.has(phase) ? others : asked;
  };
  return {
    ...model,
    phases: model.phases.map((phase) => ({
      ...phase,
      requirements: passable(phase.name, phase.requirements),
    })),
    workflows: model.workflows.map((workflow) => ({
      ...workflow,
      plan: hasPlanInTime(complete, workflow, drafts),
      requirements: Object.fromEntries(
        Object.entries(workflow.requirements).map(([phase, asked]) => [phase, passable(phase, asked)]),
      ),
    })),
  };
}

/** The phases that no agent works in, each reported once. */
function reportOrphans(model: WorkflowModel, drafts: readonly Draft[]): ReadonlySet<string> {
  const orphans = new Set<string>();
  for (const { name, phases, layer } of drafts) {
    for (const [index, phase] of phases.entries()) {
      const canonical = phaseNamed(model, phase)?.name ?? phase;
      if (orphans.has(canonical) || ownersOf(model, phase).length > 0) continue;
      orphans.add(canonical);
      if (!layer.written && requirementsOf(model, name, phase).delegation !== true) continue;
      layer.report(
        ['workflows', name, 'phases', String(index)],
        `no agent works in phase \`${phase}\` of workflow \`${name}\`: its gate goes without a delegation`,
        `give an agent the phase: agents: {my-agent: {phases: [${phase}]}}`,
      );
    }
  }
  return orphans;
}

/** Whether the plan is made before the first phase that waits for it. */
function hasPlanInTime(model: WorkflowModel, { name, phases }: Workflow, drafts: readonly Draft[]): boolean {
  const makes = phases.findIndex((phase) => phaseNamed(model, phase)?.makesPlan);
  const waits = phases.findIndex((phase) => phaseNamed(model, phase)?.needsPlan);
  if (makes < 0 || waits < 0) return false;
  if (makes < waits) return true;
  drafts
    .find((draft) => draft.name === name)
    ?.layer.report(
      ['workflows', name, 'phases', String(waits)],
      `in workflow \`${name}\` phase \`${phases[waits]}\` waits for the plan that only \`${phases[makes]}\` makes, which comes later: it goes without`,
    );
  return false;
}
