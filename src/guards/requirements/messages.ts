import type { Grounds } from '../../domain/verdict';
import type { Requirement } from './config';

/** A requirement that stands in the way, with the fact that makes it do so. */
export interface Obstacle {
  readonly requirement: Requirement;
  readonly fact: string;
}

export interface Situation {
  readonly session: string;
  readonly branch: string;
  /** State files that could not be read. */
  readonly unreadable: readonly string[];
}

/** What a denied agent reads: what is held, why, what clears it, and who may waive it. */
export function denialText(obstacles: readonly Obstacle[], situation: Situation): string {
  const [only, ...more] = obstacles;
  const head =
    only !== undefined && more.length === 0
      ? singleDenial(only, situation)
      : ['## Blocked: Multiple Requirements', ...actionLines(obstacles, situation)];
  return [
    ...head,
    ...unreadableLines(situation),
    'Nothing was changed. Do what is named above, or stop and say what is needed.',
    `Fallback (user action): \`${satisfyCommand(obstacles, situation)}\``,
  ].join('\n');
}

/** The same denial again within seconds: what is held and what clears it, and no more. */
export function repeatedText(obstacles: readonly Obstacle[], situation: Situation): string {
  const [only, ...more] = obstacles;
  const names = obstacles.map(({ requirement }) => requirement.name).join(', ');
  const short = only !== undefined && more.length === 0 ? only.requirement.shortMessage : undefined;
  return [
    short === undefined
      ? `## Blocked: ${names} (as said a moment ago)`
      : fillIn(short.trim(), only?.requirement, situation),
    `Nothing was changed. Fallback (user action): \`${satisfyCommand(obstacles, situation)}\``,
  ].join('\n');
}

/** What an agent reads whose turn may not end yet. */
export function stopText(obstacles: readonly Obstacle[], situation: Situation): string {
  const names = obstacles.map(({ requirement }) => requirement.name).join(', ');
  return [
    `## Cannot Complete: Unsatisfied Requirements: ${names}`,
    ...actionLines(obstacles, situation),
    ...unreadableLines(situation),
    'They were set off in this session. Satisfy them, or say what is missing: the next stop is not held for them.',
    `Fallback: \`${satisfyCommand(obstacles, situation)}\``,
  ].join('\n');
}

function singleDenial({ requirement, fact }: Obstacle, situation: Situation): string[] {
  const { name, message, skill, place, agentMaySatisfy } = requirement;
  if (message !== undefined) return [fillIn(message.trim(), requirement, situation)];
  const action =
    skill === undefined
      ? `**Action**${agentMaySatisfy ? '' : ' (a person has to)'}: \`req satisfy ${name} --session ${situation.session}\``
      : `**Execute**: \`/${skill}\``;
  return [`## Blocked: ${name}`, `${sentence(fact)} (${place})`, action];
}

/** What a held agent reads has ten lines; heading, table head, closing lines and the reference take six. */
const ROOM = 4;

function actionLines(obstacles: readonly Obstacle[], { unreadable }: Situation): string[] {
  const skills = new Set(obstacles.map(({ requirement }) => requirement.skill));
  const [shared] = skills;
  if (skills.size === 1 && shared !== undefined) {
    const names = obstacles.map(({ requirement }) => requirement.name);
    return [`**Execute**: \`/${shared}\``, `Satisfies: ${names.join(', ')}`];
  }
  const room = ROOM - unreadable.length;
  const shown = obstacles.length > room ? room - 1 : room;
  const rows = obstacles.slice(0, shown).map(({ requirement: { name, skill } }) => {
    return `| ${name} | ${skill === undefined ? `\`req satisfy ${name}\`` : `\`/${skill}\``} |`;
  });
  const rest = obstacles.slice(shown).map(({ requirement }) => requirement.name);
  return [
    '| Requirement | Execute |',
    '|---|---|',
    ...rows,
    ...(rest.length > 0 ? [`and ${rest.join(', ')}`] : []),
  ];
}

export function unreadableLines({ unreadable }: Situation): string[] {
  return unreadable.map((file) => `${file}, so nothing in it counts.`);
}

function satisfyCommand(obstacles: readonly Obstacle[], { session }: Situation): string {
  const names = obstacles.map(({ requirement }) => requirement.name);
  return `req satisfy ${names.join(' ')} --session ${session}`;
}

function fillIn(text: string, requirement: Requirement | undefined, situation: Situation): string {
  const values: Readonly<Record<string, string>> = {
    req_name: requirement?.name ?? '',
    session_id: situation.session,
    branch: situation.branch,
    auto_resolve_skill: requirement?.skill?.split(':').at(-1) ?? '',
  };
  return replaceNames(text, values);
}

/** Fills in `{name}`; what it does not know stays as it stands. */
function replaceNames(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(values, key) ? (values[key] ?? whole) : whole,
  );
}

export function unsatisfiedFact(requirement: Requirement, tool: string, branch: string): string {
  const reach = {
    session: 'in this session',
    branch: `on branch ${branch}`,
    permanent: 'in this project',
    single_use: 'for this action',
  }[requirement.scope];
  return `${toolName(tool)} is held until \`${requirement.name}\` is satisfied ${reach}`;
}

export function protectedFact(tool: string, branch: string): string {
  return `${toolName(tool)} is held because branch ${branch} is protected`;
}

export function otherSessionFact(tool: string, other: string): string {
  return `${toolName(tool)} is held because session ${other} works in this project already`;
}

export function triggeredFact({ name }: Requirement, branch: string | undefined): string {
  const where = branch === undefined ? '' : ` on branch ${branch}`;
  return `\`${name}\` was set off in this session${where} and is not satisfied`;
}

export function evidenceFact({ name }: Requirement, tool: string, why: string): string {
  return `${toolName(tool)} is held because \`${name}\` is said to be done but ${why}`;
}

export function tooLargeFact(
  { name, block, warn, blockingMessage }: Extract<Requirement, { type: 'dynamic' }>,
  tool: string,
  { value, summary, base }: { readonly value: number; readonly summary: string; readonly base: string },
): string {
  if (blockingMessage === undefined) {
    const against = base === '' ? '' : ` against ${base}`;
    return `${toolName(tool)} is held because \`${name}\` is ${value}${against} and ${block} is the limit${summary && ` (${summary})`}`;
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

/** For a permission that nobody should give in passing. */
export function dangerText(danger: string): string {
  return `${danger}. Holdpoint answers such requests with no; a person can run it, or set \`hooks.permission_request.auto_deny_dangerous: false\`.`;
}

export const REVIEW_PROMPT =
  'The turn ended with all requirements satisfied. If this session taught anything worth keeping, now is the time to note it down.';

/** What the journal keeps of it, for `why`. */
export function groundsFor({ requirement, fact }: Obstacle, { session }: Situation): Grounds {
  const command = `req satisfy ${requirement.name} --session ${session}`;
  return {
    rule: requirement.name,
    place: requirement.place,
    fact,
    clear: requirement.skill === undefined ? command : `/${requirement.skill}`,
    waive: requirement.agentMaySatisfy ? command : `a person, with ${command}`,
  };
}

/** Whatever the host sends as a name, a fact stays one sentence. */
function toolName(name: string): string {
  return name.replace(/\s+/g, ' ').slice(0, 100);
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
