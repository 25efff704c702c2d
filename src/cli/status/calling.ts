import { hasPlugin } from '../../hosts/claude-code/examine';
import { isProgram } from '../../process/programs';
import { type InstalledFile, installedState } from '../install/installed-state';
import type { OpenProject } from '../project';
import type { Context } from '../verb';

/** Whether any host is told to call us, and if so, whether what it starts is there. */
export type Calling =
  | { readonly kind: 'called' }
  | { readonly kind: 'uncalled' }
  | { readonly kind: 'nowhere'; readonly file: string; readonly program: string };

/** What hosts are told in this project, be it by lines of ours, by hand or by the plugin. */
export function callingIn({ root, home, git }: OpenProject, env: Context['env']): Calling {
  const files = installedState({ project: root, home, env }, git?.commonDir).filter(calls);
  const callings = files.map(callingOf);
  return callings.find(({ kind }) => kind === 'called') ?? callings[0] ?? { kind: 'uncalled' };
}

function calls({ host, state, rivals, settings }: InstalledFile): boolean {
  const isOurs = state === 'whole' || state === 'other' || state === 'partial';
  const byHand = rivals.some(({ kind }) => kind === 'by-hand');
  return isOurs || byHand || (host === 'claude-code' && hasPlugin(settings));
}

/** A host that is to start a program without a shell passes everything where that is gone. */
function callingOf({ file, programs }: InstalledFile): Calling {
  const program = programs.find((each) => !isProgram(each));
  return program === undefined ? { kind: 'called' } : { kind: 'nowhere', file, program };
}
