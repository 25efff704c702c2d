import type { HostName } from '../core/host-name';
import { claudeCode } from './claude-code/index';
import type { Host } from './host';

/** The host of that name. `load` brings any but Claude Code, which is always there. */
export function hostCalled(name: HostName, load: (name: HostName) => Host): Host {
  return name === 'claude-code' ? claudeCode : load(name);
}
