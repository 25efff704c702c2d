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
  const { name, message, skill, place } = requirement;
  if (message !== undefined) return [fillIn(message.trim(), requirement, situation)];
  const action =
    skill === undefined
      ? `**Action**: \`req satisfy ${name} --session ${situation.session}\``
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

function unreadableLines({ unreadable }: Situation): string[] {
  return unreadable.map((file) => `${file}, so nothing in it counts.`);
}

function satisfyCommand(obstacles: readonly Obstacle[], { session }: Situation): string {
  const names = obstacles.map(({ requirement }) => requirement.name);
  return `req satisfy ${names.join(' ')} --session ${session}`;
}

function fillIn(text: string, requirement: Requirement, situation: Situation): string {
  const values: Readonly<Record<string, string>> = {
    req_name: requirement.name,
    session_id: situation.session,
    branch: situation.branch,
    auto_resolve_skill: requirement.skill?.split(':').at(-1) ?? '',
  };
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

export function triggeredFact(requirement: Requirement): string {
  return `\`${requirement.name}\` was set off in this session and is not satisfied`;
}

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

/** The few lines with which a session begins. */
export function briefingText(
  requirements: readonly Requirement[],
  open: readonly Requirement[],
  situation: Situation,
  header: string | undefined,
): string {
  const done = requirements.length - open.length;
  return [
    ...(header === undefined ? [] : [header]),
    `## Requirements: ${done}/${requirements.length} satisfied`,
    ...briefingActions(open),
    ...unreadableLines(situation),
    ...(open.length === 0
      ? []
      : [
          `**Fallback**: \`req satisfy ${open.map(({ name }) => name).join(' ')} --session ${situation.session}\``,
        ]),
  ].join('\n');
}

function briefingActions(open: readonly Requirement[]): string[] {
  const bySkill = new Map<string, string[]>();
  for (const { name, skill } of open) {
    const action =
      skill === undefined ? `**req satisfy ${name}**` : `**Run \`/${skill.split(':').at(-1) ?? skill}\`**`;
    bySkill.set(action, [...(bySkill.get(action) ?? []), `\`${name}\``]);
  }
  return [...bySkill].map(([action, names]) => `${action} -> ${names.join(', ')}`);
}

/** One line a requirement, for who prefers to see each. */
export function standardBriefing(
  requirements: readonly Requirement[],
  open: readonly Requirement[],
  situation: Situation,
  header: string | undefined,
): string {
  return [
    ...(header === undefined ? [] : [header]),
    `## Requirements on ${situation.branch} (session ${situation.session})`,
    '| Requirement | Status | Resolve |',
    '|---|---|---|',
    ...requirements.map((requirement) => {
      const isOpen = open.includes(requirement);
      const resolve =
        requirement.skill === undefined
          ? `\`req satisfy ${requirement.name} --session ${situation.session}\``
          : `\`/${requirement.skill}\``;
      const status = isOpen ? '⬜ NOT satisfied' : '✅ satisfied';
      return `| ${requirement.name} | ${status} | ${isOpen ? resolve : ''} |`;
    }),
    ...unreadableLines(situation),
  ].join('\n');
}

export const GLOBAL_ONLY =
  'Holdpoint: requirements stand only in the global config, so they are not enforced in this project. Set `enforce_everywhere: true` there, or write .claude/requirements.yaml or .holdpoint/config.yaml here.';
