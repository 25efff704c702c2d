import type { Effect } from '../../core/moments';
import type { Doing } from '../../core/places';
import type { Grounds } from '../../core/verdict';
import type { Done } from './after';
import { aim, type Obstacle, type Situation, stepLines } from './messages';

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

/** Adds to the fact of a hold what the call does: a command alone does not show why it is held. */
export function withDoing(
  { requirement, fact }: Obstacle,
  tool: string,
  doing: Doing | undefined,
  { project }: Pick<Situation, 'project'>,
): string {
  const wanted = requirement.effects.filter((effect) => doing?.kinds.has(effect));
  if (doing === undefined || wanted.length === 0 || !fact.startsWith(tool)) return fact;
  const parts = wanted.map((effect) => {
    const [path] = effect === 'edit' || effect === 'delete' || effect === 'config' ? doing.paths[effect] : [];
    if (path === project || (path === undefined && (effect === 'edit' || effect === 'delete')))
      return `${VERBS[effect]} files`;
    const name = path?.startsWith(`${project}/`) ? path.slice(project.length + 1) : path;
    return name === undefined ? VERBS[effect] : `${VERBS[effect]} ${shortened(name)}`;
  });
  return `${tool} (it ${parts.join(', ')})${fact.slice(tool.length)}`;
}

function shortened(name: string): string {
  return name.length > LONGEST_NAME ? `…${name.slice(-LONGEST_NAME)}` : name;
}

function doneFact({ requirement, what, by }: Done): string {
  const command = by === '' ? 'This session' : `\`${by}\``;
  return `${command} ${what} while \`${requirement.name}\` was open`;
}

/** For the journal. */
export function doneGrounds(done: readonly Done[]): Grounds[] {
  return done.map((one) => ({
    rule: one.requirement.name,
    place: one.requirement.place,
    fact: doneFact(one),
    clear: `get \`${one.requirement.name}\` satisfied, or ${one.takeBack}`,
  }));
}

/** For the agent, right after the command. */
export function doneText(done: readonly Done[]): string {
  const facts = done.map((one) => `${doneFact(one)}.`);
  return [...facts, 'The turn will be held for it: get the rule satisfied, or take it back.'].join('\n');
}

/** For the person, who did not see it happen. */
export function doneNote(done: readonly Done[]): string {
  return `Holdpoint: ${done.map(doneFact).join('; ')}.`;
}

/** Why the end of a turn is held, and both ways out: satisfy the rule, or undo the change. */
export function doneStopText(done: readonly Done[], situation: Situation): string {
  const obstacles = [...new Set(done.map(({ requirement }) => requirement))].map((requirement) => ({
    requirement,
    fact: '',
  }));
  const [first] = obstacles;
  const back = [...new Set(done.map(({ takeBack }) => takeBack))];
  return [
    ...(first !== undefined && obstacles.length === 1 ? [aim(first.requirement, situation)] : []),
    `The turn is held: ${done.map(doneFact).join('; ')}.`,
    'If it was not you, leave it as it is and say so: the next stop is not held for it, and the user has been told.',
    ...stepLines(obstacles, situation),
    `Or ${back.join('; ')}. If you can do neither, say so.`,
  ].join('\n');
}

/** For the person, when a turn ends although something was done without satisfying its rule. */
export function letGoNote(done: readonly Done[]): string {
  return `Holdpoint let this turn end although ${done.map(doneFact).join('; ')}. Nothing was satisfied.`;
}
