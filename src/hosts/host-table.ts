import type { HostName } from '../domain/host-name';
import type { JsonObject } from '../domain/json';
import { claudeCode } from './claude-code/index';
import type { Host } from './host';

/** Asked in this order. Claude Code stays last: other hosts imitate its documents. */
const HOSTS: readonly Host[] = [claudeCode];

/**
 * The host that sent a document. What stdin shows beats what the command line says, since a
 * command installed for one host is also run by others. A host we do not have is taken for Claude Code.
 */
export function hostFor(raw: JsonObject, asked: HostName | undefined): Host {
  const sender = HOSTS.find((host) => host.recognises(raw));
  return sender ?? HOSTS.find((host) => host.name === asked) ?? claudeCode;
}
