import type { Failure } from './failure';

/** One failure in words: what, where, what it means for the user, and what mends it where that is known. */
export function sentenceOf(failure: Failure): string {
  const mending = mendingOf(failure);
  return mending === '' ? troubleOf(failure) : `${troubleOf(failure)} ${mending}`;
}

export function troubleOf(failure: Failure): string {
  return sentenceAbout('standard input', failure);
}

/** The same, where the event came from somewhere else. */
export function sentenceAbout(input: string, failure: Failure): string {
  switch (failure.code) {
    case 'input.empty':
      return `${input} was empty; expected one JSON document with an event. Nothing was checked.`;
    case 'input.not-json':
      return `${input} is not JSON (${failure.detail}). Nothing was checked.`;
    case 'input.not-object':
      return `${input} is ${failure.found}, not a JSON object with an event. Nothing was checked.`;
    case 'input.no-event-name':
      return `${input} is JSON but names no event (\`hook_event_name\`). Nothing was checked.`;
    case 'input.no-session':
      return `${failure.event} names no session (\`session_id\`), so what is kept by session was not checked.`;
    case 'input.no-directory':
      return `${failure.event} names no directory that is there (\`cwd\`), so no project was found. Nothing was checked.`;
    case 'input.no-tool':
      return `${failure.event} names no tool (\`tool_name\`), so what is held by its tool was not checked.`;
    case 'input.too-large':
      return `${input} is larger than ${failure.limit} bytes. Nothing was checked.`;
    case 'input.unreadable':
      return `${input} could not be read (${failure.detail}). Nothing was checked.`;
    case 'output.invalid':
      return `an answer was held back because the host would have rejected it (${failure.detail}).`;
    case 'config.unreadable':
      return `the config could not be read (${failure.detail}); what stands in it is not enforced until it can.`;
    case 'guard.threw':
      return `the guard ${failure.guard} failed (${failure.detail}); what it guards was not checked.`;
    case 'guard.missing':
      return `the guard ${failure.guard} could not be loaded (${failure.detail}); what it guards was not checked. Reinstall holdpoint.`;
    case 'effect.failed':
      return `the guard ${failure.guard} could not finish its work (${failure.detail}); what it guards was not checked.`;
    case 'deadline.passed':
      return `no decision within ${failure.ms} ms; the event was let through unchecked.`;
    case 'state.unreadable':
      return `${failure.file} ${failure.detail}; nothing in it counts. It is kept aside at the next write.`;
    case 'state.set-aside':
      return `a state file could not be read and was kept as ${failure.file}; what stood in it does not count.`;
    case 'state.outside':
      return `${failure.file} leads out of the project to ${failure.target}; it was not followed.`;
    case 'state.write-failed':
      return `${failure.file} could not be written (${failure.detail}).`;
    case 'lock.timeout':
      return `${failure.file} was held by ${failure.holder} for more than ${failure.ms} ms; nothing was written.`;
    case 'lock.lost':
      return `${failure.file} was taken over by another process; nothing was written.`;
    case 'git.unreadable':
      return `${failure.file}: ${failure.detail}; the branch is not known, so what is kept by branch counts for none.`;
    case 'loop.odd-state':
      return `${failure.detail}.`;
    case 'bug':
      return `a mistake of ours (${failure.detail}); what was going on was let through unchecked.`;
  }
}

/** What makes a place writable again, as far as the trouble tells; empty where it does not. */
export function mendingOf(failure: Failure): string {
  if (failure.code === 'state.outside') return 'Put something of its own in the place of the link.';
  if (failure.code !== 'state.write-failed') return '';
  switch (/^E[A-Z]+/.exec(failure.detail)?.[0]) {
    case 'EACCES':
    case 'EPERM':
      return 'Give this user, or the sandbox it works in, the right to write there.';
    case 'EROFS':
      return 'Have its file system mounted so that it can be written, in a sandbox too.';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'Free some space.';
    case 'ENOTDIR':
      return 'Move aside what stands on the way to it and is no directory.';
    case 'EEXIST':
    case 'EISDIR':
    case 'ELOOP':
      return 'Move aside what stands in its place.';
    default:
      return '';
  }
}

/** For whoever is held where state cannot be written. How to mend it is for people, who have other places to read it. */
export function heldUnwritten(failure: Failure, isAll: boolean): string {
  const meaning = isAll
    ? 'As long as that is so nothing that clears this can be recorded:'
    : 'If what clears this cannot be recorded either,';
  return `${troubleOf(failure)} ${meaning} a person has to mend it (\`holdpoint doctor\` says how), or to start the host with HOLDPOINT_DISABLE=1.`;
}

export function degradedNote(at: number, code: string, detail: string): string {
  return `Holdpoint could not do its work in an earlier session (${new Date(at).toISOString()}: ${code}${detail && ` ${detail}`}); some events went unchecked. See \`holdpoint log\`.`;
}

export function problemsNote(problems: readonly string[]): string {
  const shown = problems.slice(0, 5).join('\n');
  const more = problems.length > 5 ? `\n… and ${problems.length - 5} more.` : '';
  const what = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return `Holdpoint found ${what} in its config; what is named below is switched off or not read:\n${shown}${more}`;
}

export function homelessNote(dir: string): string {
  return `Holdpoint found config in ${dir}, but neither git nor a .holdpoint directory to keep state in: nothing is enforced here. \`git init\` or \`mkdir .holdpoint\` mends it.`;
}

export function unknownOnly(names: readonly string[]): string {
  const shown = names.map((name) => JSON.stringify(name.slice(0, 40))).join(', ');
  return `--only names nothing called ${shown}; the known names are the guards and the workflow's rules.`;
}

export function debugLine(note: string): string {
  return `[skill-validator] ${note}\n`;
}
