import type { HostName } from '../domain/host-name';
import type { JsonObject } from '../domain/json';
import { claudeCodeGlance } from './claude-code/glance';
import type { HostGlance } from './host';

/** Asked in this order. Claude Code stays last: other hosts imitate its documents. */
const HOSTS: readonly HostGlance[] = [claudeCodeGlance];

/**
 * The host that sent a document. What stdin shows beats what the command line says, since a
 * command installed for one host is also run by others. A host we do not have is taken for Claude Code.
 */
export function senderOf(raw: JsonObject, asked: HostName | undefined): HostGlance {
  const sender = HOSTS.find((host) => host.recognises(raw));
  return sender ?? HOSTS.find((host) => host.name === asked) ?? claudeCodeGlance;
}
