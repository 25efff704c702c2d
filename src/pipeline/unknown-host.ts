import { nearest } from '../config/nearest';
import { HOST_NAMES } from '../domain/host-name';

/** Said where `--host` names nobody. The event is judged all the same. */
export function unknownHost(name: string): string {
  const meant = nearest(name, HOST_NAMES);
  const hint = meant === undefined ? `the hosts are ${HOST_NAMES.join(', ')}` : `did you mean ${meant}?`;
  return `--host ${JSON.stringify(name)} is no host that Holdpoint knows (${hint}). Unless the event itself shows who sent it, it is read and answered in Claude Code's form.`;
}
