import type { Finding } from '../setup';

export function wrongKeys(file: string, keys: readonly string[]): Finding {
  return {
    id: 'wrong-key',
    level: 'error',
    text: `${file}: ${keys.join(', ')} holds something that Claude Code does not take; for one such key it may drop the whole file, and our entries with it`,
    fix: `Correct or remove ${keys.join(', ')}`,
  };
}

export function allDisabled(file: string): Finding {
  return {
    id: 'hooks-disabled',
    level: 'error',
    text: `${file} says \`disableAllHooks\`: Claude Code runs no hook`,
    fix: `Remove \`disableAllHooks\` from ${file}`,
  };
}

export function onlyManaged(file: string): Finding {
  return {
    id: 'managed-only',
    level: 'error',
    text: `${file} says \`allowManagedHooksOnly\`: Claude Code runs only the hooks of the organisation`,
    fix: 'Whoever manages this machine has to add our entries to the managed settings',
  };
}

export function pluginToo(file: string): Finding {
  return {
    id: 'plugin-and-settings',
    level: 'warning',
    text: `the plugin and ${file} both call the hook: each event starts it twice`,
    fix: '`holdpoint uninstall`, or `claude plugin disable holdpoint@holdpoint`',
  };
}

export function others(file: string, lines: readonly string[]): Finding {
  const shown = lines.slice(0, 3).map((line) => (line.length > 60 ? `${line.slice(0, 59)}…` : line));
  const more = lines.length > 3 ? `; and ${lines.length - 3} more` : '';
  return {
    id: 'other-hooks',
    level: 'fine',
    text: `${file} has ${lines.length} other hook(s) at the same events, which run beside ours (${shown.join('; ')}${more})`,
  };
}
