import type { Finding } from '../setup';

export function alsoRuns(file: string): Finding {
  return {
    id: 'also-runs-claude-settings',
    level: 'fine',
    text: `Copilot CLI also runs ${file}, which calls Holdpoint too. Each event is decided once, for the line that names Copilot.`,
  };
}
