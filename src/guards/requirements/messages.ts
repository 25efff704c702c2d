import { isPlainWord } from '../../core/text';
import type { Grounds } from '../../core/verdict';
import type { Requirement } from './config';

/** Fills in `{name}`; what it does not know stays as it stands. */
export function replaceNames(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(values, key) ? (values[key] ?? whole) : whole,
  );
}

/** The requirement that stands for a design which somebody has agreed to. */
export const DESIGN_GATE = 'design_approved';

/** A requirement that stands in the way, with the fact that makes it do so. */
export interface Obstacle {
  readonly requirement: Requirement;
  readonly fact: string;
  /** The branch it is about, where that is not the one of the moment. */
  readonly branch?: string;
  /** What the agent can do about it, where saying that it is done would not help. */
  readonly remedy?: string;
}

export interface Situation {
  readonly session: string;
  readonly branch: string;
  readonly project: string;
  /** State files that could not be read. */
  readonly unreadable: readonly string[];
}

/** What a denied agent reads: what is held, why, what clears it, and who may waive it. */
export function denialText(obstacles: readonly Obstacle[], situation: Situation): string {
  const only = obstacles.length === 1 ? obstacles[0] : undefined;
  const head =
    only !== undefined
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
  const only = obstacles.length === 1 ? obstacles[0]?.requirement : undefined;
  const names = obstacles.map(({ requirement }) => requirement.name).join(', ');
  const head =
    only?.shortMessage === undefined
      ? `## Blocked: ${names} (as said a moment ago)`
      : fillIn(only.shortMessage.trim(), only, situation);
  return [
    head,
    `Nothing was changed. Fallback (user action): \`${satisfyCommand(obstacles, situation)}\``,
  ].join('\n');
}

/** What an agent reads whose turn may not end yet. */
export function stopText(obstacles: readonly Obstacle[], situation: Situation): string {
  const names = obstacles.map(nameOf).join(', ');
  return [
    `## Cannot Complete: Unsatisfied Requirements: ${names}`,
    ...actionLines(obstacles, situation),
    ...unreadableLines(situation),
    'They were set off in this session. Satisfy them, or say what is missing: the next stop is not held for them.',
    `Fallback: ${satisfyCommands(obstacles, situation)}`,
  ].join('\n');
}

function nameOf({ requirement, branch }: Obstacle): string {
  return branch === undefined ? requirement.name : `${requirement.name} (on branch ${branch})`;
}

function singleDenial(obstacle: Obstacle, situation: Situation): string[] {
  const { requirement, fact, remedy } = obstacle;
  const { name, message, description, skill, place, agentMaySatisfy } = requirement;
  if (message !== undefined) return [fillIn(message.trim(), requirement, situation)];
  const who = agentMaySatisfy ? '' : ' (a person has to)';
  const command = `**Action**${who}: \`${satisfyCommand([obstacle], situation)}\``;
  const action =
    remedy !== undefined
      ? `**Action**: ${remedy}`
      : skill === undefined
        ? command
        : `**Execute**: \`/${skill}\``;
  const what = description === undefined ? [] : [oneLine(description)];
  return [`## Blocked: ${name}`, `${sentence(fact)} (${place})`, ...what, action];
}

/** What a held agent reads has ten lines; heading, table head, closing lines and the reference take six. */
const ROOM = 4;

function actionLines(obstacles: readonly Obstacle[], { unreadable }: Situation): string[] {
  const skills = new Set(obstacles.map(({ requirement }) => requirement.skill));
  const [shared] = skills;
  if (skills.size === 1 && shared !== undefined) {
    return [`**Execute**: \`/${shared}\``, `Satisfies: ${obstacles.map(nameOf).join(', ')}`];
  }
  const room = ROOM - unreadable.length;
  const shown = obstacles.length > room ? room - 1 : room;
  const rows = obstacles
    .slice(0, shown)
    .map((obstacle) => `| ${nameOf(obstacle)} | ${executeCell(obstacle)} |`);
  const rest = obstacles.slice(shown).map(nameOf);
  return [
    '| Requirement | Execute |',
    '|---|---|',
    ...rows,
    ...(rest.length > 0 ? [`and ${rest.join(', ')}`] : []),
  ];
}

function executeCell({ requirement, remedy }: Obstacle): string {
  const { name, skill, agentMaySatisfy } = requirement;
  if (remedy !== undefined) return remedy;
  if (skill !== undefined) return `\`/${skill}\``;
  return `\`req satisfy ${shellWord(name)}\`${agentMaySatisfy ? '' : ' (a person)'}`;
}

export function unreadableLines({ unreadable }: Situation): string[] {
  return unreadable.map((file) => `${file}, so nothing in it counts.`);
}

/** A session is satisfied on the branch of the moment; for another one only the whole branch can be. */
function satisfyCommands(obstacles: readonly Obstacle[], situation: Situation): string {
  const here = obstacles.filter(({ branch }) => branch === undefined);
  const elsewhere = [...new Set(obstacles.flatMap(({ branch }) => branch ?? []))].map((branch) => {
    const there = obstacles
      .filter((one) => one.branch === branch)
      .map(({ requirement }) => shellWord(requirement.name));
    return `req satisfy ${there.join(' ')} --branch ${shellWord(branch)}`;
  });
  const commands = here.length > 0 ? [satisfyCommand(here, situation), ...elsewhere] : elsewhere;
  return commands.map((command) => `\`${command}\``).join(', ');
}

function satisfyCommand(obstacles: readonly Obstacle[], { session }: Situation): string {
  const names = obstacles.map(({ requirement }) => shellWord(requirement.name));
  return `req satisfy ${names.join(' ')} --session ${session}`;
}

/** A name as one word of a command, whatever somebody has called a requirement. */
function shellWord(name: string): string {
  return isPlainWord(name, '_.@%+:,-') ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}

function fillIn(text: string, requirement: Requirement | undefined, situation: Situation): string {
  const values: Readonly<Record<string, string>> = {
    req_name: requirement?.name ?? '',
    session_id: situation.session,
    branch: situation.branch,
    project_dir: situation.project,
    auto_resolve_skill: requirement?.skill?.split(':').at(-1) ?? '',
  };
  return replaceNames(text, values);
}

/** What an agent hears whose call goes on, while a value comes near its limit. */
export function nearText(facts: readonly string[]): string {
  const lines = facts.map((fact) => `Requirement ${fact}.`);
  return [...lines, 'Finish or split the work before that, or ask a person in time.'].join('\n');
}

/** For a permission that nobody should give in passing. */
export function dangerText(danger: string): string {
  return `${danger}. Holdpoint answers such requests with no; a person can run it, or set \`hooks.permission_request.auto_deny_dangerous: false\`.`;
}

export const REVIEW_PROMPT =
  'The turn ended with all requirements satisfied. If this session taught anything worth keeping, now is the time to note it down.';

/** What the journal keeps of it, for `why`. */
export function groundsFor({ requirement, fact, remedy }: Obstacle, { session }: Situation): Grounds {
  const command = `req satisfy ${shellWord(requirement.name)} --session ${session}`;
  return {
    rule: requirement.name,
    place: requirement.place,
    fact,
    clear: remedy ?? (requirement.skill === undefined ? command : `/${requirement.skill}`),
    waive: `${requirement.agentMaySatisfy ? 'the agent or a person' : 'a person'}, with ${command}`,
  };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
