import { hasPlugin } from '../../hosts/claude-code/examine';
import { LAUNCH_MARK } from '../../hosts/own-lines';
import { textIn } from '../install/files';
import type { InstalledFile } from '../install/installed-state';
import type { Calling } from './calling';
import { type Trouble, troublesIn, unreadableReason, type View } from './host-troubles';
import * as say from './messages';

/** Whether one host calls us; `files` are those of all its scopes, which it reads together. */
export function callsOf(files: readonly InstalledFile[], view: View): Calling {
  const wired = files.filter(isWired);
  if (wired.length === 0) return lostIn(files);
  const troubles = files.flatMap((file) => troublesIn(file, view));
  const speaking = wired.filter((file) => speaks(file, troubles));
  const reasons = troubles.map(({ reason }) => reason);
  const isDeaf = speaking.length === 0 || troubles.some(({ reach }) => reach === 'host');
  if (isDeaf) return { kind: 'deaf', reasons };
  const lacking = lackingIn(speaking, view);
  const all = [...reasons, ...lacking];
  return all.length === 0 ? { kind: 'called' } : { kind: 'partly', reasons: all };
}

function isWired(file: InstalledFile): boolean {
  const { state } = file;
  return state === 'whole' || state === 'other' || state === 'partial' || isWiredOtherwise(file);
}

/** By a line that somebody wrote, or by the plugin, which has a start of its own. */
function isWiredOtherwise({ host, rivals, settings }: InstalledFile): boolean {
  return rivals.some(({ kind }) => kind === 'by-hand') || (host === 'claude-code' && hasPlugin(settings));
}

function speaks(file: InstalledFile, troubles: readonly Trouble[]): boolean {
  const mine = troubles.filter((trouble) => trouble.file === file.file);
  if (mine.some(({ reach }) => reach === 'file')) return false;
  return isWiredOtherwise(file) || !mine.some(({ reach }) => reach === 'own-lines');
}

/** A file that names us, or is noted to, and that cannot be read: whoever installs anew would be refused. */
function lostIn(files: readonly InstalledFile[]): Calling {
  const named = files.filter(
    ({ file, record }) => record !== undefined || textIn(file)?.includes(LAUNCH_MARK) === true,
  );
  const reasons = named.flatMap(unreadableReason);
  return reasons.length === 0 ? { kind: 'uncalled' } : { kind: 'deaf', reasons };
}

/**
 * What a file lacks another may have, but not for a host that does not read both, as in a directory below the root.
 * The plugin brings everything, and which events somebody names by hand is up to them.
 */
function lackingIn(speaking: readonly InstalledFile[], { install }: View): say.Reason[] {
  if (speaking.some(({ settings }) => hasPlugin(settings))) return [];
  return speaking.flatMap((found) => {
    const lacking = found.state === 'partial' ? lackedBy(found) : [];
    return lacking.length === 0 ? [] : [say.incomplete(found.file, lacking, install(found))];
  });
}

function lackedBy({ missing, rivals }: InstalledFile): readonly string[] {
  return missing.filter((path) => !rivals.some(({ kind, list }) => kind === 'by-hand' && list === path));
}
