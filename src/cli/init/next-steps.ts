import { dirname, relative } from 'node:path';
import { askGit } from '../../git/ask-git';
import { missingProgram } from '../../guards/gates/run/check';
import { setupOf } from '../../hosts/setup-table';
import { ownDist } from '../install/own-dist';
import { printable } from '../output/printable';
import { table } from '../output/table';
import * as say from './messages';
import type { Choice, InitPlan } from './plan';
import { PRESETS } from './presets';
import type { Situation } from './situation';
import { OWN_CONFIG } from './taken';

const MOST_COMMANDS = 3;
const MOST_AGENTS = 2;
const WIDEST_STEP = 72;

/** What to do now, in the order in which it is done. */
export function nextLines(situation: Situation, plan: InitPlan, choice: Choice): string[] {
  const { survey, ground } = situation;
  const hasChecks = plan.config !== undefined && PRESETS[choice.preset].checks && choice.checks.length > 0;
  const files = filesOf(plan, ground.project);
  const rows = [
    ...(hasChecks ? survey.first.map((command) => [command, say.NEEDED_FIRST]) : []),
    ...(hasChecks ? [[commandsOf(situation, choice), say.TRY_CHECKS]] : []),
    ...(plan.install === undefined ? [['holdpoint install', say.NOT_INSTALLED]] : []),
    ...(files.length === 0 ? [] : [[`git add ${files.join(' ')}`, say.FOR_EVERYBODY]]),
    [`start ${agentsOf(choice)} here`, whatIsHeld(plan, choice)],
  ];
  const installed = new Set((plan.install?.changes ?? []).map(({ host }) => host));
  const afterwards = [...installed].flatMap((host) => setupOf(host)?.afterwards('project') ?? []);
  return [
    ...(lacksCommands(situation) ? [say.noCommands(dirname(ownDist())), ''] : []),
    'Next',
    ...inColumns(rows),
    ...(afterwards.length === 0 ? [] : ['', ...afterwards]),
  ];
}

/** A step too long for a column has its reason on a line of its own. */
function inColumns(rows: readonly (readonly string[])[]): string[] {
  const isLong = ([what = '']: readonly string[]): boolean => what.length > WIDEST_STEP;
  const columns = table(rows.filter((row) => !isLong(row)).map(([what, why]) => [`  ${what}`, why ?? '']));
  return rows.flatMap((row) =>
    isLong(row) ? [printable(`  ${row[0]}`), `      ${row[1]}`] : (columns.shift() ?? []),
  );
}

function agentsOf({ hosts }: Choice): string {
  const titles = hosts.map((name) => setupOf(name)?.title ?? name);
  return titles.length === 0 || titles.length > MOST_AGENTS ? 'your agent' : titles.join(' or ');
}

/** A held agent is told to run `req`, so somebody has to notice where it is not there. */
function lacksCommands({ ground }: Situation): boolean {
  return ['req', 'holdpoint'].some((name) => missingProgram(name, ground.project, ground.env) !== undefined);
}

/** Each check by hand: gates would find nothing to do, since nobody has changed anything yet. */
function commandsOf({ checks }: Situation, { checks: chosen }: Choice): string {
  const lines = checks
    .filter(({ name }) => chosen.includes(name))
    .flatMap(({ command, paths }) =>
      paths.map((path) => (path === '.' ? command : `(cd '${path}' && ${command})`)),
    );
  return lines.length > MOST_COMMANDS
    ? `${lines.slice(0, MOST_COMMANDS).join(' && ')} …`
    : lines.join(' && ');
}

/** What was written and belongs into the repository; a project may have git pass over its settings. */
function filesOf({ config, ignore, install }: InitPlan, root: string): string[] {
  const written = [
    ...(config === undefined ? [] : [OWN_CONFIG]),
    ...(ignore.lines.length === 0 ? [] : ['.gitignore']),
    ...(install?.changes ?? []).map(({ file }) => relative(root, file)),
  ];
  const passedOver = askGit(root, ['check-ignore', '--', ...written])?.split('\n') ?? [];
  return written.filter((file) => !passedOver.includes(file));
}

function whatIsHeld({ config }: InitPlan, { preset }: Choice): string {
  if (config === undefined) return say.SEE_STATUS;
  return Object.keys(PRESETS[preset].requirements(undefined)).includes('commit_plan')
    ? say.FIRST_EDIT_HELD
    : say.NOTHING_HELD;
}
