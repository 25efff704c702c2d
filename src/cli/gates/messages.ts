import { plural } from '../../guards/gates/run/messages';

export const NO_GATES =
  'No gates are configured here: there is neither .gauntlet/config.yml nor a section `gates` in ' +
  '.holdpoint/config.yaml. `holdpoint gates init` writes a first config.';

export const RULED_OUT =
  'Error: -c and -u cannot be used together: one names a commit, the other what no commit has.';

/** Nothing has to be deleted by hand, which is what the file's name invites to. */
export const LOCK_HINT =
  'Wait until it has ended, or end that process. A lock whose process is gone is taken over by the next run.';

export const VALID = 'All config files are valid.';
export const INVALID = 'Validation failed:';

export const ARCHIVED = 'Logs archived successfully.';
export const NOTHING_TO_ARCHIVE = 'There are no logs to archive.';

export function unknownCommand(name: string): string {
  return `error: unknown command '${name}'.`;
}

export function errorLine(text: string): string {
  return `Error: ${text}`;
}

export function notRun(errors: number): string {
  return `the config has ${plural(errors, 'error')}, so nothing was run.`;
}

export function wouldRun(count: number): string {
  return `Would run ${count} gate(s):`;
}

export function cleanFailed(why: string): string {
  return `Error: the logs could not be archived: ${why}`;
}

export const REUSED = ' (cached: has passed on the same files)';

export const CONFIG_HEALTH = 'Config validation:';
export const REVIEWER_HEALTH = 'Reviewers:';

export function noCiFile(file: string): string {
  return `There is no ${file}; \`holdpoint gates ci init\` writes a first one.`;
}

export function unknownCiCheck(file: string, name: string): string {
  return `${file}: error: there is no check "${name}"`;
}

export function conditionsIgnored(file: string): string {
  return `Warning: \`if\` of a step in ${file} is not looked at: the step always runs.`;
}

export function written(path: string): string {
  return `Wrote ${path}`;
}

export const NOT_SETTINGS = 'this is not what settings of Claude Code look like, so it was left alone';

export function leadsOut(path: string, target: string): string {
  return `${path} was not written: a link leads it out of the project, to ${target}`;
}

export function notWritten(path: string, why: string): string {
  return `${path} could not be written: ${why}`;
}

export const CANCELLED = 'Nothing was written.';

export const NO_REVIEWERS =
  'No program that could review was found. The config is written all the same: checks need none of them.';

export function alreadyThere(what: string): string {
  return `${what} is there already, so no config was written.`;
}

export function skipped(path: string): string {
  return `Left ${path} as it is: it was there already.`;
}

export const NEXT_STEPS = '`holdpoint gates detect` says what would run now, `holdpoint gates run` runs it.';

export const NO_STOP_HOOK =
  'The end of turns is not held by this: that is for the hook of Holdpoint (`holdpoint install`), or for ' +
  '`holdpoint gates init --stop-hook`, which adds `agent-gauntlet stop-hook` to .claude/settings.local.json.';

export const STOP_HOOKS = {
  added: 'Stop hook installed in .claude/settings.local.json: `agent-gauntlet stop-hook`.',
  present: 'Stop hook installed already: .claude/settings.local.json calls `agent-gauntlet stop-hook`.',
  ours: 'Stop hook not needed: the hook of Holdpoint is called at the end of turns already, and runs the gates.',
} as const;
