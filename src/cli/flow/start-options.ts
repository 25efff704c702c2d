import { parseArgs } from 'node:util';
import { nearest } from '../../config/nearest';
import { fail, type Result, succeed } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { numberAt } from '../../guards/workflow/json-path';
import { type Workflow, type WorkflowModel, workflowNamed } from '../../guards/workflow/model';
import { type Artifact, counterOf } from '../../guards/workflow/moves';
import { chosenPhases } from './chosen-phases';
import * as say from './start-messages';

/** What `flow start` was asked for. */
export interface StartOptions {
  readonly workflow: Workflow;
  /** Those of the workflow that are to be gone through. */
  readonly phases: readonly string[];
  readonly artifact?: string;
  readonly branch?: string;
  readonly description?: string;
  readonly atdd: boolean;
  readonly json: boolean;
}

const OPTIONS = {
  artifact: { type: 'string' },
  branch: { type: 'string' },
  description: { type: 'string' },
  from: { type: 'string' },
  skip: { type: 'string', multiple: true },
  atdd: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** A name that is a folder, and a part of a branch's name. */
const ARTIFACT = /^(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?<!\.)$/;

/** Reads the arguments of `flow start`; which flags leave out a phase is the workflow's to say. */
export function startOptions(args: readonly string[], model: WorkflowModel): Result<StartOptions, string> {
  const skips = model.workflows.flatMap((workflow) => Object.values(workflow.skips));
  const flags = Object.fromEntries(skips.map((flag) => [flag, { type: 'boolean' } as const]));
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...flags, ...OPTIONS },
  });
  const names = model.workflows.map((one) => one.name);
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) return fail(say.whichWorkflow(names));
  const workflow = workflowNamed(model, name);
  if (workflow === undefined) return fail(say.noSuchWorkflow(name, nearest(name, names), names));
  const { artifact, branch, description, from, skip = [], atdd, json } = values;
  if (artifact !== undefined && !ARTIFACT.test(artifact)) return fail(say.badArtifact(artifact));
  const given = skips.filter((flag) => (values as Record<string, unknown>)[flag] === true);
  const choice = { flags: given, skip, ...(from !== undefined && { from }) };
  const phases = chosenPhases(workflow, choice, model.discipline);
  if (!phases.ok) return phases;
  return succeed({
    workflow,
    phases: phases.value,
    ...(artifact !== undefined && { artifact }),
    ...(branch !== undefined && { branch }),
    ...(description !== undefined && { description }),
    atdd: atdd === true,
    json: json === true,
  });
}

/** What the work is filed under: the given name, else the next number where the workflow has a branch for its work. */
export function artifactFor(
  { workflow, artifact, description }: StartOptions,
  state: JsonObject,
): Artifact | undefined {
  const { artifactPrefix: prefix } = workflow;
  if (artifact !== undefined) {
    const number = numberIn(artifact, prefix);
    return { name: artifact, ...(number !== undefined && { number }) };
  }
  if (workflow.branch === undefined) return undefined;
  const number = Math.max(1, Math.trunc(numberAt(state, 'counters', counterOf(workflow)) ?? 1));
  const words = slug(description ?? '');
  const name = `${prefix}-${String(number).padStart(4, '0')}${words === '' ? '' : `-${words}`}`;
  return { name, number };
}

/** How the workflow's branch is called; nothing where it needs none. */
export function branchFor(
  { workflow, branch }: StartOptions,
  artifact: Artifact | undefined,
  project: string | undefined,
): string | undefined {
  if (branch !== undefined) return branch;
  if (workflow.branch === undefined) return undefined;
  const name = workflow.branch.replace('{artifact}', artifact?.name ?? workflow.name);
  return project === undefined ? name : `${project}/${name}`;
}

function numberIn(artifact: string, prefix: string): number | undefined {
  const [, digits] = /^([0-9]{1,9})(?:-|$)/.exec(artifact.slice(prefix.length + 1)) ?? [];
  return artifact.startsWith(`${prefix}-`) && digits !== undefined ? Number(digits) : undefined;
}

function slug(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 40).replace(/-$/, '');
}
