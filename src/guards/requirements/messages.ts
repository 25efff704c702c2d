import { matchesName } from '../../core/text';
import type { Grounds } from '../../core/verdict';
import { askOnHub, askUser } from './approval-messages';
import { dueBeforeText, heldActionText } from './due-text';
import { undescribedEvidence } from './evidence-text';
import type { Requirement } from './section';
import type { View } from './view';

/** Fills in `{name}`; unknown names are left as they are. */
export function replaceNames(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, key: string) =>
    Object.hasOwn(values, key) ? (values[key] ?? whole) : whole,
  );
}

/** A requirement that holds, and why. */
export interface Obstacle {
  readonly requirement: Requirement;
  readonly fact: string;
  /** Why it holds, if for another reason than that nobody has satisfied it. */
  readonly cause?: string;
  /** The branch it is about, if that is not the current one. */
  readonly branch?: string | undefined;
  /** What the agent can do about it, if recording it as satisfied would not help. */
  readonly remedy?: string;
  /** What the agent can do instead, if that depends on the call; a person can waive the rule too. */
  readonly instead?: string;
}

export type Situation = Pick<View, 'session' | 'branch' | 'project' | 'unreadable' | 'config'> &
  Partial<Pick<View, 'channel' | 'hub' | 'event'>>;

/** What a held agent reads: what to do first, what is held by which rule, and who may waive it. */
export function denialText(obstacles: readonly Obstacle[], situation: Situation): string {
  if (obstacles.some(({ requirement }) => requirement.legacy)) return legacyDenial(obstacles, situation);
  const [only] = obstacles.length === 1 ? obstacles : [];
  const rest = [...stepLines(obstacles, situation), ...waiveHint(obstacles, situation)];
  const notes = unreadableLines(situation);
  if (only === undefined) {
    const held = 'The call is held until all of this is done. Nothing was changed.';
    return [...rowsOf(obstacles, situation, notes.length + rest.length), ...notes, held, ...rest].join('\n');
  }
  const { requirement, fact } = only;
  const { name, message, place } = requirement;
  const first =
    message === undefined ? taskOf(requirement, situation) : fillIn(message, requirement, situation);
  const where = fact.includes(`\`${name}\``) ? place : `rule \`${name}\`, ${place}`;
  const held = `${sentence(`${fact.replace(/\.$/, '')} (${where})`)} Nothing was changed.`;
  // A message from the config may contain the command already.
  const isNew = (line: string): boolean => !first.includes(/`(req .*)`/.exec(line)?.[1] ?? '\n');
  return [first, held, ...notes, ...rest.filter(isNew)].join('\n');
}

/** For the same denial repeated within seconds: only what to do. */
export function repeatedText(obstacles: readonly Obstacle[], situation: Situation): string {
  const [only] = obstacles.length === 1 ? obstacles.map(({ requirement }) => requirement) : [];
  const short = only?.shortMessage === undefined ? undefined : fillIn(only.shortMessage, only, situation);
  if (!obstacles.some(({ requirement }) => requirement.legacy)) {
    const steps = stepLines(obstacles, situation);
    // What is missing may be something else than a moment ago.
    const [why = ''] = obstacles.flatMap(({ remedy, cause }) => (remedy && cause ? `: ${cause}` : []));
    const still = `Still held${only === undefined ? '' : ` by \`${only.name}\`${why}`}. Nothing was changed.`;
    const rows = only === undefined ? rowsOf(obstacles, situation, steps.length) : [taskOf(only, situation)];
    return [...(short === undefined ? rows : [short]), still, ...steps].join('\n');
  }
  const names = obstacles.map(({ requirement }) => requirement.name).join(', ');
  const said = only?.description === undefined ? [] : [taskOf(only, situation)];
  const head = short === undefined ? [`## Blocked: ${names} (as said a moment ago)`, ...said] : [short];
  const others = obstacles.filter(
    ({ requirement, instead, remedy = instead ?? remedyOf(requirement) }) => remedy ?? requirement.skill,
  );
  const todo = others.map((one) => `${one.requirement.name}: ${executeCell(one)}. `).join('');
  return [...head, `Nothing was changed. ${todo}${userFallback(obstacles, situation)}`.trimEnd()].join('\n');
}

