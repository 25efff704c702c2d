import { join } from 'node:path';
import type { Ground, Scope } from '../setup';

/** Where Claude Code reads the settings of a scope. */
export function settingsFile(scope: Scope, { project, home, env }: Ground): string {
  switch (scope) {
    case 'project':
      return join(project, '.claude', 'settings.json');
    case 'local':
      return join(project, '.claude', 'settings.local.json');
    case 'user':
      return join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json');
  }
}
