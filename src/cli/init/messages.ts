import { printable } from '../ui/output';
import type { DefaultBranch } from './default-branch';
import { PRESET_NAMES } from './presets';
import type { Taken } from './taken';

export const NO_REPOSITORY = `holdpoint init: there is no git repository here, and Holdpoint keeps its state in one.
Change into your project, or make it a repository first: git init`;

export const IN_HOME = `holdpoint init: the repository here is your home directory, which is never a project.
Change into a project. What shall count everywhere goes to ~/.config/holdpoint/config.yaml.`;

export const NOBODY = `holdpoint init: there is no terminal to ask on, so nothing was written.
Give --yes to write without being asked, or --dry-run to see what would be written.`;

export const CANCELLED = 'Cancelled; nothing was written.';

export const ASK_HOSTS = 'Which agents shall be held? (space picks)';
export const ASK_PRESET = 'What shall the config begin with?';
export const ASK_CHECKS = 'Which checks shall hold the end of a turn? (space picks)';
export const ASK_WRITE: string = 'Write this?';
export const ASK_WRITE_NOW = 'That is all of it. Write it?';
export const ANSWERS = {
  yes: 'Yes',
  more: 'Show every line of the settings first',
  no: 'No, leave everything as it is',
} as const;

export function troubledRepository(why: string): string {
  return `holdpoint init: the git repository here cannot be read: ${printable(why)}`;
}

export function unknownPreset(name: string, near: string | undefined): string {
  const hint = near === undefined ? `Known: ${PRESET_NAMES.join(', ')}.` : `Did you mean '${near}'?`;
  return `holdpoint init: there is no preset '${printable(name)}'. ${hint}`;
}

export function installImpossible(why: string): string {
  return `holdpoint init: nothing was written. ${printable(why)}
Mend that and run it again, or give --no-install for the config alone.`;
}

export function notWritten(why: string): string {
  return `holdpoint init: ${printable(why)}`;
}

/** `written` are the files of the project that init itself has written. */
export function halfWritten(written: readonly string[], why: string): string {
  const done =
    written.length === 0
      ? 'nothing was written'
      : `${written.join(' and ')} ${written.length === 1 ? 'was' : 'were'} written, the hooks were not`;
  return `holdpoint init: ${done}. ${printable(why)}\nAfterwards: holdpoint install`;
}

export function foundHere(root: string, kinds: readonly string[], branch: DefaultBranch | undefined): string {
  const kind = kinds.length === 0 ? 'no manifest that tells a kind of project' : kinds.join(', ');
  if (branch === undefined) return printable(`${root}: ${kind}; no default branch was found`);
  return printable(
    `${root}: ${kind}; changes are counted from ${branch.isShared ? branch.base : branch.name}`,
  );
}

export function keptConfig(file: string): string {
  return `${file} is there already and stays as it is.`;
}

export function keptSection({ section, file }: Taken): string {
  const where = file.includes('.', 1) ? file : `${file}/`;
  return `${where} stays in force for ${section}; nothing about that is written.`;
}

export function passedOver(what: string, why: string): string {
  return printable(`Not proposed: ${what} ${why}.`);
}

export function missingHere(command: string, program: string): string {
  return printable(
    `${program} is not on your PATH: \`${command}\` could not run here, and would let the turn end.`,
  );
}

export function onlyForMachine(name: string): string {
  return `${name} has no settings for a single project: holdpoint install --host ${name} --user`;
}

export function rivalFound(program: string, list: string): string {
  return printable(
    `${program} is at ${list} as well; \`holdpoint install --replace\` puts ours in its place.`,
  );
}

export function presetUnused(preset: string): string {
  return `The preset ${preset} changes nothing here. To begin anew, delete the config first.`;
}

export const NOTHING_TO_DO = 'Nothing to do: config, .gitignore and hooks are in place. Nothing was changed.';
export const NOTHING_WRITTEN = 'This was a dry run: nothing was written.';

export function noCommands(directory: string): string {
  const text =
    'The commands `req` and `holdpoint` are not on your PATH, and a held agent is told to run `req`.';
  return printable(`${text}\nPut them there: npm install --global '${directory}'`);
}

export function linesAdded(count: number): string {
  return count === 1 ? '1 line added' : `${count} lines added`;
}

export const LAUNCH = 'what the hooks start on this machine';
export const NEEDED_FIRST = 'the checks need it';
export const TRY_CHECKS = 'what fails before anybody works would hold agents for nothing';
export const NOT_INSTALLED = 'the hooks are not installed yet';
export const FOR_EVERYBODY = 'it counts for everybody who works here';
export const FIRST_EDIT_HELD = 'its first edit is held until it has said its plan';
export const NOTHING_HELD = 'no requirement holds it yet: the config is yours to fill in';
export const SEE_STATUS = '`holdpoint status` shows what it is held to';

export const DOCTOR_WELL = 'doctor: all checks passed; an event that must be held was held';

export function doctorSaw(warnings: number, critical: number): string {
  return `doctor: ${critical} thing(s) to mend, ${warnings} to know; \`holdpoint doctor\` shows all`;
}
