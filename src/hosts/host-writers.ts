import type { HostName } from '../domain/host-name';
import { claudeCodeWriter } from './claude-code/writer';
import type { HostWriter } from './host';

const WRITERS: readonly HostWriter[] = [claudeCodeWriter];

/** How to answer a host; one that we can only read is answered as Claude Code is. */
export function writerFor(name: HostName): HostWriter {
  return WRITERS.find((host) => host.name === name) ?? claudeCodeWriter;
}
