import type { Effect } from '../../core/effect-kinds';
import { durationText, matchesName, quoted } from '../../core/text';
import type { Grounds } from '../../core/verdict';
import { askOnHub, askUser } from './approval-messages';
import type { Evidence, Requirement } from './section';
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
  /** What the call does that the rule is about, as far as that is known. */
  readonly does?: string;
  /** Why it holds, if for another reason than that nobody has satisfied it. */
  readonly cause?: string;
  /** The branch it is about, if that is not the current one. */
  readonly branch?: string | undefined;
  /** What the agent can do about it, if recording it as satisfied would not help. */
  readonly remedy?: string;
  /** What the agent can do instead, if that depends on the call; a person can waive the rule too. */
  readonly instead?: string;
}

/** A requirement that follows the session is listed once, on however many branches it was triggered. */
export function distinct(obstacles: readonly Obstacle[]): Obstacle[] {
  const isSame = (one: Obstacle, other: Obstacle): boolean =>
    one.requirement.name === other.requirement.name && one.branch === other.branch;
  return obstacles.filter((one, at) => obstacles.findIndex((other) => isSame(one, other)) === at);
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
  const first = message === undefined ? aimOf(only, situation) : fillIn(message, requirement, situation);
  const where = fact.includes(`\`${name}\``) ? place : `rule \`${name}\`, ${place}`;
  const held = `${sentence(`${fact.replace(/\.$/, '')} (${where})`)} Nothing was changed.`;
  // A message from the config may contain the command already.
  const isNew = (line: string): boolean => !first.includes(/`(req .*)`/.exec(line)?.[1] ?? '\n');
  return [first, held, ...notes, ...rest.filter(isNew)].join('\n');
}

/** For the same denial repeated within seconds: only what to do. */
export function repeatedText(obstacles: readonly Obstacle[], situation: Situation): string {
  const [one] = obstacles.length === 1 ? obstacles : [];
  const only = one?.requirement;
  const steps = stepLines(obstacles, situation);
  // What is missing may be something else than a moment ago, and it may be another call.
  const [why = ''] = obstacles.flatMap(({ remedy, cause, does }) => (remedy && cause) || does || []);
  const still = `Still held${only === undefined ? '' : ` by \`${only.name}\`${why && `: ${why}`}`}. Nothing was changed.`;
  const rows = one === undefined ? rowsOf(obstacles, situation, steps.length) : [aimOf(one, situation)];
  const first = only?.shortMessage === undefined ? rows : [fillIn(only.shortMessage, only, situation)];
  return [...first, still, ...steps].join('\n');
}

export function stopText(obstacles: readonly Obstacle[], situation: Situation): string {
  const notes = unreadableLines(situation);
  const [only] = obstacles.length === 1 ? obstacles : [];
  if (obstacles.some(({ requirement }) => requirement.legacy)) {
    return [
      `## Cannot Complete: Unsatisfied Requirements: ${obstacles.map(nameOf).join(', ')}`,
      ...actionLines(obstacles, situation),
      ...notes,
      'Triggered in this session. Satisfy what is listed, or say what is missing: the next stop is not held for it.',
      ...fallbackLines('Fallback', obstacles, situation),
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
export type Way = 'record' | 'approve' | 'skill' | 'waive' | 'fact';

export function wayOf({ requirement, remedy }: Obstacle, { config }: Pick<Situation, 'config'>): Way {
  const { name, type, skill, agentMaySatisfy } = requirement;
  if (remedy !== undefined) return 'fact';
  if (type !== 'blocking') return 'waive';
  if (agentMaySatisfy && skill !== undefined && config.skills[skill]?.includes(name)) return 'skill';
  return agentMaySatisfy ? 'record' : 'approve';
}

