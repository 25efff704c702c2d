import type { HostName } from '../domain/host-name';
import { claudeCode } from './claude-code/index';
import type { Host } from './host';

/** Every host that we can answer. A new one is a folder and a line here. */
const HOSTS: readonly Host[] = [claudeCode];

export function hostCalled(name: HostName): Host {
  return HOSTS.find((host) => host.name === name) ?? claudeCode;
}
