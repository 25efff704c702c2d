import type { CheckGate, EntryPoint, GatesConfig, ReviewGate } from '../../../src/guards/gates/config';

/** Compiled gates with every default, but for what a test is about. */
export function gates(parts: Partial<GatesConfig> = {}): GatesConfig {
  return {
    home: '.gauntlet',
    baseBranch: 'origin/main',
    logDir: 'gauntlet_logs',
    allowParallel: true,
    maxRetries: 3,
    rerunNewIssueThreshold: 'high',
    reviewers: { preference: ['claude'], checkUsageLimit: false },
    entryPoints: [],
    checks: [],
    reviews: [],
    weakening: 'tell',
    debugLog: { enabled: false, maxSizeMb: 10 },
    stopHook: { enabled: true, intervalMinutes: 10, reverify: false },
    problems: [],
    ...parts,
  };
}

export function entry(parts: Partial<EntryPoint>): EntryPoint {
  return { path: '.', place: '', exclude: [], checks: [], reviews: [], ...parts };
}

const COMMON = { place: '', runInCi: true, runLocally: true, cache: true };

export function check(name: string, parts: Partial<CheckGate> = {}): CheckGate {
  return { ...COMMON, name, command: 'true', parallel: false, failFast: false, ...parts };
}

export function review(name: string, parts: Partial<ReviewGate> = {}): ReviewGate {
  return {
    ...COMMON,
    name,
    prompt: 'Look.',
    parallel: true,
    preference: ['claude'],
    numReviews: 1,
    ...parts,
  };
}
