import type { Requirement } from './config';
import { type Situation, unreadableLines } from './messages';
import type { Carried } from './session';
import type { Override } from './state';

/** The few lines with which a session begins. */
export function briefingText(
  requirements: readonly Requirement[],
  open: readonly Requirement[],
  situation: Situation,
  header: string | undefined,
  carried: readonly Carried[],
): string {
  const done = requirements.length - open.length;
  const notes = [...carriedLines(carried), ...unreadableLines(situation)];
  return [
    ...(header === undefined ? [] : [header]),
    `## Requirements: ${done}/${requirements.length} satisfied (enforcing ${requirements.length})`,
    ...briefingActions(open, ROOM - notes.length),
    ...notes,
    ...(open.length === 0 ? [] : [fallbackLine(open, situation)]),
  ].join('\n');
}

function fallbackLine(open: readonly Requirement[], { session }: Situation): string {
  return `**Fallback**: \`req satisfy ${open.map(({ name }) => name).join(' ')} --session ${session}\``;
}

/** An agent reads ten lines; a header of the user's, the heading and the fallback take three. */
const ROOM = 7;

function briefingActions(open: readonly Requirement[], room: number): string[] {
  const bySkill = new Map<string, string[]>();
  for (const { name, skill } of open) {
    const action =
      skill === undefined ? `**req satisfy ${name}**` : `**Run \`/${skill.split(':').at(-1) ?? skill}\`**`;
    bySkill.set(action, [...(bySkill.get(action) ?? []), `\`${name}\``]);
  }
  const actions = [...bySkill].map(([action, names]) => `${action} -> ${names.join(', ')}`);
  if (actions.length <= room) return actions;
  const rest = [...bySkill.values()].slice(room - 1).flat();
  return [...actions.slice(0, room - 1), `and ${rest.join(', ')}`];
}

/** One line a requirement, for who prefers to see each. */
export function standardBriefing(
  requirements: readonly Requirement[],
  open: readonly Requirement[],
  situation: Situation,
  header: string | undefined,
  carried: readonly Carried[],
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
    ...carriedLines(carried),
    ...unreadableLines(situation),
  ].join('\n');
}

/** In the one line that says what is on. */
export function armedText(requirements: number): string {
  return `${requirements} ${requirements === 1 ? 'requirement' : 'requirements'}`;
}

export const GLOBAL_ONLY =
  'Holdpoint: requirements stand only in the global config, so they are not enforced in this project. Set `enforce_everywhere: true` there, or write .claude/requirements.yaml or .holdpoint/config.yaml here.';

export const SWITCHED_OFF =
  'Holdpoint: requirements are not enforced here because the config says `enabled: false`.';

export const NONE_ENABLED =
  'Holdpoint: no requirement is enforced here: none in the config has `enabled: true` and is without mistakes.';

export const PAUSED =
  'Holdpoint: requirements are paused for this session; `req resume` ends the pause. Nothing is held meanwhile.';

function carriedLines(carried: readonly Carried[]): string[] {
  const parts = carried.map(({ name, from, ageSeconds }) => `\`${name}\` from ${from} (${ageSeconds} s ago)`);
  return parts.length === 0 ? [] : [`Carried over from another session: ${parts.join(', ')}`];
}

/** Turns that ended although they were held, in one line: somebody should know before going on. */
export function overrideText(overrides: readonly Override[]): string {
  if (overrides.length === 0) return '';
  const told = overrides.map(({ session, names }) => `session ${session} with ${names.join(', ')} open`);
  return `A turn ended here although it had been held: ${told.join('; ')}.`;
}

/** Said once, before work on a design that nobody has agreed to. */
export function designText({ name, skill }: Requirement, { session }: Situation): string {
  const how = skill === undefined ? `req satisfy ${name} --session ${session}` : `/${skill}`;
  return `No design is agreed on yet (\`${name}\`). Think it through with the person before planning or editing; \`${how}\` settles it.`;
}

/** What stands before the work that a plan has just described. */
export function planText(open: readonly Requirement[], situation: Situation): string {
  return ['## Plan Validation Required', ...briefingActions(open, ROOM), fallbackLine(open, situation)].join(
    '\n',
  );
}
