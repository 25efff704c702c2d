import { nearest } from '../../config/nearest';
import { fail, type Result, succeed } from '../../core/failure';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import { printable } from '../ui/output';
import * as say from './messages';

/** The hosts that `--host` names: given again, or with commas between. The failure is a sentence for people. */
export function namedHosts(given: readonly string[]): Result<readonly HostName[], string> {
  const names = given.flatMap((each) => each.split(',')).map((name) => name.trim());
  const unknown = names.find((name) => !HOST_NAMES.some((host) => host === name));
  if (unknown === undefined) return succeed(HOST_NAMES.filter((host) => names.includes(host)));
  const near = nearest(unknown, HOST_NAMES) ?? HOST_NAMES.find((host) => host.startsWith(`${unknown}-`));
  return fail(say.unknownHost(printable(unknown), near, HOST_NAMES));
}
