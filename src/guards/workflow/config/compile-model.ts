import type { Discipline, Obligation, Phase, Workflow, WorkflowModel } from '../model';
import { compileAgents } from './compile-agents';
import { compileAliases, type PhaseAliases, standsFor } from './compile-aliases';
import { compileOverrides } from './compile-overrides';
import { compileProjects } from './compile-projects';
import { compileRequirements, mergeByPhase } from './compile-requirements';
import { compileRoutes, compileRules } from './compile-rules';
import { compileWorkflows, type Draft } from './compile-workflows';
import { entriesOf, highest, type InputLayer, reportUnknown } from './input-layer';
import * as say from './messages';
import { soundModel } from './sound-model';

/** What only the section itself knows. */
export type Surroundings = Pick<WorkflowModel, 'manifest'>;

const PLAN_PATHS = ['docs/isdlc/{project}tasks.md', '.isdlc/{project}tasks.md'];
const CONSTITUTION_PATHS = ['docs/isdlc/{project}constitution.md', '.isdlc/{project}constitution.md'];
const PROTECTED = ['main', 'master', '@default'];

/** The model of all layers, in rising priority. What is wrong is reported, and the model goes without it. */
export function compileModel(
  layers: readonly InputLayer[],
  surroundings: Surroundings,
): Omit<WorkflowModel, 'problems'> {
  const aliases = compileAliases(layers);
  const drafts = compileWorkflows(layers);
  const phases = compilePhases(layers, drafts, aliases);
  const known = new Set(phases.map(({ name }) => name));
  const overrides = compileOverrides(layers, drafts, aliases);
  const projects = compileProjects(layers);
  const routes = compileRoutes(layers, aliases);
  const model = {
    workflows: drafts.map((draft) => workflowOf(draft, overrides.get(draft.name) ?? {})),
    phases,
    agents: compileAgents(layers, aliases, known),
    phaseAliases: aliases,
    rules: compileRules(layers, routes),
    protectedBranches: highest(layers, 'protected_branches') ?? PROTECTED,
    ...(projects !== undefined && { projects }),
    planPaths: highest(layers, 'plan_paths') ?? PLAN_PATHS,
    constitutionPaths: highest(layers, 'constitution_paths') ?? CONSTITUTION_PATHS,
    testCommands: highest(layers, 'test_commands') ?? [],
    setupCommands: (highest(layers, 'setup_commands') ?? []).map((command) => command.toLowerCase()),
    obligations: obligationsOf(layers),
    ...(routes !== undefined && { routes }),
    ...surroundings,
    discipline: disciplineOf(layers),
  };
  return soundModel(model, drafts);
}

function workflowOf(draft: Draft, requirements: Workflow['requirements']): Workflow {
  const { name, label, phases, gateMode, branch, artifactPrefix, skips } = draft;
  return {
    name,
    label,
    phases,
    gateMode,
    plan: true,
    ...(branch !== undefined && { branch }),
    artifactPrefix,
    requirements,
    skips,
  };
}

/** Every phase that a workflow has or that somebody says something about. */
function compilePhases(
  layers: readonly InputLayer[],
  drafts: readonly Draft[],
  aliases: PhaseAliases,
): readonly Phase[] {
  const requirements = mergeByPhase(
    layers.map(({ input }) => input.requirements ?? {}),
    aliases,
  );
  const special = specialPhases(layers, aliases);
  const worked = new Set(
    [...drafts.flatMap(({ phases }) => phases), ...special.keys()].flatMap((name) =>
      standsFor(aliases, name),
    ),
  );
  for (const layer of layers.filter(({ written }) => written)) {
    for (const name of Object.keys(layer.input.requirements ?? {})) {
      if (standsFor(aliases, name).some((phase) => worked.has(phase))) continue;
      reportUnknown(layer, ['requirements', name], { name, message: say.noSuchPhase(name) }, worked);
    }
  }
  return [...new Set([...worked, ...requirements.keys()])].map((name) => ({
    name,
    needsPlan: special.get(name)?.needs_plan ?? false,
    makesPlan: special.get(name)?.makes_plan ?? false,
    requirements: compileRequirements(requirements.get(name) ?? {}),
  }));
}

type PhaseInput = NonNullable<InputLayer['input']['phases']>[string];

/** What is special about phases, by their own names. */
function specialPhases(
  layers: readonly InputLayer[],
  aliases: PhaseAliases,
): ReadonlyMap<string, PhaseInput> {
  const special = new Map<string, PhaseInput>();
  for (const [name, input] of layers.flatMap((layer) => Object.entries(layer.input.phases ?? {}))) {
    for (const phase of standsFor(aliases, name)) special.set(phase, { ...special.get(phase), ...input });
  }
  return special;
}

function obligationsOf(layers: readonly InputLayer[]): readonly Obligation[] {
  return [...entriesOf(layers, ({ must_delegate: obligations }) => obligations)].map(
    ([skill, { agent, exempt = [] }]) => ({ skill, agent, exempt }),
  );
}

function disciplineOf(layers: readonly InputLayer[]): Discipline {
  const said = Object.assign({}, ...layers.map(({ input }) => input.discipline)) as NonNullable<
    InputLayer['input']['discipline']
  >;
  return {
    noHalfwayEntry: said.no_halfway_entry ?? true,
    noPhaseSkipping: said.no_phase_skipping ?? true,
    singleActiveWorkflow: said.single_active_workflow ?? true,
    requireCancellationReason: said.require_cancellation_reason ?? true,
  };
}