/** How to remove the cause of a hold, as the end of a sentence. */
export function remedyOf(requirement: Requirement): string | undefined {
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

function aimOf({ requirement, branch }: Obstacle, situation: Situation): string {
  return taskOf(requirement, { branch: branch ?? situation.branch });
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

export function rowOf(obstacle: Obstacle, situation: Situation, when = ''): string {
  const { requirement, cause, branch, instead, remedy = instead ?? remedyOf(requirement) } = obstacle;
  const { name, skill } = requirement;
  const text = aimOf(obstacle, situation);
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
    ...approvalLines(of('approve'), situation),
    ...splitByHub(waive).map((some) => waiveLine(some, namesIn(some), situation)),
  ];
}

function approvalLines(obstacles: readonly Obstacle[], situation: Situation): string[] {
  return splitByHub(obstacles).map((some) => approveLine(some, situation, ''));
}

/** Those that a command can approve, and those that only the hub can; without empty lists. */
export function splitByHub(obstacles: readonly Obstacle[]): Obstacle[][] {
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

export function approveLine(all: readonly Obstacle[], situation: Situation, when: string, head = ''): string {
  if (areForHub(all)) return `${head && `${head}. `}${askOnHub(namesIn(all), situation.hub?.())}`;
  const how = askUser(satisfyCommands('approve', all, situation), situation.channel?.());
  return `${head || `A person has to approve ${namesIn(all)}`}: ${when}${how}`;
}

export const ON_HUB = "on the hub's page";

export function areForHub(obstacles: readonly Obstacle[]): boolean {
  return obstacles.every(({ requirement }) => requirement.approval === 'hub');
}

function waiveLine(obstacles: readonly Obstacle[], what: string, situation: Situation): string {
  if (areForHub(obstacles)) return askOnHub(namesIn(obstacles), situation.hub?.());
  const isOpen = obstacles.every(({ requirement }) => requirement.agentMaySatisfy);
  const verb = obstacles.every(({ requirement }) => requirement.type === 'dynamic') ? 'approve' : 'waive';
  const command = satisfyCommands('approve', obstacles, situation);
  return `${isOpen ? 'A person' : 'Only a person'} can ${verb} ${what} by running ${command} in their own terminal.`;
}

export function namesIn(obstacles: readonly Obstacle[]): string {
  return obstacles.map(({ requirement }) => `\`${requirement.name}\``).join(', ');
}

/** Added if all commands above are for the agent: a person can waive the rule too. */
function waiveHint(obstacles: readonly Obstacle[], situation: Situation): string[] {
  const isRecorded = obstacles.every((one) => wayOf(one, situation) === 'record');
  return isRecorded ? ['If you cannot do that, stop and tell the user, who can waive it.'] : [];
}

/** A first word that is a tool's name, such as `run_shell_command`, stays as it is. */
export function sentence(text: string): string {
  const capital = text.replace(/^[a-z](?=[a-z]*\s)/, (letter) => letter.toUpperCase());
  return `${capital.replace(/\.$/, '')}.`;
}

/* Messages of the old framework, for requirements that its own files define. */

function legacyDenial(obstacles: readonly Obstacle[], situation: Situation): string {
  const [only] = obstacles.length === 1 ? obstacles : [];
  return [
    ...(only === undefined
      ? ['## Blocked: Multiple Requirements', ...actionLines(obstacles, situation)]
      : singleDenial(only, situation)),
    ...unreadableLines(situation),
    'Nothing was changed. Do this, or stop and tell the user what you need.',
    ...fallbackLines('Fallback (user action)', obstacles, situation),
  ].join('\n');
}

/** The commands that help too, and who has to approve what the agent may not satisfy. */
export function fallbackLines(
  head: string,
  obstacles: readonly Obstacle[],
  situation: Situation,
  approvals = approvalLines,
): string[] {
  const reserved = obstacles.filter((one) => isForPerson(one, situation));
  const others = obstacles.filter((one) => !reserved.includes(one));
  // Conditions and values cannot be satisfied, only approved.
  const commands = (['satisfy', 'approve'] as const).map((verb) => {
    const some = others.filter(({ requirement: { type } }) => (type === 'blocking') === (verb === 'satisfy'));
    return satisfyCommands(verb, some, situation);
  });
  const shown = commands.filter((one) => one !== '').join(', ');
  return [...(shown === '' ? [] : [`${head}: ${shown}`]), ...approvals(reserved, situation)];
}

/** Whether only the approval of a person helps, or it alone besides removing the cause. */
function isForPerson(obstacle: Obstacle, situation: Situation): boolean {
  const way = wayOf(obstacle, situation);
  return way === 'approve' || (way !== 'fact' && areForHub([obstacle]));
}

function singleDenial(obstacle: Obstacle, situation: Situation): string[] {
  const { requirement, fact, instead, remedy = instead ?? remedyOf(requirement) } = obstacle;
  const { name, message, description, skill, place, agentMaySatisfy } = requirement;
  if (message !== undefined) return [fillIn(message, requirement, situation)];
  // A remedy says what evidence is missing.
  const evidence = remedy === undefined ? undescribedEvidence(requirement) : undefined;
  const task = description === undefined ? evidence && sentence(evidence) : taskOf(requirement, situation);
  const held = `${sentence(fact).slice(0, -1)} (${place})`;
  const command = `${satisfyCommands('satisfy', [obstacle], situation)}, once that is done`;
  const todo = remedy ?? (agentMaySatisfy ? command : undefined);
  const isSkill = skill !== undefined && remedy === undefined;
  const action = isSkill ? `**Execute**: \`/${skill}\`` : todo && `**Action**: ${todo}`;
  return [`## Blocked: ${name}`, task, held, action].filter((line) => line !== undefined);
}

/** A held agent reads at most ten lines; heading, table head, closing lines and the reference take six. */
const ROWS = 4;

function actionLines(obstacles: readonly Obstacle[], situation: Situation): string[] {
  const skills = new Set(obstacles.map(({ requirement }) => requirement.skill));
  const [shared] = skills;
  if (skills.size === 1 && shared !== undefined) {
    const satisfied = obstacles.filter((one) => !isForPerson(one, situation)).map(nameOf);
    const what = satisfied.length === 0 ? [] : [`Satisfies: ${satisfied.join(', ')}`];
    return [`**Execute**: \`/${shared}\``, ...what];
  }
  const reserved = splitByHub(obstacles.filter((one) => isForPerson(one, situation)));
  const room = Math.max(2, ROWS - situation.unreadable.length - reserved.length);
  const shown = obstacles.length > room ? room - 1 : room;
  const rows = obstacles.slice(0, shown).map((one) => {
    const what = one.requirement.description === undefined ? '' : `${taskOf(one.requirement, situation)} `;
    return `| ${nameOf(one)} | ${what}${executeCell(one, situation)} |`;
  });
  const rest = obstacles.slice(shown);
  return [
    '| Requirement | Execute |',
    '|---|---|',
    ...rows,
    ...(rest.length > 0 ? [`and ${rest.map(nameOf).join(', ')}`] : []),
  ];
}

function executeCell(obstacle: Obstacle, situation: Situation): string {
  const { requirement, branch, instead, remedy = instead ?? remedyOf(requirement) } = obstacle;
  const { name, skill, agentMaySatisfy } = requirement;
  if (remedy !== undefined) return remedy;
  const run = skill === undefined ? '' : `\`/${skill}\``;
  if (!agentMaySatisfy) return `${run && `${run}, then `}${personText(requirement)}`;
  if (run !== '' || branch === undefined) return run || `\`${reqCommand('satisfy', [name])}\``;
  return satisfyCommands('satisfy', [obstacle], situation);
}

export function personText({ approval }: Requirement): string {
  return `a person approves it${approval === 'hub' ? ` ${ON_HUB}` : ''}`;
}

export function unreadableLines({ unreadable }: Situation): string[] {
  return unreadable.map((file) => `${file}, so nothing in it counts.`);
}

/** The commands that satisfy these, without those that no command can satisfy, or only the hub. */
export function satisfyCommands(
  verb: 'satisfy' | 'approve',
  obstacles: readonly Obstacle[],
  situation: Situation,
): string {
  const helped = obstacles.filter((one) => wayOf(one, situation) !== 'fact' && !areForHub([one]));
  const here = helped.filter(({ branch }) => branch === undefined);
  const commandFor = (some: readonly Obstacle[], branch?: string): string =>
    reqCommand(verb, namesOf(some), situation.session, branch);
  const elsewhere = [...new Set(helped.flatMap(({ branch }) => branch ?? []))].map((branch) => {
    const there = helped.filter((one) => one.branch === branch);
    return commandFor(there, branch);
  });
  const own = here.length > 0 ? [commandFor(here)] : [];
  return [...own, ...elsewhere].map((command) => `\`${command}\``).join(', ');
}

export function namesOf(obstacles: readonly Obstacle[]): string[] {
  return obstacles.map(({ requirement }) => requirement.name);
}

/** As a shell reads it. Without a session, the command finds its own. */
export function reqCommand(
  verb: 'satisfy' | 'approve',
  names: readonly string[],
  session?: string,
  branch?: string,
): string {
  const options = [
    ...(session === undefined ? [] : ['--session', session]),
    ...(branch === undefined ? [] : ['--branch', quoted(branch)]),
  ];
  const words = names.map(quoted);
  // A name that looks like an option has to follow `--`.
  const isOption = names.some((name) => name.startsWith('-'));
  return ['req', verb, ...(isOption ? [...options, '--', ...words] : [...words, ...options])].join(' ');
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
  const { name, place, agentMaySatisfy } = requirement;
  const way = wayOf(obstacle, situation);
  const command = satisfyCommands('approve', [obstacle], situation).replaceAll('`', '');
  const approve = areForHub([obstacle]) ? ON_HUB : command && `with ${command}`;
  // How a person can waive it is said apart.
  const clear = way === 'waive' ? remedy : nextStep(obstacle, situation);
  const who = agentMaySatisfy ? 'a person' : 'only a person';
  return {
    rule: name,
    place,
    fact,
    ...(clear && { clear }),
    ...(approve && { waive: way === 'approve' ? 'only a person, the same way' : `${who}, ${approve}` }),
  };
}

/** The next step as `status` and `why` show it, with `ID` for an unknown session. */
export function nextStep(obstacle: Obstacle, situation: Pick<Situation, 'config' | 'session'>): string {
  const { requirement, branch, instead, remedy = instead ?? remedyOf(requirement) } = obstacle;
  const { name, skill } = requirement;
  const command = (verb: 'satisfy' | 'approve'): string =>
    reqCommand(verb, [name], situation.session || 'ID', branch);
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

/* When a requirement is due, in words. */

const EFFECT_PHRASES: Readonly<Record<Effect, string>> = {
  edit: 'an edit',
  commit: 'a commit',
  push: 'a push',
  merge: 'a merge',
  pr: 'a pull request',
  delete: 'a deletion',
  network: 'network access',
  config: 'a config change',
};

/** What it holds, as part of a sentence. */
function heldActionText({ triggers, effects, stopOnly }: Requirement): string {
  if (stopOnly) return 'the turn ends';
  const named = triggers.map((trigger) => {
    if (trigger.kind === 'command')
      return `\`${trigger.pattern.replace(/\\s[+*]?/g, ' ').replaceAll('\\b', '')}\``;
    return /^(?:(?:Multi|Notebook)?Edit|Write)$/.test(trigger.tool) ? 'an edit' : trigger.tool;
  });
  return [...new Set([...effects.map((effect) => EFFECT_PHRASES[effect]), ...named])].join(' or ');
}

/** Before which calls it must be satisfied, for messages in advance. */
export function dueBeforeText(requirement: Requirement): string {
  const moment = heldActionText(requirement);
  if (requirement.type !== 'blocking') return '';
  return requirement.scope === 'single_use'
    ? `, before each ${moment.replace(/(^| or )an? /g, '$1')}`
    : `, before ${moment}`;
}

/* What a requirement needs as evidence, in words. */

/** How to get the evidence, with all of its conditions, as the end of a sentence. */
export function evidenceText({ command, dirs, markers, verdict, maxAgeSeconds }: Evidence): string {
  if (command !== undefined) return `make sure that \`${command}\` succeeds`;
  const parts = markers.map((marker) => `"${marker}"`);
  if (verdict !== undefined) parts.push(`"${verdict}" under "## Verdict"`);
  const last = parts.pop();
  const all = parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
  const content = all === undefined ? '' : ` that contains ${all}`;
  const age = maxAgeSeconds === undefined ? '' : ` (at most ${durationText(maxAgeSeconds)} old)`;
  return `write a Markdown file in ${dirs.join(' or ')}${content}${age}`;
}

/** The same as a sentence without its period, for a rule that does not say in words of its own what it asks for. */
function undescribedEvidence({ description, message, evidence }: Requirement): string | undefined {
  if (evidence === undefined || (description ?? message) !== undefined) return undefined;
  return evidenceText(evidence).replace(/^[a-z]/, (letter) => letter.toUpperCase());
}
