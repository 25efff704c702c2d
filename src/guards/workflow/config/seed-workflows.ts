import { WORKFLOWS } from './preset/workflows';
import type { WorkflowEntry, WorkflowInput } from './schema';
import type { SeedMapping } from './seed-mapping';

type Converted = Pick<WorkflowInput, 'workflows' | 'overrides' | 'discipline'>;

/** Phases that explore, which an option of the older program leaves out. */
const EXPLORING = ['00-quick-scan', '02-tracing'];

/** `workflows.json` as a section. */
export function fromWorkflows(file: SeedMapping): Converted {
  const all = file.mapping('workflows');
  const named = (all?.names() ?? []).flatMap((name) => {
    const entry = all?.mapping(name);
    return entry === undefined ? [] : [{ name, entry }];
  });
  const approvals = named.map(({ name, entry }) => [name, approvalsOf(entry)] as const);
  const discipline = disciplineOf(file);
  return {
    workflows: Object.fromEntries(named.map(({ name, entry }) => [name, entryOf(name, entry)])),
    overrides: Object.fromEntries(approvals.filter(([, byPhase]) => Object.keys(byPhase).length > 0)),
    ...(discipline && { discipline }),
  };
}

function entryOf(name: string, entry: SeedMapping): WorkflowEntry {
  const label = entry.text('label');
  const phases = entry.texts('phases');
  const mode = entry.text('gate_mode');
  const branch = branchOf(name, entry);
  const prefix = entry.mapping('agent_modifiers')?.mapping('01-requirements')?.text('artifact_prefix');
  const skip = skipOf(entry, phases ?? []);
  return {
    ...(label !== undefined && { label }),
    ...(phases !== undefined && { phases }),
    ...((mode === 'strict' || mode === 'permissive') && { gate_mode: mode }),
    ...(branch !== undefined && { branch }),
    ...(prefix !== undefined && { artifact_prefix: prefix }),
    ...(skip && { skip }),
  };
}

/** The file says only whether there is a branch; how it is called is agreed for the workflows that we know. */
function branchOf(name: string, entry: SeedMapping): string | false | undefined {
  const requires = entry.flag('requires_branch');
  if (requires !== true) return requires;
  return Object.hasOwn(WORKFLOWS, name) ? undefined : 'feature/{artifact}';
}

function skipOf(entry: SeedMapping, phases: readonly string[]): Record<string, string> | undefined {
  const flag = entry.mapping('options')?.mapping('skip_exploration')?.text('flag');
  const phase = phases.find((one) => EXPLORING.includes(one));
  return flag === undefined || phase === undefined ? undefined : { [phase]: flag.replace(/^-+/, '') };
}

function approvalsOf(entry: SeedMapping): Record<string, { approval: true }> {
  const modifiers = entry.mapping('agent_modifiers');
  const approved = (modifiers?.names() ?? []).filter(
    (phase) => modifiers?.mapping(phase)?.flag('require_user_approval') === true,
  );
  return Object.fromEntries(approved.map((phase) => [phase, { approval: true }]));
}

function disciplineOf(file: SeedMapping): WorkflowInput['discipline'] {
  const rules = file.mapping('rules');
  if (rules === undefined) return undefined;
  const said = {
    no_halfway_entry: rules.flag('no_halfway_entry'),
    no_phase_skipping: rules.flag('no_phase_skipping'),
    single_active_workflow: rules.flag('single_active_workflow_per_project'),
    require_cancellation_reason: rules.flag('require_cancellation_reason'),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
