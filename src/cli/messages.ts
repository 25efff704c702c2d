import { nearest } from '../config/nearest';
import type { Failure } from '../domain/failure';
import { printable } from './output/printable';

export function unknownVerb(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const hint = near === undefined ? `Known commands: ${known.join(', ')}.` : `Did you mean '${near}'?`;
  return `holdpoint: there is no command '${printable(name)}'. ${hint} Try 'holdpoint help'.`;
}

export function wrongUsage(verb: string, detail: string): string {
  return `holdpoint ${verb}: ${printable(detail)}\nTry 'holdpoint ${verb} --help'.`;
}

export function cannotRun(detail: string, report: string | undefined): string {
  const text = `holdpoint: a mistake of ours: ${printable(detail)}`;
  return report === undefined ? text : `${text}\nPlease report it with ${printable(report)}`;
}

export const NO_PROJECT = `Not in a git repository
Holdpoint keeps its state in the git directory; change into a repository, or create .holdpoint/ at the project's root.`;

export function sourceTrouble(file: string, failure: Failure): string {
  const detail = 'detail' in failure ? failure.detail : failure.code;
  return `${printable(file)} could not be read (${printable(detail)}).`;
}
