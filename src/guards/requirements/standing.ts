import { matchesName } from '../../core/glob';
import type { Context } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { isPlainWord } from '../../core/text';
import type { DynamicRequirement, Evidence, Requirement, RequirementsConfig, Scope } from './config';
import { type Obstacle, replaceNames } from './messages';
import { entryIn, isSatisfied, sessionIn } from './state';
import { VALUES_FILE, type View } from './view';

/* The one sentence that says why a requirement stands in the way. Its subject is what is held. */

/** A tool as the subject: whatever the host sends as a name, a fact stays one sentence. */
export function toolSubject(name: string): string {
  return (isPlainWord(name) ? name : name.replace(/\s+/g, ' ')).slice(0, 100);
}

/** The end of a turn as the subject. */
export const TURN = 'The turn';

export function unsatisfiedFact(requirement: Requirement, subject: string, branch: string): string {
  return `${subject} is held until \`${requirement.name}\` is satisfied ${reachOf(requirement.scope, branch)}`;
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

export function protectedFact(subject: string, branch: string): string {
  return `${subject} is held because branch ${branch} is protected`;
}

export function otherSessionFact(subject: string, other: string): string {
  return `${subject} is held because session ${other} works in this project already`;
}

export function triggeredFact({ name }: Requirement, branch: string | undefined): string {
  const where = branch === undefined ? '' : ` on branch ${branch}`;
  return `\`${name}\` was set off in this session${where} and is not satisfied`;
}

/** What helps where something has to be shown: saying once more that it is done does not. */
export function evidenceRemedy(why: string): string {
  return `show it, for ${why}`;
}

export const OTHER_BRANCH = 'switch to another branch';

export function evidenceFact({ name }: Requirement, subject: string, why: string): string {
  return `${subject} is held because \`${name}\` is said to be done but ${why}`;
}

type Measured = { readonly value: number; readonly summary: string; readonly base: string };

export function tooLargeFact(
  { name, block, warn, blockingMessage }: DynamicRequirement,
  subject: string,
  { value, summary, base }: Measured,
): string {
  if (blockingMessage === undefined) {
    const size = `${value}${base && ` against ${base}`}`;
    return `${subject} is held because \`${name}\` is ${size} and ${block} is the limit${summary && ` (${summary})`}`;
  }
  const values: Readonly<Record<string, string>> = {
    total: String(value),
    value: String(value),
    summary,
    base_branch: base,
    warn_threshold: String(warn ?? ''),
    block_threshold: String(block),
  };
  return replaceNames(blockingMessage.trim(), values).replace(/\s+/g, ' ');
}

export function nearFact({ name, block }: DynamicRequirement, { value, summary, base }: Measured): string {
  return `\`${name}\` is ${value}${base && ` against ${base}`}${summary && ` (${summary})`}, and from ${block} on calls are held`;
}

/** A computed value, or why there is none. */
export type Computed =
  | { readonly kind: 'value'; readonly value: number; readonly summary: string; readonly base: string }
  /** There is nothing to measure here, such as the size of the main branch. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly why: string };

/** Whether what a requirement asks to be shown is there. */
export type Shown = { readonly kind: 'shown' } | { readonly kind: 'lacking'; readonly why: string };

/** What is to be found out by the effect, which may start processes. */
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

/** What is known already: fresh enough in the kept values, or just brought by the effect. */
export function findingsOf(
  kept: Json | undefined,
  brought: Json | undefined,
  requirements: readonly Requirement[],
  branch: string,
  now: number,
): Findings {
  const ttlOf = (name: string): number => {
    const requirement = requirements.find((one) => one.name === name);
    return requirement?.type === 'dynamic' ? requirement.cacheTtl : EVIDENCE_SECONDS;
  };
  const find = (name: string): JsonObject | undefined => {
    const fresh = memberOf(brought, keyOf(branch, name));
    if (fresh !== undefined) return fresh;
    const known = memberOf(kept, keyOf(branch, name));
    const age = typeof known?.['at'] === 'number' ? now - known['at'] : Number.POSITIVE_INFINITY;
    // What was lacking may be there by now: whoever was told of it tries again at once.
    if (known?.['kind'] === 'lacking') return undefined;
    return age >= 0 && age < ttlOf(name) ? known : undefined;
  };
  return { value: (name) => computedFrom(find(name)), evidence: (name) => shownFrom(find(name)) };
}

/** The kept values with what the effect brought; what other branches had stays for a day. */
function withBrought(kept: Json | undefined, brought: Json | undefined, now: number): Json | undefined {
  if (!isJsonObject(brought)) return kept;
  const known = isJsonObject(kept) ? Object.entries(kept) : [];
  const young = known.filter(([, one]) => isJsonObject(one) && now - Number(one['at'] ?? 0) < 86_400);
  const stamped = Object.entries(brought).map(([key, one]) => [
    key,
    { ...(isJsonObject(one) ? one : {}), at: now },
  ]);
  return Object.fromEntries([...young, ...stamped]);
}

export function keyOf(branch: string, name: string): string {
  return `${branch} ${name}`;
}

function memberOf(holder: Json | undefined, key: string): JsonObject | undefined {
  const one = isJsonObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
  return isJsonObject(one) ? one : undefined;
}

function computedFrom(one: JsonObject | undefined): Computed | undefined {
  if (one?.['kind'] === 'value' && typeof one['value'] === 'number') {
    return {
      kind: 'value',
      value: one['value'],
      summary: String(one['summary'] ?? ''),
      base: String(one['base'] ?? ''),
    };
  }
  if (one?.['kind'] === 'none') return { kind: 'none' };
  return one?.['kind'] === 'failed' ? { kind: 'failed', why: String(one['why'] ?? '') } : undefined;
}

function shownFrom(one: JsonObject | undefined): Shown | undefined {
  if (one?.['kind'] === 'shown') return { kind: 'shown' };
  return one?.['kind'] === 'lacking' ? { kind: 'lacking', why: String(one['why'] ?? '') } : undefined;
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
  /** It holds nobody yet, but comes near its limit. */
  | { readonly kind: 'near'; readonly requirement: DynamicRequirement; readonly fact: string }
  /** It cannot be told without running something. */
  | { readonly kind: 'open'; readonly requirement: Requirement }
  /** It was tried, and could not be told; nobody is held for that. */
  | { readonly kind: 'untold'; readonly requirement: Requirement; readonly why: string };

/** The only one of its kind: nothing stands in the way. */
export const CLEAR: Standing = { kind: 'clear' };

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

/**
 * Judges with what is known already; where that leaves something open, it is found out first, by an effect, and
 * kept for a while.
 */
export async function withFindings<Judged>(
  ctx: Context,
  { requirements }: RequirementsConfig,
  { branch, owner }: View,
  judge: (findings: Findings) => Judged[],
  standingOf: (judged: Judged) => Standing,
): Promise<Judged[]> {
  const asksForMore = requirements.some(({ type, evidence }) => type === 'dynamic' || evidence !== undefined);
  const document = asksForMore ? ctx.document(VALUES_FILE) : undefined;
  const kept = document?.kind === 'present' ? document.value : undefined;
  const judged = judge(findingsOf(kept, undefined, requirements, branch, owner.now));
  const open = judged.flatMap((one) => {
    const standing = standingOf(one);
    return standing.kind === 'open' ? [standing.requirement] : [];
  });
  if (open.length === 0) return judged;
  const brought = await ctx.run({ name: 'gather', input: inquiryFor(open, branch) });
  const apply = (current: Json | undefined): Json | undefined => withBrought(current, brought, owner.now);
  ctx.change({ document: VALUES_FILE, what: 'computed values', apply });
  return judge(findingsOf(kept, brought, requirements, branch, owner.now));
}

/** What has to be found out before these requirements can be judged; nothing when all can be. */
function inquiryFor(open: readonly Requirement[], branch: string): Inquiry {
  return {
    branch,
    values: open.flatMap((one) =>
      one.type === 'dynamic' ? [{ name: one.name, calculator: one.calculator }] : [],
    ),
    evidence: open.flatMap(({ name, type, evidence }) =>
      type === 'blocking' && evidence !== undefined ? [{ name, evidence }] : [],
    ),
  };
}

/** Somebody's word, and where the config asks for it also something to show. */
function blockingStanding(
  requirement: Extract<Requirement, { type: 'blocking' }>,
  { view, findings, subject }: Judging,
): Standing {
  if (!view.isSatisfied(requirement)) {
    return { kind: 'obstacle', requirement, fact: unsatisfiedFact(requirement, subject, view.branch) };
  }
  if (requirement.evidence === undefined) return CLEAR;
  const shown = findings.evidence(requirement.name);
  if (shown === undefined) return { kind: 'open', requirement };
  return shown.kind === 'shown'
    ? CLEAR
    : {
        kind: 'obstacle',
        requirement,
        fact: evidenceFact(requirement, subject, shown.why),
        remedy: evidenceRemedy(shown.why),
      };
}

function conditionStanding(
  requirement: Extract<Requirement, { type: 'condition' }>,
  { view, ctx, subject }: Judging,
): Standing {
  const fact = conditionFact(requirement, view, ctx, subject);
  if (fact === undefined || view.isSatisfied(requirement)) return CLEAR;
  return requirement.condition === 'protected_branch'
    ? { kind: 'obstacle', requirement, fact, remedy: OTHER_BRANCH }
    : { kind: 'obstacle', requirement, fact };
}

function conditionFact(
  requirement: Extract<Requirement, { type: 'condition' }>,
  view: View,
  ctx: Context,
  subject: string,
): string | undefined {
  switch (requirement.condition) {
    case 'protected_branch': {
      const isProtected = requirement.branches.some((pattern) => matchesName(pattern, view.branch));
      return isProtected ? protectedFact(subject, view.branch) : undefined;
    }
    case 'single_session': {
      const other = earlierSession(ctx, view);
      return other === undefined ? undefined : otherSessionFact(subject, other);
    }
  }
}

/** Only the later session is held, or two would hold each other; of two in one second, the one with the greater key. */
function earlierSession(ctx: Context, view: View): string | undefined {
  const here = ctx.sessions().filter((one) => one.alive && one.projectDir === ctx.projectRoot);
  const own = here.find((one) => one.id === view.session)?.startedAt ?? Number.POSITIVE_INFINITY;
  return here.find((one) => one.startedAt < own || (one.startedAt === own && one.id < view.session))?.id;
}

/** A value below its threshold holds nobody, and an approval counts until it expires. */
function dynamicStanding(
  requirement: Extract<Requirement, { type: 'dynamic' }>,
  { view, findings, subject }: Judging,
): Standing {
  if (view.isSatisfied(requirement) || isApproved(requirement, view)) return CLEAR;
  const computed = findings.value(requirement.name);
  if (computed === undefined) return { kind: 'open', requirement };
  if (computed.kind === 'failed') return { kind: 'untold', requirement, why: computed.why };
  if (computed.kind === 'none') return CLEAR;
  const { block, warn = block } = requirement;
  if (computed.value >= block) {
    return { kind: 'obstacle', requirement, fact: tooLargeFact(requirement, subject, computed) };
  }
  return computed.value >= warn
    ? { kind: 'near', requirement, fact: nearFact(requirement, computed) }
    : CLEAR;
}

/** An approval stands with the session, whatever scope the requirement has. */
function isApproved({ name }: Requirement, { state, session, owner }: View): boolean {
  return isSatisfied(sessionIn(entryIn(state, name), session), owner.now);
}
