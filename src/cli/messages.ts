import { printable } from './output/printable';

export function unknownVerb(name: string, known: readonly string[]): string {
  return `holdpoint: there is no command '${printable(name)}'. Known commands: ${known.join(', ')}. Try 'holdpoint help'.`;
}

export function wrongUsage(verb: string, detail: string): string {
  return `holdpoint ${verb}: ${printable(detail)}\nTry 'holdpoint ${verb} --help'.`;
}

export function cannotRun(detail: string): string {
  return `holdpoint: a mistake of ours: ${printable(detail)}`;
}

export const NO_PROJECT = `Not in a git repository
Holdpoint keeps its state in the git directory; change into a repository, or create .holdpoint/ at the project's root.`;
