import type { Grounds } from '../../core/verdict';
import type { Requirement } from './section';
import type { Override } from './state';
import type { View } from './view';

/** Fills in `{name}`; unknown names are left as they are. */
export function replaceNames(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(values, key) ? (values[key] ?? whole) : whole,
  );
}

/** A requirement that holds, with the fact that makes it do so. */
export interface Obstacle {
  readonly requirement: Requirement;
  readonly fact: string;
  /** The branch it is about, where that is not the current one. */
  readonly branch?: string | undefined;
  /** What the agent can do about it, where saying that it is done would not help. */
  readonly remedy?: string;
}

type Situation = Pick<View, 'session' | 'branch' | 'project' | 'unreadable'>;

/** What a denied agent reads: what is held, why, what clears it, and who may waive it. */
export function denialText(obstacles: readonly Obstacle[], situation: Situation): string {
  const [first, second] = obstacles;
  const head =
    first !== undefined && second === undefined
      ? singleDenial(first, situation)
      : ['## Blocked: Multiple Requirements', ...actionLines(obstacles, situation)];
  return [
    ...head,
    ...unreadableLines(situation),
    'Nothing was changed. Do what is named above, or stop and say what is needed.',
    `Fallback (user action): \`${satisfyCommand(obstacles, situation)}\``,
  ].join('\n');
}

/** The same denial again within seconds: only what is held and what clears it. */
export function repeatedText(obstacles: readonly Obstacle[], situation: Situation): string {
  const only = obstacles.length === 1 ? obstacles[0]?.requirement : undefined;
  const names = obstacles.map(({ requirement }) => requirement.name).join(', ');
  const head =
    only?.shortMessage === undefined
      ? `## Blocked: ${names} (as said a moment ago)`
      : fillIn(only.shortMessage, only, situation);
  const command = satisfyCommand(obstacles, situation);
  return `${head}\nNothing was changed. Fallback (user action): \`${command}\``;
}

export function stopText(obstacles: readonly Obstacle[], situation: Situation): string {
  return [
    `## Cannot Complete: Unsatisfied Requirements: ${obstacles.map(nameOf).join(', ')}`,
    ...actionLines(obstacles, situation),
    ...unreadableLines(situation),
    'They were set off in this session. Satisfy them, or say what is missing: the next stop is not held for them.',
    `Fallback: ${satisfyCommands(obstacles, situation)}`,
  ].join('\n');
}

function nameOf({ requirement: { name }, branch }: Obstacle): string {
  return branch === undefined ? name : `${name} (on branch ${branch})`;
}

function singleDenial(obstacle: Obstacle, situation: Situation): string[] {
  const { requirement, fact, remedy } = obstacle;
  const { name, message, description, skill, place, agentMaySatisfy } = requirement;
  if (message !== undefined) return [fillIn(message, requirement, situation)];
  const what = description === undefined ? [] : [description.replace(/\s+/g, ' ').trim().slice(0, 300)];
  const who = agentMaySatisfy ? '' : ' (a person has to)';
  let action = `**Action**${who}: \`${satisfyCommand([obstacle], situation)}\``;
  if (skill !== undefined) action = `**Execute**: \`/${skill}\``;
  if (remedy !== undefined) action = `**Action**: ${remedy}`;
  const sentence = fact.charAt(0).toUpperCase() + fact.slice(1);
  return [`## Blocked: ${name}`, `${sentence} (${place})`, ...what, action];
}

/** What a held agent reads has ten lines; heading, table head, closing lines and the reference take six. */
const ROWS = 4;

function actionLines(obstacles: readonly Obstacle[], { unreadable }: Situation): string[] {
  const skills = new Set(obstacles.map(({ requirement }) => requirement.skill));
  const [shared] = skills;
  if (skills.size === 1 && shared !== undefined) {
    return [`**Execute**: \`/${shared}\``, `Satisfies: ${obstacles.map(nameOf).join(', ')}`];
  }
  const room = ROWS - unreadable.length;
  const shown = obstacles.length > room ? room - 1 : room;
  const rows = obstacles.slice(0, shown).map((one) => `| ${nameOf(one)} | ${executeCell(one)} |`);
  const rest = obstacles.slice(shown);
  return [
    '| Requirement | Execute |',
    '|---|---|',
    ...rows,
    ...(rest.length > 0 ? [`and ${rest.map(nameOf).join(', ')}`] : []),
  ];
}

function executeCell({ requirement, remedy }: Obstacle): string {
  const { name, skill, agentMaySatisfy } = requirement;
  if (remedy !== undefined) return remedy;
  if (skill !== undefined) return `\`/${skill}\``;
  return `\`req satisfy ${shellWord(name)}\`${agentMaySatisfy ? '' : ' (a person)'}`;
}

function unreadableLines({ unreadable }: Situation): string[] {
  return unreadable.map((file) => `${file}, so nothing in it counts.`);
}

/** A session can be satisfied only on the current branch; on another one the whole branch has to be. */
function satisfyCommands(obstacles: readonly Obstacle[], situation: Situation): string {
  const here = obstacles.filter(({ branch }) => branch === undefined);
  const elsewhere = [...new Set(obstacles.flatMap(({ branch }) => branch ?? []))].map((branch) => {
    const there = obstacles.filter((one) => one.branch === branch);
    return `req satisfy ${shellNames(there)} --branch ${shellWord(branch)}`;
  });
  const commands = here.length > 0 ? [satisfyCommand(here, situation), ...elsewhere] : elsewhere;
  return commands.map((command) => `\`${command}\``).join(', ');
}

