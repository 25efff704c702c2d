// Temporary: lets a guard that still asks for a snapshot run on the new context.
import { type Change, type Document, type DocumentRef, documentKey } from './document';
import type { Event } from './event';
import type { Failure } from './failure';
import type { Context, Guard, Interest } from './guard';
import type { GuardName } from './guard-name';
import type { Json } from './json';
import type { FileFact, Needs, Snapshot } from './snapshot';
import type { Spoken, Verdict } from './verdict';

export type Step =
  | {
      readonly kind: 'outcome';
      readonly verdict: Verdict;
      readonly changes: readonly Change[];
      readonly troubles?: readonly Failure[];
      readonly armed?: string;
      readonly notes?: readonly string[];
    }
  | { readonly kind: 'effect'; readonly name: string; readonly input: Json; readonly announce?: string };

export interface Deliberation {
  readonly earlier: readonly Spoken[];
  readonly rules: readonly string[];
  readonly literal?: boolean;
  readonly effectResult?: Json;
}

export type Outcome = Extract<Step, { kind: 'outcome' }>;

export function outcome(verdict: Verdict, changes: readonly Change[] = []): Outcome {
  return { kind: 'outcome', verdict, changes };
}

interface OldGuard<Config> {
  readonly name: GuardName;
  interest(config: Config): readonly Interest[];
  needs(event: Event, config: Config, known: Snapshot): Needs;
  decide(event: Event, config: Config, snapshot: Snapshot, deliberation: Deliberation): Step;
}

export function fromSnapshots<Config>(old: OldGuard<Config>): Guard<Config> {
  return {
    name: old.name,
    interest: old.interest,
    async decide(event, config, ctx) {
      const snapshot = snapshotOf(ctx, (known) => old.needs(event, config, known));
      const base = { earlier: ctx.earlier, rules: ctx.rules, literal: ctx.gauntletCompat };
      let step = old.decide(event, config, snapshot, base);
      if (step.kind === 'effect') {
        const { kind: _, ...effect } = step;
        step = old.decide(event, config, snapshot, { ...base, effectResult: await ctx.run(effect) });
      }
      if (step.kind === 'effect') throw new Error('asked for a second effect');
      for (const change of step.changes) ctx.change(change);
      for (const trouble of step.troubles ?? []) ctx.trouble(trouble);
      for (const note of step.notes ?? []) ctx.note(note);
      if (step.armed !== undefined) ctx.armed(step.armed);
      return step.verdict;
    },
  };
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: temporary
function snapshotOf(ctx: Context, ask: (known: Snapshot) => Needs): Snapshot {
  const documents = new Map<string, Document>();
  const files = new Map<string, FileFact>();
  const env: Record<string, string> = {};
  let snapshot: Snapshot = {
    projectRoot: ctx.projectRoot,
    home: ctx.home,
    git: ctx.git,
    env,
    documents,
    files,
    sessions: [],
    hostProcess: { pid: 0 },
    pid: ctx.pid,
    refusedStops: ctx.refusedStops,
    stopLimit: ctx.stopLimit,
    now: ctx.now,
  };
  for (let round = 0; round < 4; round++) {
    const needs = ask(snapshot);
    for (const ref of needs.documents ?? [])
      documents.set(documentKey(ref as DocumentRef), ctx.document(ref));
    for (const file of needs.files ?? []) files.set(file.path, ctx.file(file));
    for (const name of needs.env ?? []) env[name] = ctx.env(name);
    if (needs.sessions === true)
      snapshot = { ...snapshot, sessions: ctx.sessions(), hostProcess: ctx.hostProcess() };
    if (needs.command !== undefined) {
      const commandLines = ctx.commandLines(needs.command);
      if (commandLines !== undefined) snapshot = { ...snapshot, commandLines };
    }
    if (needs.effects !== undefined) {
      const defaultBranch = ctx.defaultBranch();
      snapshot = {
        ...snapshot,
        effects: ctx.effects(needs.effects),
        ...(defaultBranch && { defaultBranch }),
      };
    }
    if (needs.transcript !== undefined)
      snapshot = { ...snapshot, transcript: ctx.transcript(needs.transcript) };
  }
  return snapshot;
}
