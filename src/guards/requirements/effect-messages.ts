import type { Effect } from '../../core/effect-kinds';
import type { ToolCall } from '../../core/event';
import type { Context } from '../../core/guard';
import { plainKind } from '../../core/plain-command';
import type { CallEffects } from '../../core/project-paths';
import type { Grounds } from '../../core/verdict';
import type { Breach } from './breaches';
import { labelOf } from './concerns';
import { distinct, type Obstacle, type Situation, sentence, stepLines, taskOf } from './messages';

/* Messages about effects: of a call before it runs, and of what was done without satisfying a rule. */

const VERBS: Readonly<Record<Effect, string>> = {
  edit: 'changes',
  delete: 'deletes',
  config: 'changes config',
  commit: 'commits',
  push: 'pushes',
  merge: 'merges',
  pr: 'opens a pull request',
  network: 'uses the network',
};

const LONGEST_NAME = 80;

/** Adds to a hold what the call does: a command alone does not show why it is held. */
export function withEffects(
  obstacle: Obstacle,
  tool: string,
  callEffects: CallEffects,
  { project }: Pick<Situation, 'project'>,
): Obstacle {
  const { requirement, fact } = obstacle;
  const wanted = requirement.effects.filter((effect) => callEffects.kinds.has(effect));
  if (wanted.length === 0 || !fact.startsWith(tool)) return obstacle;
  const parts = wanted.map((effect) => {
    const [path] =
      effect === 'edit' || effect === 'delete' || effect === 'config' ? callEffects.paths[effect] : [];
    if (path === project || (path === undefined && (effect === 'edit' || effect === 'delete')))
      return `${VERBS[effect]} files`;
    const name = path?.startsWith(`${project}/`) ? path.slice(project.length + 1) : path;
    return name === undefined ? VERBS[effect] : `${VERBS[effect]} ${shortened(name)}`;
  });
  const does = callEffects.isTooMuch
    ? 'too long, or nested too deeply, to be read'
    : `it ${parts.join(', ')}`;
  return { ...obstacle, does, fact: `${tool} (${does})${fact.slice(tool.length)}` };
}

function shortened(name: string): string {
  return name.length > LONGEST_NAME ? `…${name.slice(-LONGEST_NAME)}` : name;
}

const MOST_PROGRAMS = 3;

/** The programs of a command line, each with its subcommand. */
export function programsIn(call: ToolCall, ctx: Context): string {
  // Parsing a line only for its label would cost too much.
  if (call.command !== undefined && plainKind(call.command) !== undefined)
    return programIn(call.command.trim());
  const lines = call.command === undefined ? undefined : ctx.commandLines(call.command);
  if (lines === undefined || lines.length === 0) return labelOf(call);
  const named = [...new Set(lines.map((words) => programIn(words.join(' '))))];
  return [...named.slice(0, MOST_PROGRAMS), ...(named.length > MOST_PROGRAMS ? ['…'] : [])].join('; ');
}

function programIn(command: string): string {
  return /^[\w./+-]{1,40}(?: [a-z][\w-]{0,20}(?:\.[a-z]{1,4})?(?=\s|$))?/.exec(command)?.[0] ?? 'a command';
}

function breachFact({ requirement, what, by }: Breach): string {
  const command = by === '' ? 'this session' : `\`${by}\``;
  return `${command} ${what} while \`${requirement.name}\` was open`;
}

/** For the journal. */
export function breachGrounds(found: readonly Breach[]): Grounds[] {
  return found.map((one) => ({
    rule: one.requirement.name,
    place: one.requirement.place,
    fact: breachFact(one),
    clear: `get \`${one.requirement.name}\` satisfied, or ${one.takeBack}`,
  }));
}

/** For the agent, right after the command. */
export function breachText(found: readonly Breach[]): string {
  const facts = found.map((one) => sentence(breachFact(one)));
  return [...facts, 'The turn will be held for it: get the rule satisfied, or take it back.'].join('\n');
}

/** For the person, who did not see it happen. */
export function breachNote(found: readonly Breach[]): string {
  return `Holdpoint: ${found.map(breachFact).join('; ')}.`;
}

/** Why the end of a turn is held, and both ways out: satisfy the rule, or undo the change. */
export function breachStopText(found: readonly Breach[], situation: Situation): string {
  const obstacles = distinct(found.map(({ requirement, branch }) => ({ requirement, fact: '', branch })));
  const [first] = obstacles;
  const back = [...new Set(found.map(({ takeBack }) => takeBack))];
  return [
    ...(first !== undefined && obstacles.length === 1 ? [taskOf(first.requirement, situation)] : []),
    `The turn is held: ${found.map(breachFact).join('; ')}.`,
    ...stepLines(obstacles, situation),
    `Or ${back.join('; ')}. If you can do neither, say so.`,
    'If it was not you, or it was like that before your turn, leave it as it is and say so: the next stop is not held for it, and the user has been told.',
  ].join('\n');
}

/** For the person, when a turn ends although something was done without satisfying its rule. */
export function releasedBreachNote(found: readonly Breach[]): string {
  return `Holdpoint let this turn end although ${found.map(breachFact).join('; ')}. Nothing was satisfied.`;
}
