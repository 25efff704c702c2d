/** Sentences of doctor about where it is asked to look, and from where. */

export function noDirectory(path: string): string {
  return `There is no directory ${path}, so nothing was looked at.`;
}

export const NO_HOME = 'HOME is not set here: what starts the hook is kept there, so nothing of it is found';

export function relativeHome(home: string): string {
  return `HOME is '${home}' here, which is no absolute path: what starts the hook is found from one directory only`;
}

export function homeUnread(home: string, detail: string): string {
  return `the home directory ${home} cannot be entered, so what is installed for you cannot be told (${detail})`;
}

export const SET_HOME = 'Set HOME to your home directory where the agent is started';

export function openHome(home: string): string {
  return `Give yourself the right to enter ${home}`;
}