function satisfyCommand(obstacles: readonly Obstacle[], { session }: Situation): string {
  return `req satisfy ${shellNames(obstacles)} --session ${session}`;
}

function shellNames(obstacles: readonly Obstacle[]): string {
  return obstacles.map(({ requirement }) => shellWord(requirement.name)).join(' ');
}

/** A name as one word of a command, whatever a requirement is called. */
function shellWord(name: string): string {
  return /^[\w.@%+:,-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

function fillIn(text: string, { name, skill }: Requirement, situation: Situation): string {
  return replaceNames(text.trim(), {
    req_name: name,
    session_id: situation.session,
    branch: situation.branch,
    project_dir: situation.project,
    auto_resolve_skill: skill?.split(':').at(-1) ?? '',
  });
}

/** What an agent reads whose call is allowed while a value is near its limit. */
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
export function groundsFor(obstacle: Obstacle, situation: Situation): Grounds {
  const { requirement, fact, remedy } = obstacle;
  const { name, place, skill, agentMaySatisfy } = requirement;
  const command = satisfyCommand([obstacle], situation);
  return {
    rule: name,
    place,
    fact,
    clear: remedy ?? (skill === undefined ? command : `/${skill}`),
    waive: `${agentMaySatisfy ? 'the agent or a person' : 'a person'}, with ${command}`,
  };
}

export interface Carried {
  readonly name: string;
  readonly from: string;
  readonly ageSeconds: number;
}

/** An agent reads ten lines; the user's header, the heading and the fallback take three. */
const ACTIONS = 7;

/** What a session reads when it begins: a few lines, or in the format `standard` one for each requirement. */
export function briefingText(view: View, open: readonly Requirement[], carried: readonly Carried[]): string {
  const { requirements, briefing } = view.config;
  const total = requirements.length;
  const notes = [...carriedLines(carried), ...unreadableLines(view)];
  const compact = [
    `## Requirements: ${total - open.length}/${total} satisfied (enforcing ${total})`,
    ...briefingActions(open, ACTIONS - notes.length),
    ...notes,
    ...(open.length === 0 ? [] : [fallbackLine(open, view)]),
  ];
  const standard = [
    `## Requirements on ${view.branch} (session ${view.session})`,
    '| Requirement | Status | Resolve |',
    '|---|---|---|',
    ...requirements.map((one) =>
      open.includes(one)
        ? `| ${one.name} | ⬜ NOT satisfied | \`${howTo(one, view)}\` |`
        : `| ${one.name} | ✅ satisfied |  |`,
    ),
    ...notes,
  ];
  const header = briefing.header === undefined ? [] : [briefing.header];
  return [...header, ...(briefing.format === 'standard' ? standard : compact)].join('\n');
}

/** The skill or the command that satisfies a requirement. */
function howTo({ name, skill }: Requirement, { session }: Situation): string {
  return skill === undefined ? `req satisfy ${name} --session ${session}` : `/${skill}`;
}

function fallbackLine(open: readonly Requirement[], { session }: Situation): string {
  return `**Fallback**: \`req satisfy ${open.map(({ name }) => name).join(' ')} --session ${session}\``;
}

function briefingActions(open: readonly Requirement[], room: number): string[] {
  const byAction = new Map<string, string[]>();
  for (const { name, skill } of open) {
    const action =
      skill === undefined ? `**req satisfy ${name}**` : `**Run \`/${skill.split(':').at(-1) ?? skill}\`**`;
    byAction.set(action, [...(byAction.get(action) ?? []), `\`${name}\``]);
  }
  const actions = [...byAction].map(([action, names]) => `${action} -> ${names.join(', ')}`);
  if (actions.length <= room) return actions;
  const rest = [...byAction.values()].slice(room - 1).flat();
  return [...actions.slice(0, room - 1), `and ${rest.join(', ')}`];
}

function carriedLines(carried: readonly Carried[]): string[] {
  const parts = carried.map(({ name, from, ageSeconds }) => `\`${name}\` from ${from} (${ageSeconds} s ago)`);
  return parts.length === 0 ? [] : [`Carried over from another session: ${parts.join(', ')}`];
}

export const GLOBAL_ONLY =
  'Holdpoint: requirements stand only in the global config, so they are not enforced in this project. Set `enforce_everywhere: true` there, or write .claude/requirements.yaml or .holdpoint/config.yaml here.';

export const SWITCHED_OFF =
  'Holdpoint: requirements are not enforced here because the config says `enabled: false`.';

export const NONE_ENABLED =
  'Holdpoint: no requirement is enforced here: none in the config has `enabled: true` and is without mistakes.';

/** Turns that ended although they were held, in one line for the next session. */
export function overrideText(overrides: readonly Override[]): string {
  if (overrides.length === 0) return '';
  const told = overrides.map(({ session, names }) => `session ${session} with ${names.join(', ')} open`);
  return `A turn ended here although it had been held: ${told.join('; ')}.`;
}

/** Said once, before work on a design that nobody has agreed to. */
export function designText(requirement: Requirement, situation: Situation): string {
  return `No design is agreed on yet (\`${requirement.name}\`). Think it through with the person before planning or editing; \`${howTo(requirement, situation)}\` settles it.`;
}

/** What has to be satisfied before the work that a plan has just described. */
export function planText(open: readonly Requirement[], situation: Situation): string {
  const actions = briefingActions(open, ACTIONS);
  return ['## Plan Validation Required', ...actions, fallbackLine(open, situation)].join('\n');
}
