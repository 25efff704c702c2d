import type { ReadConfig } from '../../../src/config/read-config';
import type { WorkflowModel } from '../../../src/guards/workflow/model';
import { workflowSection } from '../../../src/guards/workflow/section';
import { type Files, readAll, readFiles } from '../../config/scratch';

export const OURS = '.holdpoint/config.yaml';

/** A project that uses the older program and says nothing more. */
export const IN_USE: Files = { '.isdlc/state.json': '{}' };

export function read(files: Files): ReadConfig {
  return readFiles(files, [workflowSection]);
}

/** The model that a project's files compile to. */
export function modelOf(files: Files): WorkflowModel {
  const [guard] = readAll(files, [workflowSection]).guards;
  if (guard === undefined) throw new Error('no workflow is configured');
  return guard.config as unknown as WorkflowModel;
}

/** Diagnostics as `severity file:line message`. */
export function toldOf(files: Files): string[] {
  return read(files).diagnostics.map(
    ({ severity, place, message }) => `${severity} ${place.file}:${place.line} ${message}`,
  );
}
