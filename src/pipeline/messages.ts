import type { Failure } from '../domain/failure';

/** One failure as a sentence: what, where, and what it means for the user. */
export function sentenceOf(failure: Failure): string {
  switch (failure.code) {
    case 'input.empty':
      return 'standard input was empty; expected one JSON document with an event. Nothing was checked.';
    case 'input.not-json':
      return `standard input is not JSON (${failure.detail}). Nothing was checked.`;
    case 'input.not-object':
      return `standard input is ${failure.found}, not a JSON object with an event. Nothing was checked.`;
    case 'input.no-event-name':
      return 'standard input is JSON but names no event (`hook_event_name`). Nothing was checked.';
    case 'input.no-session':
      return `${failure.event} names no session (\`session_id\`), so what is kept by session was not checked.`;
    case 'input.too-large':
      return `standard input is larger than ${failure.limit} bytes. Nothing was checked.`;
    case 'input.unreadable':
      return `standard input could not be read (${failure.detail}). Nothing was checked.`;
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

export function degradedNote(at: number, code: string, detail: string): string {
  return `Holdpoint could not do its work in an earlier session (${new Date(at).toISOString()}: ${code}${detail && ` ${detail}`}); some events went unchecked. See \`holdpoint log\`.`;
}

/** One line, or none where nothing is armed. */
export function armedNote(armed: readonly { readonly what: string }[]): string[] {
  return armed.length === 0 ? [] : [`Holdpoint is on: ${armed.map(({ what }) => what).join(', ')}.`];
}

export function problemsNote(problems: readonly string[]): string {
  const shown = problems.slice(0, 5).join('\n');
  const more = problems.length > 5 ? `\n… and ${problems.length - 5} more.` : '';
  const what = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  return `Holdpoint found ${what} in its config; what is named below is switched off or not read:\n${shown}${more}`;
}

export function unarmedNote(root: string): string {
  return `Holdpoint is installed, but the config of ${root} names nothing to hold: nothing is enforced here. \`holdpoint config --sources\` shows what was read.`;
}

export function unconfiguredNote(root: string): string {
  return `Holdpoint is installed, but ${root} has no config for it: nothing is enforced here. Write .holdpoint/config.yaml to begin.`;
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
