import type { Finding } from '../setup';

const TRUST = 'Start Codex in this project, open /hooks and trust the Holdpoint hooks.';

export function hooksUntrusted(events: readonly string[]): Finding {
  return {
    id: 'codex-untrusted',
    level: 'error',
    text: `Codex skips the hooks for ${events.join(', ')} without a word: nobody has trusted them.`,
    fix: TRUST,
  };
}

/** A newer Codex may count another way, so this is no error. */
export function hooksChanged(events: readonly string[]): Finding {
  return {
    id: 'codex-changed',
    level: 'warning',
    text: `The hooks for ${events.join(', ')} are not as they were when they were trusted. Codex skips such hooks without a word.`,
    fix: TRUST,
  };
}

export function hooksTrusted(): Finding {
  return { id: 'codex-trusted', level: 'fine', text: 'Codex trusts the Holdpoint hooks.' };
}

export function oneHookOff(event: string): Finding {
  return {
    id: 'codex-hook-off',
    level: 'error',
    text: `The hook for ${event} is switched off in Codex's /hooks.`,
    fix: 'Start Codex, open /hooks and switch it on.',
  };
}

export function hooksOff(): Finding {
  return {
    id: 'codex-hooks-off',
    level: 'error',
    text: 'Codex runs no hooks at all: its config.toml says `hooks = false` under [features].',
    fix: 'Take that line out of config.toml.',
  };
}
