import type { Failure, FailureCode } from './failure';
import { localTime } from './text';

/** One failure in words: what, where, what it means for the user, and how to fix it if known. */
export function sentenceOf(failure: Failure): string {
  const repair = repairOf(failure);
  return repair === '' ? troubleOf(failure) : `${troubleOf(failure)} ${repair}`;
}

export function troubleOf(failure: Failure): string {
  return sentenceAbout('standard input', failure);
}

type Sentences = {
  readonly [Code in FailureCode]: (failure: Extract<Failure, { code: Code }>, input: string) => string;
};

/** What each failure means. `input` names what the event was read from. */
const SENTENCES: Sentences = {
  'input.empty': (_, input) => `${input} is empty; expected one event as JSON. Nothing was checked.`,
  'input.not-json': ({ detail }, input) => `${input} is not JSON (${detail}). Nothing was checked.`,
  'input.not-object': ({ found }, input) => `${input} is ${found}, not a JSON object. Nothing was checked.`,
  'input.no-event-name': (_, input) => `${input} names no event (\`hook_event_name\`). Nothing was checked.`,
  'input.no-session': ({ event }) =>
    `${event} names no session (\`session_id\`), so rules that count by session were not checked.`,
  'input.no-directory': ({ event }) =>
    `${event} names no existing directory (\`cwd\`), so no project was found. Nothing was checked.`,
  'input.no-tool': ({ event }) =>
    `${event} names no tool (\`tool_name\`), so rules about tools were not checked.`,
  'input.too-large': ({ limit }, input) => `${input} is larger than ${limit} bytes. Nothing was checked.`,
  'input.unreadable': ({ detail }, input) => `${input} could not be read (${detail}). Nothing was checked.`,
  'config.unreadable': ({ detail }) =>
    `the config could not be read (${detail}); its rules are not enforced until it can.`,
  'guard.threw': ({ guard, detail }) => `${guard} failed (${detail}); its rules were not checked.`,
  'guard.missing': ({ guard, detail }) =>
    `${guard} could not be loaded (${detail}); its rules were not checked. Reinstall Holdpoint.`,
  'effect.failed': ({ guard, detail, isPast }) =>
    isPast
      ? `${guard}: ${detail}; this one has run again.`
      : `${guard} could not finish (${detail}); its rules were not checked.`,
  'rule.failed': ({ rule, place, detail }) =>
    `the rule ${rule} failed (${place}: ${detail}); it was not checked, the others were.`,
  'deadline.passed': ({ ms }) =>
    `no decision within ${ms} ms; what was not held by then was allowed unchecked.`,
  'state.unreadable': ({ file, detail }) =>
    detail.includes('ENOTDIR')
      ? `${file} ${detail}; nothing in it counts. Part of that path is not a directory; move it aside.`
      : `${file} ${detail}; nothing in it counts. The next write sets it aside.`,
  'state.set-aside': ({ file }) =>
    `a state file could not be read and was set aside as ${file}; nothing in it counts.`,
  'state.outside': ({ file, target }) =>
    `${file} leads outside the project, to ${target}; it was not followed.`,
  'state.write-failed': ({ file, detail }) => `${file} could not be written (${detail}).`,
  'lock.timeout': ({ file, holder, ms }) =>
    `${file} was locked by ${holder} for more than ${ms} ms; nothing was written.`,
  'lock.lost': ({ file }) => `${file} was taken over by another process; nothing was written.`,
  'git.unreadable': ({ file, detail }) =>
    `${file}: ${detail}; the branch is unknown, so nothing that was satisfied on a branch counts.`,
  'recording.stopped': ({ file, detail }) =>
    `${file} is no longer recorded: ${detail}. Events are checked as before; \`holdpoint record on\` starts a new recording.`,
  'loop.odd-state': ({ detail }) => `${detail}.`,
  bug: ({ detail }) => `internal error (${detail}); the event was allowed unchecked.`,
};

/** The same for an event that was read from somewhere else. */
export function sentenceAbout(input: string, failure: Failure): string {
  const sentence = SENTENCES[failure.code] as (failure: Failure, input: string) => string;
  return sentence(failure, input);
}

