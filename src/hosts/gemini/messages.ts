import type { Finding } from '../setup';

export function hooksOff(): Finding {
  return {
    id: 'gemini-hooks-off',
    level: 'error',
    text: 'Gemini CLI runs no hooks at all: these settings say `"enabled": false` under hooksConfig.',
    fix: 'Take that line out, or run /hooks enable-all in Gemini CLI.',
  };
}

export function ownHookOff(): Finding {
  return {
    id: 'gemini-hook-off',
    level: 'error',
    text: 'The hook `holdpoint` is switched off: it stands in hooksConfig.disabled.',
    fix: 'Run /hooks enable holdpoint in Gemini CLI.',
  };
}

export function tooShort(event: string, timeout: number): Finding {
  return {
    id: 'gemini-milliseconds',
    level: 'error',
    text: `The hook for ${event} has ${timeout} ms: Gemini CLI counts milliseconds, so it is ended before it can answer, and everything passes.`,
    fix: 'Run `holdpoint install --host gemini` again.',
  };
}
