import { hasPlugin } from '../../hosts/claude-code/examine';
import { type InstalledFile, installedState } from '../install/installed-state';
import type { OpenProject } from '../project';
import type { Context } from '../verb';

/** Whether any host is told to call us in this project, be it by lines of ours, by hand or by the plugin. */
export function isCalled({ root, home, git }: OpenProject, env: Context['env']): boolean {
  return installedState({ project: root, home, env }, git?.commonDir).some(calls);
}

function calls({ host, state, rivals, settings }: InstalledFile): boolean {
  const isOurs = state === 'whole' || state === 'other' || state === 'partial';
  const byHand = rivals.some(({ kind }) => kind === 'by-hand');
  return isOurs || byHand || (host === 'claude-code' && hasPlugin(settings));
}
