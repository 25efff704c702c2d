import { matchesName } from '../../core/glob';
import type { Context, LiveSession } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import type {
  BlockingRequirement,
  ConditionRequirement,
  DynamicRequirement,
  Evidence,
  Requirement,
  RequirementsConfig,
  Scope,
} from './config';
import { type Obstacle, replaceNames } from './messages';
import { entryIn, isSatisfied, objectIn, sessionIn } from './state';
import { presentValue, VALUES_FILE, type View } from './view';

/** A computed value, or why there is none. */
export type Computed =
  | { readonly kind: 'value'; readonly value: number; readonly summary: string; readonly base: string }
  /** There is nothing to measure here, such as the size of the main branch. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly why: string };

/** Whether the evidence that a requirement asks for is there. */
export type Shown = { readonly kind: 'shown' } | { readonly kind: 'lacking'; readonly why: string };

/** What the effect, which may start processes, has to find out. */
export type Inquiry = {
  readonly branch: string;
  readonly values: readonly { readonly name: string; readonly calculator: string }[];
  readonly evidence: readonly { readonly name: string; readonly evidence: Evidence }[];
};

/** What was found out, some of it a while ago. */
export interface Findings {
  value(name: string): Computed | undefined;
  evidence(name: string): Shown | undefined;
}

const EVIDENCE_SECONDS = 30;
const KEPT_SECONDS = 86_400;

/** What is known already: fresh enough in the kept values, or just brought by the effect. */
export function findingsOf(
  kept: Json | undefined,
  brought: Json | undefined,
  requirements: readonly Requirement[],
  branch: string,
  now: number,
): Findings {
  const find = (name: string): JsonObject => {
    const fresh = objectIn(brought, keyOf(branch, name));
    if (fresh['kind'] !== undefined) return fresh;
    const known = objectIn(kept, keyOf(branch, name));
    const requirement = requirements.find((one) => one.name === name);
    const ttl = requirement?.type === 'dynamic' ? requirement.cacheTtl : EVIDENCE_SECONDS;
    const age = typeof known['at'] === 'number' ? now - known['at'] : Number.POSITIVE_INFINITY;
    // What was lacking may be there by now: the agent that was told tries again at once.
    return known['kind'] !== 'lacking' && age >= 0 && age < ttl ? known : {};
  };
  return { value: (name) => computedFrom(find(name)), evidence: (name) => shownFrom(find(name)) };
}

/** The name of a finding in the kept values. */
export function keyOf(branch: string, name: string): string {
  return `${branch} ${name}`;
}

function computedFrom({ kind, value, summary, base, why }: JsonObject): Computed | undefined {
  if (kind === 'value' && typeof value === 'number') {
    return { kind, value, summary: String(summary ?? ''), base: String(base ?? '') };
  }
  if (kind === 'none') return { kind };
  return kind === 'failed' ? { kind, why: String(why ?? '') } : undefined;
}

function shownFrom({ kind, why }: JsonObject): Shown | undefined {
  if (kind === 'shown') return { kind };
  return kind === 'lacking' ? { kind, why: String(why ?? '') } : undefined;
}

/** What is known when requirements are judged. */
export interface Judging {
  readonly view: View;
  readonly ctx: Context;
  readonly findings: Findings;
  /** What is held, as a fact names it: the tool, or the turn. */
  readonly subject: string;
}

/** How one requirement stands. */
export type Standing =
  | { readonly kind: 'clear' }
  | ({ readonly kind: 'obstacle' } & Obstacle)
  /** It does not hold yet, but is near its limit. */
  | { readonly kind: 'near'; readonly requirement: DynamicRequirement; readonly fact: string }
  /** An effect has to run before it can be judged. */
  | { readonly kind: 'pending'; readonly requirement: Requirement }
  /** The effect ran and failed; nobody is held for that. */
  | { readonly kind: 'unknown'; readonly requirement: Requirement; readonly why: string };

const CLEAR: Standing = { kind: 'clear' };

/** Judges one requirement with what is known. */
export function standingOf(requirement: Requirement, judging: Judging): Standing {
  switch (requirement.type) {
    case 'blocking':
      return blockingStanding(requirement, judging);
    case 'condition':
      return conditionStanding(requirement, judging);
    case 'dynamic':
      return dynamicStanding(requirement, judging);
  }
}

/** Judges with what is known already; what that leaves pending is found out by an effect, and kept for a while. */
export async function withFindings(
  ctx: Context,
  { requirements }: RequirementsConfig,
  { branch, owner }: View,
  judge: (findings: Findings) => Standing[],
): Promise<Standing[]> {
  const usesEffect = requirements.some(({ type, evidence }) => type === 'dynamic' || evidence !== undefined);
  const kept = usesEffect ? presentValue(ctx.document(VALUES_FILE)) : undefined;
  const judged = judge(findingsOf(kept, undefined, requirements, branch, owner.now));
  const pending = judged.flatMap((one) => (one.kind === 'pending' ? [one.requirement] : []));
  if (pending.length === 0) return judged;
  const brought = await ctx.run({ name: 'gather', input: inquiryFor(pending, branch) });
  const apply = (current: Json | undefined): Json | undefined => withBrought(current, brought, owner.now);
  ctx.change({ document: VALUES_FILE, what: 'computed values', apply });
  return judge(findingsOf(kept, brought, requirements, branch, owner.now));
}

