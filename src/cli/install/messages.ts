import type { SettingsTrouble } from '../../config/settings/trouble';
import type { HostSetup, Rival, Scope } from '../../hosts/setup';

/** Sentences of `install` and `uninstall`. */

export const NO_REPOSITORY = `Not in a git repository
Settings are written at the root of a repository; change into one, or name your own settings with --user.`;

export const TWO_SCOPES = '--user and --local are two places; give one of them.';

export const DIRECT_ALONE = '--direct is about the client of a server, so it goes with --resident.';

export function onlyByShell(title: string, able: readonly string[]): string {
  return `${title} starts what stands in its settings by a shell only, so --direct is not for it: give --host ${able.join(' or ')}.`;
}

export function notShared({ title, withoutShell = [] }: HostSetup, scope: Scope): string {
  const flags = withoutShell.map((each) => `--${each}`).join(' or ');
  return `--direct writes absolute paths of this machine, which have no place in the ${scope} settings of ${title}: give ${flags}.`;
}

export function lineBeside(file: string, scope: Scope): string {
  const flag = scope === 'project' ? '' : ` --${scope}`;
  return `${file} calls Holdpoint by a line already. With --direct the host would run both, and every event would be judged twice. Nothing was changed.
Take that line out first ('holdpoint uninstall${flag}'), or install without --direct: equal lines are run once.`;
}

export function notStartedThere(program: string): string {
  return `${program} cannot be started where it lies, so a host that starts it without a shell would let everything pass. No settings were changed; install without --direct.`;
}

export function directWritten(program: string): string {
  return `The host starts ${program} itself, without a shell.`;
}

export const DIRECT_WARNING =
  "Where that program is gone or cannot be started, the host lets everything pass and only says so. 'holdpoint doctor' finds it; with --fail-closed tool calls are refused then.";
export const NOT_DIRECT =
  'No client could be compiled and tried here, so the entries start a shell as usual.';

export function directBeside(file: string, scope: Scope): string {
  return `${file} starts Holdpoint without a shell, so every event is judged twice: 'holdpoint install --${scope} --resident' puts the same line there, and equal lines are run once.`;
}

const LEFT_ALONE = 'The file was left as it is.';

export function unknownHost(name: string, near: string | undefined, known: readonly string[]): string {
  const hint = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean '${near}'?`;
  return `There is no host '${name}'. ${hint}`;
}

export function noScope({ title, scopes }: HostSetup, scope: Scope): string {
  const flags: Record<Scope, string> = { project: 'without a flag', local: '--local', user: '--user' };
  return `${title} has no place for ${scope} settings; possible: ${scopes.map((each) => flags[each]).join(', ')}.`;
}

export function trouble(file: string, found: SettingsTrouble): string {
  return `${troubleAt(file, found)}. ${LEFT_ALONE}`;
}

/** The same for who only looks. */
export function troubleAt(file: string, { line, column, text }: SettingsTrouble): string {
  return `${file}:${line}:${column}: ${text}`;
}

export function notUtf8(file: string): string {
  return `${file} is not UTF-8 text. ${LEFT_ALONE}`;
}

export function notAFile(file: string): string {
  return `${file} is not a regular file.`;
}

export function notRead(file: string, detail: string): string {
  return `${file} could not be read (${detail}).`;
}

export function notWritten(file: string, detail: string): string {
  return `${file} could not be written (${detail}).`;
}

export function readOnly(file: string): string {
  return `${file} is read-only. Make it writable, or put the entries in by hand: --dry-run shows them.`;
}

export function leadsOut(file: string, target: string): string {
  return `${file} leads out of the project, to ${target}. Nothing is written there; --user is for your own settings.`;
}

export function leadsNowhere(file: string): string {
  return `${file} is a link that leads nowhere.`;
}

export function notOurs(file: string): string {
  return `${file} is there already and is not ours. Move it away, then install again.`;
}

export function changedMeanwhile(file: string): string {
  return `${file} was changed by somebody else at the same moment. Nothing of that was lost; run it again.`;
}

export function locked(detail: string): string {
  return `Another installation is going on (${detail}).`;
}

/** What comes behind the system's own words is about our lock, and helps nobody. */
export function notLocked(detail: string): string {
  return `~/.config/holdpoint cannot be written to (${detail.split(',')[0]}). Nothing was changed.`;
}

export function notStarted(detail: string): string {
  return `What starts the hook could not be put into ~/.config/holdpoint (${detail}). No settings were changed.`;
}

export function notNoted(file: string, detail: string): string {
  return `What is installed is noted in ${file}, and that could not be written (${detail}).`;
}

export function startWritten(names: string): string {
  return `What starts the hook: ${names} (written)`;
}

export function startToCome(names: string): string {
  return `What starts the hook would be written as well: ${names}`;
}

export const NO_HOME = 'HOME is not set, and what starts the hook is kept there.';

export function notAPlace(name: string, value: string): string {
  return `${name} is '${value}', which is no absolute path. What is written there would be found from one directory only, so nothing was changed.`;
}

export function relativeSettings(title: string, file: string): string {
  return `The environment has the settings of ${title} in '${file}', which is no absolute path. Nothing was changed.`;
}

export function relativeRuntime(value: string, dir: string): string {
  return `HOLDPOINT_RUNTIME_DIR is '${value}', which is no absolute path, so it is not used: the server is met in ${dir}.`;
}

export const NOTHING_INSTALLED = 'Nothing of ours is installed here.';
export const RIGHT_ALREADY = 'Everything is in place already.';

export function installed(title: string, file: string, isNew: boolean): string {
  return `${title}: ${file} (${isNew ? 'written' : 'our entries written, every other byte as it was'})`;
}

export function uninstalled(title: string, file: string, isGone: boolean): string {
  return `${title}: ${file} (${isGone ? 'removed' : 'our entries taken out, every other byte as it was'})`;
}

export function leftByHand(place: string, command: string): string {
  return `${place} still calls Holdpoint, by a line that install did not write: ${command}`;
}

/** A command of ours has the name of the older program. */
export function leftToGates(place: string, command: string): string {
  return `${place} still asks the gates at the end of a turn, by a line that nobody has noted as ours: ${command}`;
}

export function backedUp(file: string): string {
  return `as it was before: ${file}`;
}

export function agentMayNot(why: string): string {
  return `Only a person takes Holdpoint out here (${why}), and this shell is an agent's. Nothing was changed; a person runs 'holdpoint uninstall' in a terminal of their own.`;
}

export function backupStays(file: string): string {
  return `it differs from the copy of before the installation, which stays: ${file}`;
}

export function goneAlready(file: string, backup: string): string {
  return `${file} has nothing of ours any more; as it was before the installation: ${backup}`;
}

export function replacedRival({ program }: Rival, place: string): string {
  return `${program}: its entries in ${place} made room for ours; uninstall gives them back`;
}

export function rivalBeside(
  rival: Rival & { readonly scope: Scope },
  place: string,
  isHere: boolean,
): string {
  const { kind, program, command, scope } = rival;
  const replace = `'holdpoint install${scope === 'project' ? '' : ` --${scope}`} --replace' puts ours in its place`;
  if (kind === 'older')
    return `${place} also runs ${program}, which does the same work; what both see counts twice: ${command}\n  ${replace}, and uninstall gives it back.`;
  const effect = isHere ? 'ours was not added there' : 'the hook starts twice';
  return `${place} calls Holdpoint by a line that install did not write, so ${effect}: ${command}\n  ${replace}.`;
}