export function stopText(obstacles: readonly Obstacle[], situation: Situation): string {
  const notes = unreadableLines(situation);
  const [only] = obstacles.length === 1 ? obstacles : [];
  if (obstacles.some(({ requirement }) => requirement.legacy)) {
    const fallback = fallbackCommands(obstacles, situation);
    return [
      `## Cannot Complete: Unsatisfied Requirements: ${obstacles.map(nameOf).join(', ')}`,
      ...actionLines(obstacles, situation),
      ...notes,
      'They were triggered in this session. Satisfy them, or say what is missing: the next stop is not held for them.',
      ...(fallback === '' ? [] : [`Fallback: ${fallback}`]),
      ...hubLine(obstacles, situation),
    ].join('\n');
  }
  const what =
    only === undefined
      ? 'these were triggered in this session and are not satisfied'
      : `${only.cause ?? only.fact} (${only.requirement.place})`;
  const steps = stepLines(obstacles, situation);
  return [
    ...(only !== undefined && only.branch === undefined
      ? [taskOf(only.requirement, situation)]
      : rowsOf(obstacles, situation, notes.length + steps.length + 1)),
    `The turn is held: ${what}.`,
    ...notes,
    ...steps,
    'If you cannot do that, say what is missing: the next stop is not held for it.',
  ].join('\n');
}

function nameOf({ requirement: { name }, branch }: Obstacle): string {
  return branch === undefined ? name : `${name} (on branch ${branch})`;
}

/**
 * How a requirement stops holding: the agent records it, a person approves it, a skill satisfies it, or, with
 * `waive`, its cause goes away or a person waives it. With `fact` only removing the cause helps.
 */
type Way = 'record' | 'approve' | 'skill' | 'waive' | 'fact';

export function wayOf({ requirement, remedy }: Obstacle, { config }: Pick<Situation, 'config'>): Way {
  const { name, type, skill, agentMaySatisfy } = requirement;
  if (remedy !== undefined) return 'fact';
  if (type !== 'blocking') return 'waive';
  if (agentMaySatisfy && skill !== undefined && config.skills[skill]?.includes(name)) return 'skill';
  return agentMaySatisfy ? 'record' : 'approve';
}

/** How to remove the cause of a hold, as the end of a sentence. */
function remedyOf(requirement: Requirement): string | undefined {
  if (requirement.type === 'blocking') return undefined;
  if (requirement.type === 'dynamic') {
    return requirement.calculator === 'branch_size'
      ? 'make the branch smaller: move part of the change to another branch, or get part of it merged'
      : `bring the value below ${requirement.block}`;
  }
  return requirement.condition === 'protected_branch'
    ? 'switch to another branch, for example with `git switch -c NAME`'
    : 'wait until the other session has ended, or work in a git worktree of your own';
}

const LONGEST_AIM = 300;