function inquiryFor(pending: readonly Requirement[], branch: string): Inquiry {
  return {
    branch,
    values: pending.flatMap((one) =>
      one.type === 'dynamic' ? [{ name: one.name, calculator: one.calculator }] : [],
    ),
    evidence: pending.flatMap(({ name, type, evidence }) =>
      type === 'blocking' && evidence !== undefined ? [{ name, evidence }] : [],
    ),
  };
}

/** The kept values with what the effect brought; those of other branches stay for a day. */
function withBrought(kept: Json | undefined, brought: Json, now: number): Json | undefined {
  if (!isJsonObject(brought)) return kept;
  const young = Object.entries(isJsonObject(kept) ? kept : {}).filter(
    ([, one]) => isJsonObject(one) && now - Number(one['at'] ?? 0) < KEPT_SECONDS,
  );
  const stamped = Object.keys(brought).map((key) => [key, { ...objectIn(brought, key), at: now }] as const);
  return Object.fromEntries([...young, ...stamped]);
}

/** Somebody's word, and where the config asks for it also evidence. */
function blockingStanding(requirement: BlockingRequirement, { view, findings, subject }: Judging): Standing {
  const { name, scope, evidence } = requirement;
  if (!view.isSatisfied(requirement)) {
    const fact = `${subject} is held until \`${name}\` is satisfied ${reachOf(scope, view.branch)}`;
    return { kind: 'obstacle', requirement, fact };
  }
  if (evidence === undefined) return CLEAR;
  const shown = findings.evidence(name);
  if (shown === undefined) return { kind: 'pending', requirement };
  if (shown.kind === 'shown') return CLEAR;
  const fact = `${subject} is held because \`${name}\` is said to be done but ${shown.why}`;
  // Saying once more that it is done would not help.
  return { kind: 'obstacle', requirement, fact, remedy: `show it, for ${shown.why}` };
}

function reachOf(scope: Scope, branch: string): string {
  switch (scope) {
    case 'session':
      return `in this session on branch ${branch}`;
    case 'branch':
      return `on branch ${branch}`;
    case 'permanent':
      return 'in this project';
    case 'single_use':
      return 'for this action';
  }
}

function conditionStanding(requirement: ConditionRequirement, { view, ctx, subject }: Judging): Standing {
  if (view.isSatisfied(requirement)) return CLEAR;
  if (requirement.condition === 'protected_branch') {
    if (!requirement.branches.some((pattern) => matchesName(pattern, view.branch))) return CLEAR;
    const fact = `${subject} is held because branch ${view.branch} is protected`;
    return { kind: 'obstacle', requirement, fact, remedy: 'switch to another branch' };
  }
  const other = earlierSession(ctx.sessions(), ctx.projectRoot, view.session);
  if (other === undefined) return CLEAR;
  const fact = `${subject} is held because session ${other} works in this project already`;
  return { kind: 'obstacle', requirement, fact };
}

/** Only the later session is held, or two would hold each other; of two in one second, the one with the greater key. */
export function earlierSession(
  sessions: readonly LiveSession[],
  projectRoot: string,
  session: string,
): string | undefined {
  const here = sessions.filter((one) => one.alive && one.projectDir === projectRoot);
  const own = here.find((one) => one.id === session)?.startedAt ?? Number.POSITIVE_INFINITY;
  return here.find((one) => one.startedAt < own || (one.startedAt === own && one.id < session))?.id;
}

/** A value below its threshold holds nobody; an approval belongs to the session, whatever the requirement's scope. */
function dynamicStanding(requirement: DynamicRequirement, { view, findings, subject }: Judging): Standing {
  const { name, block, warn = block } = requirement;
  const own = sessionIn(entryIn(view.state, name), view.session);
  if (view.isSatisfied(requirement) || isSatisfied(own, view.owner.now)) return CLEAR;
  const computed = findings.value(name);
  if (computed === undefined) return { kind: 'pending', requirement };
  if (computed.kind === 'failed') return { kind: 'unknown', requirement, why: computed.why };
  if (computed.kind === 'none' || computed.value < Math.min(block, warn)) return CLEAR;
  const { value, summary, base } = computed;
  const size = `\`${name}\` is ${value}${base && ` against ${base}`}`;
  const parts = summary && ` (${summary})`;
  if (value < block) {
    return { kind: 'near', requirement, fact: `${size}${parts}, and from ${block} on calls are held` };
  }
  const fact =
    blockingMessage(requirement, value, summary, base) ??
    `${subject} is held because ${size} and ${block} is the limit${parts}`;
  return { kind: 'obstacle', requirement, fact };
}

function blockingMessage(
  { blockingMessage: message, block, warn }: DynamicRequirement,
  value: number,
  summary: string,
  base: string,
): string | undefined {
  const values = {
    total: String(value),
    value: String(value),
    summary,
    base_branch: base,
    warn_threshold: String(warn ?? ''),
    block_threshold: String(block),
  };
  return message === undefined ? undefined : replaceNames(message.trim(), values).replace(/\s+/g, ' ');
}
