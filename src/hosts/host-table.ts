import type { HostName } from '../domain/host-name';
import type { JsonObject } from '../domain/json';
import { claudeCodeReader } from './claude-code/reader';
import type { HostReader } from './host';

/** Asked in this order. Claude Code stays last: other hosts imitate its documents. */
const READERS: readonly HostReader[] = [claudeCodeReader];

/**
 * The host that sent a document. What stdin shows beats what the command line says, since a
 * command installed for one host is also run by others. A host we do not have is taken for Claude Code.
 */
export function readerFor(raw: JsonObject, asked: HostName | undefined): HostReader {
  const sender = READERS.find((host) => host.recognises(raw));
  return sender ?? READERS.find((host) => host.name === asked) ?? claudeCodeReader;
}
