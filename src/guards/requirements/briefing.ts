import { openObstacle, type Standing, whyUnknown } from './judge';
import {
  approveLine,
  areForHub,
  dueBeforeText,
  fallbackLines,
  namesIn,
  namesOf,
  type Obstacle,
  ON_HUB,
  personText,
  remedyOf,
  reqCommand,
  rowOf,
  type Situation,
  satisfyCommands,
  sentence,
  splitByHub,
  taskOf,
  unreadableLines,
  type Way,
  wayOf,
} from './messages';
import type { Requirement } from './section';
import type { View } from './view';

/* What an agent reads before anything is held. */

export interface Carried {
  readonly name: string;
  readonly from: string;
  readonly ageSeconds: number;
}

/** An agent reads at most ten lines; the user's header, the heading and the commands take four. */
const ACTIONS = 6;

/** The briefing of a new session: a few lines, or in the `standard` format a row for each requirement. */
export function briefingText(view: View, standing: Standings, carried: readonly Carried[]): string {
  const { requirements, briefing } = view.config;
  const total = requirements.length;
  const open = openIn(requirements, standing);
  const unknown = requirements.flatMap((one) => {
    const why = whyUnknown(one, standing(one));
    return why === undefined ? [] : [`\`${one.name}\` (${why})`];
  });
  const notes = [
    ...carriedLines(carried),
    ...unreadableLines(view),
    ...(unknown.length === 0 ? [] : [`Not known yet: ${unknown.join('; ')}`]),
  ];
  const enforcing = requirements.some(({ legacy }) => legacy) ? ` (enforcing ${total})` : '';
  const compact = [
    `## Requirements: ${total - open.length - unknown.length}/${total} satisfied${enforcing}`,
    ...openLines(open, view, notes),
  ];
  const standard = [
    `## Requirements on ${view.branch} (session ${view.session})`,
    '| Requirement | Status | Resolve |',
    '|---|---|---|',
    ...requirements.map((one) => {
      const known = standing(one);
      const obstacle = openObstacle(one, known);
      if (obstacle !== undefined) return `| ${one.name} | ⬜ NOT satisfied | ${howTo(obstacle, view)} |`;
      return `| ${one.name} | ${whyUnknown(one, known) === undefined ? '✅ satisfied' : '⬜ not known yet'} |  |`;
    }),
    ...notes,
  ];
  const header = briefing.header === undefined ? [] : [briefing.header];
  return [...header, ...(briefing.format === 'standard' ? standard : compact)].join('\n');
}

type Standings = (requirement: Requirement) => Standing;

function openIn(requirements: readonly Requirement[], standing: Standings): Obstacle[] {
  return requirements.flatMap((one) => openObstacle(one, standing(one)) ?? []);
}

/** What satisfies a requirement, in a few words. */
function howTo(obstacle: Obstacle, situation: Situation): string {
  const { requirement, remedy = remedyOf(requirement) } = obstacle;
  const way = wayOf(obstacle, situation);
  if (remedy !== undefined) return remedy;
  const run = requirement.skill === undefined ? '' : `\`/${requirement.skill}\``;
  if (way !== 'approve') return run || satisfyCommands('satisfy', [obstacle], situation);
  const who = `${run && `${run}, then `}a person has to approve it`;
  if (areForHub([obstacle])) return `${who} ${ON_HUB}`;
  return `${who}: ${satisfyCommands('approve', [obstacle], situation)}`;
}

/** Tells in advance what is open and what to do about it. */
function openLines(all: readonly Obstacle[], situation: Situation, notes: readonly string[]): string[] {
  const isLegacy = all.some(({ requirement }) => requirement.legacy);
  const room = ACTIONS - notes.length;
  const byAction = new Map<string, Obstacle[]>();
  for (const one of all) {
    const action = isLegacy ? legacyAction(one) : one.requirement.name;
    byAction.set(action, [...(byAction.get(action) ?? []), one]);
  }
  const rows = [...byAction].map(([action, [first, ...more]]) => {
    if (first === undefined) return '';
    const { requirement } = first;
    if (!isLegacy) return `- ${rowOf(first, situation, dueBeforeText(requirement))}`;
    const what =
      requirement.description === undefined || more.length > 0 ? '' : `: ${taskOf(requirement, situation)}`;
    return `${action} -> ${namesIn([first, ...more])}${what}`;
  });
  const rest = [...byAction.values()].slice(room - 1).flat();
  const shown = rows.length <= room ? rows : [...rows.slice(0, room - 1), `and ${namesIn(rest)}`];
  const commands = isLegacy
    ? fallbackLines('**Fallback**', all, situation, approvalsAhead)
    : aheadCommands(all, situation);
  return [...shown, ...notes, ...commands];
}

/** Shows `NAME` for several rules, so that the agent does not record all of them at once in advance. */
function aheadCommands(all: readonly Obstacle[], situation: Situation): string[] {
  const of = (way: Way): Obstacle[] => all.filter((one) => wayOf(one, situation) === way);
  const [record, approve] = [of('record'), of('approve')];
  const [which, names] = record.length === 1 ? ['it', namesOf(record)] : ['each one', ['NAME']];
  const from = record.length === all.length ? '' : ` (${namesIn(record)})`;
  const command = `\`${reqCommand('satisfy', names, situation.session)}\``;
  return [
    ...(record.length === 0 ? [] : [`Record ${which} when you have done it${from}: ${command}`]),
    ...approvalsAhead(approve, situation),
  ];
}

function approvalsAhead(obstacles: readonly Obstacle[], situation: Situation): string[] {
  return splitByHub(obstacles).map((some) =>
    approveLine(some, situation, `when a call is held for ${some.length === 1 ? 'it' : 'one of them'}, `),
  );
}

function legacyAction({ requirement, remedy = remedyOf(requirement) }: Obstacle): string {
  const { name, skill, agentMaySatisfy } = requirement;
  if (remedy !== undefined) return `**${sentence(remedy).slice(0, -1)}**`;
  const run = skill === undefined ? '' : `Run \`/${skill.split(':').at(-1) ?? skill}\``;
  if (!agentMaySatisfy)
    return `**${run === '' ? 'A' : `${run}, then a`}${personText(requirement).slice(1)}**`;
  return `**${run || reqCommand('satisfy', [name])}**`;
}

function carriedLines(carried: readonly Carried[]): string[] {
  const parts = carried.map(({ name, from, ageSeconds }) => `\`${name}\` from ${from} (${ageSeconds} s ago)`);
  return parts.length === 0 ? [] : [`Carried over from another session: ${parts.join(', ')}`];
}

/** Given once, before work on a design that is not approved. */
export function designText(requirement: Requirement, situation: Situation): string {
  return `No design is approved yet (\`${requirement.name}\`). Discuss it with the user before you plan or edit; then: ${howTo({ requirement, fact: '' }, situation)}`;
}

/** What must be satisfied before the work that a plan has just described. */
export function planText(
  requirements: readonly Requirement[],
  standing: Standings,
  situation: Situation,
): string | undefined {
  const open = openIn(requirements, standing);
  if (open.length === 0) return undefined;
  const head = open.some(({ requirement }) => requirement.legacy)
    ? '## Plan Validation Required'
    : 'Before you carry out this plan:';
  return [head, ...openLines(open, situation, [])].join('\n');
}
