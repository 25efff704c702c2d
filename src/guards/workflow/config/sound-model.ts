import { ownersOf, phaseNamed, requirementsOf } from '../look-up';
import type { PhaseRequirements, Workflow, WorkflowModel } from '../model';
import type { Draft } from './compile-workflows';
import * as say from './messages';

type Unsound = Omit<WorkflowModel, 'problems'>;

/**
 * The model without what nobody could ever satisfy: every gate that stays can be passed, and no phase
 * waits for one that comes after it. What had to go is reported where it was written.
 */
export function soundModel(model: Unsound, drafts: readonly Draft[]): Unsound {
  const complete: WorkflowModel = { ...model, problems: [] };
  const orphans = reportOrphans(complete, drafts);
  const withoutDelegation = (phase: string, asked: PhaseRequirements): PhaseRequirements => {
    const { delegation, ...others } = asked;
    return orphans.has(phase) ? others : asked;
  };
  return {
    ...model,
    phases: model.phases.map((phase) => ({
      ...phase,
      requirements: withoutDelegation(phase.name, phase.requirements),
    })),
    workflows: model.workflows.map((workflow) => ({
      ...workflow,
      plan: hasPlanInTime(complete, workflow, drafts),
      requirements: Object.fromEntries(
        Object.entries(workflow.requirements).map(([phase, asked]) => [
          phase,
          withoutDelegation(phase, asked),
        ]),
      ),
    })),
  };
}

/** The phases that no agent works in, each told once. */
function reportOrphans(model: WorkflowModel, drafts: readonly Draft[]): ReadonlySet<string> {
  const orphans = new Set<string>();
  for (const { name, phases, layer } of drafts) {
    for (const [index, phase] of phases.entries()) {
      const canonical = phaseNamed(model, phase)?.name ?? phase;
      if (orphans.has(canonical) || ownersOf(model, phase).length > 0) continue;
      orphans.add(canonical);
      const isAsked = requirementsOf(model, name, phase).delegation === true;
      if (isAsked || layer.written) {
        layer.report(
          ['workflows', name, 'phases', String(index)],
          say.noOwner(name, phase),
          say.ownerHint(phase),
        );
      }
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
  const layer = drafts.find((draft) => draft.name === name)?.layer;
  layer?.report(
    ['workflows', name, 'phases', String(waits)],
    say.planTooLate(name, phases[waits] ?? '', phases[makes] ?? ''),
  );
  return false;
}
