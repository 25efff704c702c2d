import type { Failure } from './failure';
import { localTime } from './text';

/** One failure in words: what, where, what it means for the user, and how to fix it where that is known. */
export function sentenceOf(failure: Failure): string {
  const repair = repairOf(failure);
  return repair === '' ? troubleOf(failure) : `${troubleOf(failure)} ${repair}`;
}

export function troubleOf(failure: Failure): string {
  return sentenceAbout('standard input', failure);
}

/** The same, where the event came from somewhere else. */
export function sentenceAbout(input: string, failure: Failure): string {
  switch (failure.code) {
    case 'input.empty':
      return `${input} is empty; expected one event as JSON. Nothing was checked.`;
    case 'input.not-json':
      return `${input} is not JSON (${failure.detail}). Nothing was checked.`;
    case 'input.not-object':
      return `${input} is ${failure.found}, not a JSON object. Nothing was checked.`;
    case 'input.no-event-name':
      return `${input} names no event (\`hook_event_name\`). Nothing was checked.`;
    case 'input.no-session':
      return `${failure.event} names no session (\`session_id\`), so rules that count by session were not checked.`;
    case 'input.no-directory':
      return `${failure.event} names no existing directory (\`cwd\`), so no project was found. Nothing was checked.`;
    case 'input.no-tool':
      return `${failure.event} names no tool (\`tool_name\`), so rules about tools were not checked.`;
    case 'input.too-large':
      return `${input} is larger than ${failure.limit} bytes. Nothing was checked.`;
    case 'input.unreadable':
      return `${input} could not be read (${failure.detail}). Nothing was checked.`;
    case 'output.invalid':
      return `an answer was dropped because the host would have rejected it (${failure.detail}).`;
    case 'config.unreadable':
      return `the config could not be read (${failure.detail}); its rules are not enforced until it can.`;
    case 'guard.threw':
      return `${failure.guard} failed (${failure.detail}); its rules were not checked.`;
    case 'guard.missing':
      return `${failure.guard} could not be loaded (${failure.detail}); its rules were not checked. Reinstall Holdpoint.`;
    case 'effect.failed':
      if (failure.isPast) return `${failure.guard}: ${failure.detail}; this one has run again.`;
      return `${failure.guard} could not finish (${failure.detail}); its rules were not checked.`;
    case 'rule.failed':
      return `the rule ${failure.rule} failed (${failure.place}: ${failure.detail}); it was not checked, the others were.`;
    case 'deadline.passed':
      return `no decision within ${failure.ms} ms; the event was allowed unchecked.`;
    case 'state.unreadable':
      return failure.detail.includes('ENOTDIR')
        ? `${failure.file} ${failure.detail}; nothing in it counts. Part of that path is not a directory; move it aside.`
        : `${failure.file} ${failure.detail}; nothing in it counts. The next write sets it aside.`;
    case 'state.set-aside':
      return `a state file could not be read and was set aside as ${failure.file}; nothing in it counts.`;
    case 'state.outside':
      return `${failure.file} leads outside the project, to ${failure.target}; it was not followed.`;
    case 'state.write-failed':
      return `${failure.file} could not be written (${failure.detail}).`;
    case 'lock.timeout':
      return `${failure.file} was locked by ${failure.holder} for more than ${failure.ms} ms; nothing was written.`;
    case 'lock.lost':
      return `${failure.file} was taken over by another process; nothing was written.`;
    case 'git.unreadable':
      return `${failure.file}: ${failure.detail}; the branch is unknown, so nothing that was satisfied on a branch counts.`;
    case 'recording.stopped':
      return `${failure.file} is no longer recorded: ${failure.detail}. Events are checked as before; \`holdpoint record on\` starts a new recording.`;
    case 'loop.odd-state':
      return `${failure.detail}.`;
    case 'bug':
      return `internal error (${failure.detail}); the event was allowed unchecked.`;
  }
}

/** How to make a place writable again, as far as the failure tells; empty where it does not. */
export function repairOf(failure: Failure): string {
  if (failure.code === 'state.outside') return 'Replace the symlink with a real file or directory.';
  if (failure.code !== 'state.write-failed') return '';
  switch (/^E[A-Z]+/.exec(failure.detail)?.[0]) {
    case 'EACCES':
    case 'EPERM':
      return 'Give this user, or its sandbox, permission to write there.';
    case 'EROFS':
      return 'Mount its file system read-write, in a sandbox too.';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Free some disk space.';
    case 'ENOTDIR':
      return 'Part of that path is not a directory; move it aside.';
    case 'EEXIST':
    case 'EISDIR':
    case 'ELOOP':
      return 'Something else has that name; move it aside.';
    default:
      return '';
  }
}

/** For a held agent where state cannot be written. How to fix it is for people, who read it elsewhere. */
export function heldUnwritten(failure: Failure, isAll: boolean): string {
  const meaning = isAll
    ? 'Until that is fixed, nothing can be recorded as satisfied:'
    : 'If this cannot be recorded as satisfied either,';
  return `${troubleOf(failure)} ${meaning} a person must fix it (\`holdpoint doctor\` says how) or start the host with HOLDPOINT_DISABLE=1.`;
}

/** `at` where it was in an earlier session. */
export function degradedNote(code: string, detail: string, at?: number): string {
  const where = at === undefined ? 'this' : 'an earlier';
  const what = `${at === undefined ? '' : `${localTime(at)}: `}${code}${detail && ` ${detail}`}`;
  return `Holdpoint failed in ${where} session (${what}); some events were not checked. See \`holdpoint log\`.`;
}

export function problemsNote(problems: readonly string[]): string {
  const shown = problems.slice(0, 5).join('\n');
  const more = problems.length > 5 ? `\n… and ${problems.length - 5} more.` : '';
  const what = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return `Holdpoint found ${what} in the config; these entries are disabled or ignored:\n${shown}${more}`;
}

export function homelessNote(dir: string): string {
  return `Holdpoint found a config in ${dir}, but no git repository and no .holdpoint directory to keep state in: nothing is enforced here. Run \`git init\` or \`mkdir .holdpoint\`.`;
}

export function vanishedNote(root: string): string {
  return `Holdpoint: the git directory and the config of ${root} were removed while an agent works there, so nothing is checked any more. Restore them, or end this session.`;
}

export function unknownOnly(names: readonly string[]): string {
  const shown = names.map((name) => JSON.stringify(name.slice(0, 40))).join(', ');
  return `--only: unknown name ${shown}; it takes disciplines (requirements, workflow, rules, gates, loop) and the workflow's rules.`;
}

export function debugLine(note: string): string {
  return `[skill-validator] ${note}\n`;
}

/** Said once, when something has changed that nobody is known to have agreed to. */
export function changedConfig(changes: readonly string[]): string {
  return `Holdpoint: changed while an agent works: ${changes.join('; ')}. The rules as they were still hold. \`holdpoint trust\` shows the change; accept it with \`holdpoint trust --accept\` in your own terminal.`;
}

export function lostConfig(): string {
  return 'Holdpoint: its own files in the git directory were removed or changed while an agent works. Look at the config and at `holdpoint doctor`: rules may have been loosened.';
}

/** Before a hold by a project that the agent is not in. */
export function ofProject(root: string): string {
  return `This is a rule of the project ${root}; run the commands below there.`;
}

export function tooLongToCheck(length: number): string {
  return `This command line is held: with ${length} characters it is too long to be checked in time. Nothing was run. Split it into shorter commands.`;
}