/** What a requirement asks for: its description, or a default sentence. */
export function taskOf(requirement: Requirement, { branch }: Pick<Situation, 'branch'>): string {
  const { name, description, message } = requirement;
  const [heading = ''] = (message ?? '').trim().split('\n');
  const said = (description ?? heading.replace(/^#+/, '')).replace(/\s+/g, ' ').trim();
  if (said !== '') return said.slice(0, LONGEST_AIM);
  if (requirement.type === 'blocking')
    return `This project requires \`${name}\` before ${heldActionText(requirement)}.`;
  if (requirement.type === 'dynamic') return `Keep \`${name}\` below ${requirement.block}.`;
  return requirement.condition === 'protected_branch'
    ? protectedBranchText(requirement.branches, branch)
    : 'Only one session at a time works in this project.';
}

function protectedBranchText(branches: readonly string[], branch: string): string {
  return branches.some((pattern) => matchesName(pattern, branch))
    ? `Branch ${branch} is protected.`
    : 'This project has protected branches.';
}

/** A held agent reads at most ten lines; what is held and the reference to `why` take two. */
const LINES = 8;
/** Rows that do not fit share the last line, unless it would get longer than this. */
const LONGEST_LINE = 1000;

/** A line for each: what it asks for, its name, and what to do unless it only has to be recorded. */
function rowsOf(obstacles: readonly Obstacle[], situation: Situation, others: number): string[] {
  const rows = obstacles.map((one) => rowOf(one, situation));
  const room = LINES - others;
  if (rows.length <= room) return rows;
  const rest = rows.slice(room - 1).join(' ');
  const named = `Also ${namesIn(obstacles.slice(room - 1))}.`;
  return [...rows.slice(0, room - 1), rest.length <= LONGEST_LINE ? rest : named];
}

function rowOf(obstacle: Obstacle, situation: Situation, when = ''): string {
  const { requirement, cause, branch, instead, remedy = instead ?? remedyOf(requirement) } = obstacle;
  const { name, skill } = requirement;
  const text = taskOf(requirement, situation);
  const where = branch === undefined ? when : ` on branch ${branch}`;
  // The default sentence already says the name and the moment.
  const isNamed = branch === undefined && text.includes(`\`${name}\``);
  const row = isNamed ? text : `${text} (\`${name}\`${where})`;
  if (remedy !== undefined) {
    const isSaid = cause === undefined || sentence(cause) === text;
    return [row, ...(isSaid ? [] : [sentence(cause)]), sentence(remedy)].join(' ');
  }
  if (skill !== undefined) return `${row} Run \`/${skill}\`.`;
  const evidence = undescribedEvidence(requirement);
  return evidence === undefined ? row : `${row} ${evidence}.`;
}

/** What to do, and the command that records it or who has to approve it. */
export function stepLines(obstacles: readonly Obstacle[], situation: Situation): string[] {
  const [only] = obstacles.length === 1 ? obstacles : [];
  if (only !== undefined) return singleSteps(only, situation);
  const of = (way: Way): Obstacle[] => obstacles.filter((one) => wayOf(one, situation) === way);
  const [record, waive] = [of('record'), [...of('skill'), ...of('waive')]];
  return [
    ...(record.length > 0
      ? [`Record what you have done: ${satisfyCommands('satisfy', record, situation)}`]
      : []),
    ...splitByHub(of('approve')).map((approve) => approveLine(approve, situation, '')),
    ...splitByHub(waive).map((some) => waiveLine(some, namesIn(some), situation)),
  ];
}

/** Those that a command can approve, and those that only the hub can; without empty lists. */
function splitByHub(obstacles: readonly Obstacle[]): Obstacle[][] {
  return [false, true]
    .map((isHub) => obstacles.filter((one) => areForHub([one]) === isHub))
    .filter((some) => some.length > 0);
}

/** Whether the held line itself records a requirement. */
function isRecordedIn({ event }: Situation): boolean {
  return event !== undefined && 'call' in event && /\breq\s+satisfy\b/.test(event.call.command ?? '');
}

function singleSteps(only: Obstacle, situation: Situation): string[] {
  const { requirement, instead, remedy = instead ?? remedyOf(requirement) } = only;
  const { name, skill, scope, description, message } = requirement;
  const evidence = undescribedEvidence(requirement);
  const done = skill === undefined ? (evidence ?? 'Do that') : `Run \`/${skill}\``;
  const who = (skill ?? description ?? message ?? evidence) === undefined ? 'A' : `${done}; then a`;
  const once = scope === 'single_use' ? ' for this one call' : '';
  switch (wayOf(only, situation)) {
    case 'record': {
      // A held line does not run at all, so recording needs a call of its own.
      const apart = isRecordedIn(situation) ? ', in a call of its own before it' : '';
      return [`${done}, then record it${once}${apart}: ${satisfyCommands('satisfy', [only], situation)}`];
    }
    case 'approve':
      return [approveLine([only], situation, '', `${who} person has to approve it${once}`)];
    case 'skill':
      return [`${done}; that satisfies \`${name}\`.`, waiveLine([only], 'it', situation)];
    case 'waive':
      return [sentence(remedy ?? ''), waiveLine([only], 'it', situation)];
    case 'fact':
      return [sentence(remedy ?? '')];
  }
}

function approveLine(all: readonly Obstacle[], situation: Situation, when: string, head = ''): string {
  if (areForHub(all)) return `${head && `${head}. `}${askOnHub(namesIn(all), situation.hub?.())}`;
  const how = askUser(satisfyCommands('approve', all, situation), situation.channel?.());
  return `${head || `A person has to approve ${namesIn(all)}`}: ${when}${how}`;
}

const ON_HUB = "on the hub's page";

function areForHub(obstacles: readonly Obstacle[]): boolean {
  return obstacles.every(({ requirement }) => requirement.approval === 'hub');
}

function waiveLine(obstacles: readonly Obstacle[], what: string, situation: Situation): string {
  if (areForHub(obstacles)) return askOnHub(namesIn(obstacles), situation.hub?.());
  const isOpen = obstacles.every(({ requirement }) => requirement.agentMaySatisfy);
  const verb = obstacles.every(({ requirement }) => requirement.type === 'dynamic') ? 'approve' : 'waive';
  const command = satisfyCommands('approve', obstacles, situation);
  return `${isOpen ? 'A person' : 'Only a person'} can ${verb} ${what} by running ${command} in their own terminal.`;
}

function namesIn(obstacles: readonly Obstacle[]): string {
  return obstacles.map(({ requirement }) => `\`${requirement.name}\``).join(', ');
}

/** Added if all commands above are for the agent: a person can waive the rule too. */
function waiveHint(obstacles: readonly Obstacle[], situation: Situation): string[] {
  const isRecorded = obstacles.every((one) => wayOf(one, situation) === 'record');
  return isRecorded ? ['If you cannot do that, stop and tell the user, who can waive it.'] : [];
}

/** A first word that is a tool's name, such as `run_shell_command`, stays as it is. */
function sentence(text: string): string {
  const capital = text.replace(/^[a-z](?=[a-z]*\s)/, (letter) => letter.toUpperCase());
  return `${capital.replace(/\.$/, '')}.`;
}

/* Messages of the old framework, for requirements that its own files define. */

function legacyDenial(obstacles: readonly Obstacle[], situation: Situation): string {
  const [only] = obstacles.length === 1 ? obstacles : [];
  const isSame = only !== undefined && isCommand(only, situation);
  const fallback = isSame ? '' : userFallback(obstacles, situation);
  const same = isSame && only.requirement.agentMaySatisfy ? ' Fallback (user action): the same command.' : '';
  return [
    ...(only === undefined
      ? ['## Blocked: Multiple Requirements', ...actionLines(obstacles, situation)]
      : singleDenial(only, situation)),
    ...unreadableLines(situation),
    `Nothing was changed. Do this, or stop and tell the user what you need.${same}`,
    ...(fallback === '' ? [] : [fallback]),
  ].join('\n');
}

/** Whether the action is already the command that a fallback would repeat. */
function isCommand(obstacle: Obstacle, situation: Situation): boolean {
  const { message, skill } = obstacle.requirement;
  if (message !== undefined || skill !== undefined || areForHub([obstacle])) return false;
  return ['record', 'approve'].includes(wayOf(obstacle, situation));
}

function userFallback(obstacles: readonly Obstacle[], situation: Situation): string {
  const commands = fallbackCommands(obstacles, situation);
  const line = commands === '' ? [] : [`Fallback (user action): ${commands}`];
  return [...line, ...hubLine(obstacles, situation)].join('\n');
}

function hubLine(obstacles: readonly Obstacle[], { hub }: Situation): string[] {
  const onHub = obstacles.filter((one) => areForHub([one]) && one.remedy === undefined);
  return onHub.length === 0 ? [] : [askOnHub(namesIn(onHub), hub?.())];
}

/** Conditions and values cannot be satisfied, only approved. */
function fallbackCommands(obstacles: readonly Obstacle[], situation: Situation): string {
  const said = obstacles.filter(({ requirement }) => requirement.type === 'blocking');
  const facts = obstacles.filter(({ requirement }) => requirement.type !== 'blocking');
  const commands = [
    satisfyCommands('satisfy', said, situation),
    satisfyCommands('approve', facts, situation),
  ];
  return commands.filter((one) => one !== '').join(', ');
}

function singleDenial(obstacle: Obstacle, situation: Situation): string[] {
  const { requirement, fact, instead, remedy = instead ?? remedyOf(requirement) } = obstacle;
  const { name, message, description, skill, place, agentMaySatisfy } = requirement;
  if (message !== undefined) return [fillIn(message, requirement, situation)];
  const what = description === undefined ? [] : [taskOf(requirement, situation)];
  const who = agentMaySatisfy ? '' : ' (a person has to)';
  const command = satisfyCommands('satisfy', [obstacle], situation);
  let action = command === '' ? '' : `**Action**${who}: ${command}, once that is done`;
  if (skill !== undefined) action = `**Execute**: \`/${skill}\``;
  if (remedy !== undefined) action = `**Action**: ${remedy}`;
  const held = `${sentence(fact).slice(0, -1)} (${place})`;
  return [`## Blocked: ${name}`, ...what, held, ...(action === '' ? [] : [action])];
}

/** A held agent reads at most ten lines; heading, table head, closing lines and the reference take six. */
const ROWS = 4;

function actionLines(obstacles: readonly Obstacle[], situation: Situation): string[] {
  const skills = new Set(obstacles.map(({ requirement }) => requirement.skill));
  const [shared] = skills;
  if (skills.size === 1 && shared !== undefined) {
    return [`**Execute**: \`/${shared}\``, `Satisfies: ${obstacles.map(nameOf).join(', ')}`];
  }
  const room = ROWS - situation.unreadable.length;
  const shown = obstacles.length > room ? room - 1 : room;
  const rows = obstacles.slice(0, shown).map((one) => {
    const what = one.requirement.description === undefined ? '' : `${taskOf(one.requirement, situation)} `;
    return `| ${nameOf(one)} | ${what}${executeCell(one)} |`;
  });
  const rest = obstacles.slice(shown);
  return [
    '| Requirement | Execute |',
    '|---|---|',
    ...rows,
    ...(rest.length > 0 ? [`and ${rest.map(nameOf).join(', ')}`] : []),
  ];
}

function executeCell({ requirement, instead, remedy = instead ?? remedyOf(requirement) }: Obstacle): string {
  const { name, skill, agentMaySatisfy } = requirement;
  if (remedy !== undefined) return remedy;
  if (skill !== undefined) return `\`/${skill}\``;
  if (requirement.approval === 'hub') return `a person approves it ${ON_HUB}`;
  return `\`req satisfy ${shellWord(name)}\`${agentMaySatisfy ? '' : ' (a person)'}`;
}

function unreadableLines({ unreadable }: Situation): string[] {
  return unreadable.map((file) => `${file}, so nothing in it counts.`);
}

/**
 * The commands that satisfy these, without those that no command can satisfy, or only the hub. A session can be
 * satisfied only on the current branch; on another branch a command has to satisfy all sessions.
 */
function satisfyCommands(
  verb: 'satisfy' | 'approve',
  obstacles: readonly Obstacle[],
  situation: Situation,
): string {
  const helped = obstacles.filter((one) => wayOf(one, situation) !== 'fact' && !areForHub([one]));
  const here = helped.filter(({ branch }) => branch === undefined);
  const elsewhere = [...new Set(helped.flatMap(({ branch }) => branch ?? []))].map((branch) => {
    const there = helped.filter((one) => one.branch === branch);
    return `req ${verb} ${shellNames(there)} --branch ${shellWord(branch)}`;
  });
  const own = here.length > 0 ? [`req ${verb} ${shellNames(here)} --session ${situation.session}`] : [];
  return [...own, ...elsewhere].map((command) => `\`${command}\``).join(', ');
}

function shellNames(obstacles: readonly Obstacle[]): string {
  return obstacles.map(({ requirement }) => shellWord(requirement.name)).join(' ');
}

/** Quotes a name for the shell if needed. */
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

/** For an agent whose call is allowed while a value is near its limit. */
export function nearText(facts: readonly string[]): string {
  const lines = facts.map((fact) => `Requirement ${fact}.`);
  return [...lines, 'Finish or split the work before that, or ask the user in time.'].join('\n');
}

/** For a permission request that is denied because nobody should grant it in passing. */
export function dangerText(danger: string): string {
  return `${danger}. Holdpoint denies such requests; a person can run the command, or set \`hooks.permission_request.auto_deny_dangerous: false\`.`;
}

/** What the journal keeps of a hold, for `holdpoint why`. */
export function groundsFor(obstacle: Obstacle, situation: Situation): Grounds {
  const { requirement, fact, instead, remedy = instead ?? remedyOf(requirement) } = obstacle;
  const { name, place, skill, agentMaySatisfy } = requirement;
  const way = wayOf(obstacle, situation);
  const [record, command] = (['satisfy', 'approve'] as const).map((verb) =>
    satisfyCommands(verb, [obstacle], situation).replaceAll('`', ''),
  );
  const approve = areForHub([obstacle]) ? ON_HUB : command && `with ${command}`;
  const clear = {
    record: skill === undefined ? record : `/${skill}, then ${record}`,
    approve: `a person has to approve it, ${approve}`,
    skill: `/${skill}`,
    waive: remedy,
    fact: remedy,
  }[way];
  const who = agentMaySatisfy ? 'a person' : 'only a person';
  return {
    rule: name,
    place,
    fact,
    ...(clear && { clear }),
    ...(approve && { waive: way === 'approve' ? 'only a person, the same way' : `${who}, ${approve}` }),
  };
}

export interface Carried {
  readonly name: string;
  readonly from: string;
  readonly ageSeconds: number;
}

/** An agent reads at most ten lines; the user's header, the heading and the commands take four. */
const ACTIONS = 6;

/** The briefing of a new session: a few lines, or in the `standard` format a row for each requirement. */
export function briefingText(view: View, open: readonly Requirement[], carried: readonly Carried[]): string {
  const { requirements, briefing } = view.config;
  const total = requirements.length;
  const notes = [...carriedLines(carried), ...unreadableLines(view)];
  const enforcing = requirements.some(({ legacy }) => legacy) ? ` (enforcing ${total})` : '';
  const compact = [
    `## Requirements: ${total - open.length}/${total} satisfied${enforcing}`,
    ...openLines(open, view, notes),
  ];
  const standard = [
    `## Requirements on ${view.branch} (session ${view.session})`,
    '| Requirement | Status | Resolve |',
    '|---|---|---|',
    ...requirements.map((one) =>
      open.includes(one)
        ? `| ${one.name} | ⬜ NOT satisfied | ${howTo(one, view)} |`
        : `| ${one.name} | ✅ satisfied |  |`,
    ),
    ...notes,
  ];
  const header = briefing.header === undefined ? [] : [briefing.header];
  return [...header, ...(briefing.format === 'standard' ? standard : compact)].join('\n');
}

/** What satisfies a requirement, in a few words. */
function howTo(requirement: Requirement, situation: Situation): string {
  const obstacle = { requirement, fact: '' };
  const way = wayOf(obstacle, situation);
  if (way === 'waive') return remedyOf(requirement) ?? '';
  if (requirement.skill !== undefined) return `\`/${requirement.skill}\``;
  if (way === 'record') return satisfyCommands('satisfy', [obstacle], situation);
  if (areForHub([obstacle])) return `a person has to approve it ${ON_HUB}`;
  return `a person has to approve it: ${satisfyCommands('approve', [obstacle], situation)}`;
}

/** The next step as `status` shows it, with `ID` for an unknown session. */
export function nextStep(obstacle: Obstacle, situation: Pick<Situation, 'config' | 'session'>): string {
  const { requirement, instead, remedy = instead ?? remedyOf(requirement) } = obstacle;
  const { name, skill } = requirement;
  const command = (verb: string): string =>
    `req ${verb} ${shellWord(name)} --session ${situation.session || 'ID'}`;
  const run = skill === undefined ? '' : `/${skill}`;
  const isHub = areForHub([obstacle]);
  switch (wayOf(obstacle, situation)) {
    case 'record':
      return run === '' ? command('satisfy') : `${run}, then ${command('satisfy')}`;
    case 'approve':
      return isHub ? `a person has to approve it ${ON_HUB}` : `a person has to run ${command('approve')}`;
    case 'skill':
      return run;
    case 'waive':
      return `${remedy}; a person can waive it${isHub ? ` ${ON_HUB}` : `: ${command('approve')}`}`;
    case 'fact':
      return remedy ?? '';
  }
}

/** Tells in advance what is open and what to do about it. */
function openLines(open: readonly Requirement[], situation: Situation, notes: readonly string[]): string[] {
  const all = open.map((requirement) => ({ requirement, fact: '' }));
  const isLegacy = open.some(({ legacy }) => legacy);
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
  return [...shown, ...notes, ...(isLegacy ? legacyCommands(all, situation) : aheadCommands(all, situation))];
}

/** Shows `NAME` for several rules, so that the agent does not record all of them at once in advance. */
function aheadCommands(all: readonly Obstacle[], situation: Situation): string[] {
  const of = (way: Way): Obstacle[] => all.filter((one) => wayOf(one, situation) === way);
  const [record, approve] = [of('record'), of('approve')];
  const [which, named] = record.length === 1 ? ['it', shellNames(record)] : ['each one', 'NAME'];
  const from = record.length === all.length ? '' : ` (${namesIn(record)})`;
  const command = `\`req satisfy ${named} --session ${situation.session}\``;
  return [
    ...(record.length === 0 ? [] : [`Record ${which} when you have done it${from}: ${command}`]),
    ...splitByHub(approve).map((some) =>
      approveLine(some, situation, `when a call is held for ${some.length === 1 ? 'it' : 'one of them'}, `),
    ),
  ];
}

function legacyAction({ requirement }: Obstacle): string {
  const { name, skill, agentMaySatisfy } = requirement;
  const remedy = remedyOf(requirement);
  if (remedy !== undefined) return `**${sentence(remedy).slice(0, -1)}**`;
  if (skill !== undefined) return `**Run \`/${skill.split(':').at(-1) ?? skill}\`**`;
  if (requirement.approval === 'hub') return `**A person approves ${ON_HUB}**`;
  return `**req satisfy ${name}**${agentMaySatisfy ? '' : ' (a person)'}`;
}

function legacyCommands(all: readonly Obstacle[], situation: Situation): string[] {
  const mine = all.filter(
    (one) => ['record', 'skill'].includes(wayOf(one, situation)) || one.requirement.skill,
  );
  const [own, users] = [mine, all.filter((one) => !mine.includes(one))].map((some) =>
    fallbackCommands(some, situation),
  );
  return [
    ...(own ? [`**Fallback**: ${own}`] : []),
    ...(users ? [`**Fallback** (user action): ${users}`] : []),
    ...hubLine(all, situation),
  ];
}

function carriedLines(carried: readonly Carried[]): string[] {
  const parts = carried.map(({ name, from, ageSeconds }) => `\`${name}\` from ${from} (${ageSeconds} s ago)`);
  return parts.length === 0 ? [] : [`Carried over from another session: ${parts.join(', ')}`];
}

/** Given once, before work on a design that is not approved. */
export function designText(requirement: Requirement, situation: Situation): string {
  return `No design is approved yet (\`${requirement.name}\`). Discuss it with the user before you plan or edit; then: ${howTo(requirement, situation)}`;
}

/** What must be satisfied before the work that a plan has just described. */
export function planText(open: readonly Requirement[], situation: Situation): string {
  const head = open.some(({ legacy }) => legacy)
    ? '## Plan Validation Required'
    : 'Before you carry out this plan:';
  return [head, ...openLines(open, situation, [])].join('\n');
}