const REPAIRS: readonly (readonly [error: RegExp, repair: string])[] = [
  [/^(?:EACCES|EPERM)$/, 'Give this user, or its sandbox, permission to write there.'],
  [/^EROFS$/, 'Mount its file system read-write, in a sandbox too.'],
  [/^(?:ENOSPC|EDQUOT)$/, 'Free some disk space.'],
  [/^ENOTDIR$/, 'Part of that path is not a directory; move it aside.'],
  [/^(?:EEXIST|EISDIR|ELOOP)$/, 'Something else has that name; move it aside.'],
];

/** How to make a file writable again; empty if the failure does not tell. */
export function repairOf(failure: Failure): string {
  if (failure.code === 'state.outside') return 'Replace the symlink with a real file or directory.';
  if (failure.code !== 'state.write-failed') return '';
  const [code = ''] = /^E[A-Z]+/.exec(failure.detail) ?? [];
  return REPAIRS.find(([error]) => error.test(code))?.[1] ?? '';
}

/** For a held agent if state cannot be written. How to fix it is for people, who read it elsewhere. */
export function heldButUnwritable(failure: Failure, isAll: boolean): string {
  const meaning = isAll
    ? 'Until that is fixed, nothing can be recorded as satisfied:'
    : 'If this cannot be recorded as satisfied either,';
  return `${troubleOf(failure)} ${meaning} a person must fix it (\`holdpoint doctor\` says how) or start the host with HOLDPOINT_DISABLE=1.`;
}

/** Failures in spite of which every rule was asked. */
const ALL_ASKED = /^(?:git|loop|recording)\b/;

/** `at` is set if it happened in an earlier session. */
export function degradedNote(code: string, detail: string, at?: number): string {
  const where = at === undefined ? 'this' : 'an earlier';
  const what = `${at === undefined ? '' : `${localTime(at)}: `}${code}${detail && ` ${detail}`}`;
  if (code === 'state.set-aside')
    return `A state file was damaged in ${where} session (${what}); nothing in it counts. See \`holdpoint log\`.`;
  if (code === 'rule.failed')
    return `A rule failed in ${where} session (${what}); it was not checked, the others were. See \`holdpoint log\`.`;
  if (ALL_ASKED.test(code))
    return `Holdpoint had a problem in ${where} session (${what}). See \`holdpoint log\`.`;
  return `Holdpoint failed in ${where} session (${what}); some events were not checked. See \`holdpoint log\`.`;
}

export function problemsNote(problems: readonly string[]): string {
  const shown = problems.slice(0, 5).join('\n');
  const more = problems.length > 5 ? `\n… and ${problems.length - 5} more.` : '';
  const what = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return `Holdpoint found ${what} in the config; these entries are disabled or ignored:\n${shown}${more}`;
}

export function noStateDirectoryNote(dir: string): string {
  return `Holdpoint found a config in ${dir}, but no git repository and no .holdpoint directory to keep state in: nothing is enforced here. Run \`git init\` or \`mkdir .holdpoint\`.`;
}

export function vanishedProjectNote(root: string): string {
  return `Holdpoint: the git directory and the config of ${root} were removed while an agent works there, so nothing is checked any more. Restore them, or end this session.`;
}

export function unknownOnly(names: readonly string[]): string {
  const shown = names.map((name) => JSON.stringify(name.slice(0, 40))).join(', ');
  return `--only: unknown name ${shown}; it takes disciplines (requirements, workflow, rules, gates, loop) and the workflow's rules.`;
}

export function debugLine(note: string): string {
  return `[skill-validator] ${note}\n`;
}

/** Shown once, for a change that nobody is known to have accepted. */
export function changedConfig(changes: readonly string[]): string {
  return `Holdpoint: changed while an agent works: ${changes.join('; ')}. The rules as they were still hold. \`holdpoint trust\` shows the change; accept it with \`holdpoint trust --accept\` in your own terminal.`;
}

export function acceptedByUpdate(changes: readonly string[]): string {
  return `Holdpoint was updated before you accepted a change: ${changes.join('; ')}. The earlier rules cannot be kept across an update, so the change is in force now. Undo it if it is not yours.`;
}

export function lostConfig(): string {
  return 'Holdpoint: its own files in the git directory were removed or changed while an agent works. Look at the config and at `holdpoint doctor`: rules may have been loosened.';
}

/** Precedes a hold by a project that the agent is not in. */
export function inOtherProject(root: string): string {
  return `This is a rule of the project ${root}; run the commands below there.`;
}

export function tooLongToCheck(length: number): string {
  return `This command line is held: with ${length} characters it is too long to be checked in time. Nothing was run. Split it into shorter commands.`;
}
