import type { RequirementStatus } from '../../guards/requirements/status';
import { ago, type Output, printable, table } from '../ui/output';
import { clearingAll, clearingCommand } from './clearing';
import type { ReqStatus } from './status-facts';

/** What is open, that is neither satisfied nor without a reason to be. */
export function openOf({ reach, requirements }: ReqStatus): readonly RequirementStatus[] {
  return reach === 'enforced' ? requirements.filter(({ satisfied }) => !satisfied) : [];
}

/** Everything on one line, for prompts and status lines. */
export function summaryLine(status: ReqStatus): string {
  const { reach, requirements } = status;
  if (reach !== 'enforced') return printable(outOfForce(status));
  const open = openOf(status).map(({ name }) => name);
  const total = requirements.length;
  if (open.length === 0) return `All ${total} requirements satisfied`;
  return printable(`${total - open.length}/${total} requirements satisfied (${open.join(', ')} needed)`);
}

/** What holds now and the one command that clears it, then the rest of what is open. */
export function focusedLines(status: ReqStatus, out: Output): string[] {
  return [...heldLines(status, out), ...headLines(status, out), ...openLines(status, out)];
}

/** All that is known, one block a topic. */
export function verboseLines(status: ReqStatus, now: number, out: Output): string[] {
  return [
    ...heldLines(status, out),
    ...headLines(status, out),
    `${out.style('dim', 'Session:')} ${out.style('bold', status.session || 'no-session')}`,
    `${out.style('dim', 'Project:')} ${out.style('bold', status.project)}`,
    ...block(
      'Active sessions on this branch:',
      table(status.sessions.map(({ id, hostPid, lastActive }) => sessionCells(id, hostPid, lastActive, now))),
      out,
    ),
    ...(status.requirements.length === 0 ? [] : requirementBlock(status, now, out)),
    ...openLines(status, out),
  ];
}

/** What is wrong, with its place; said whatever else is asked for. */
export function problemLines({ problems, unreadable }: ReqStatus, out: Output): string[] {
  return [
    ...block(
      'Config problems:',
      problems.flatMap((problem) => printable(problem).split('\n')),
      out,
    ),
    ...block(
      'State files that cannot be read (nothing in them counts):',
      unreadable.map((file) => printable(file)),
      out,
    ),
  ];
}

function heldLines(status: ReqStatus, out: Output): string[] {
  const { paused, session } = status;
  if (paused !== undefined) {
    const since = paused.since === '' ? '' : ` since ${paused.since}`;
    const why = paused.reason === '' ? '' : ` (${paused.reason})`;
    return [out.style('yellow', `Paused${since}${why}: nothing is held. Go on with: req resume`), ''];
  }
  const open = openOf(status);
  if (open.length === 0) return [];
  const names = open.map(({ name }) => name).join(', ');
  return [out.style('red', `Open: ${names}. Clear: ${clearingAll(open, session)}`), ''];
}

function headLines({ branch }: ReqStatus, out: Output): string[] {
  return [
    out.style('bold', 'Requirements Status'),
    `${out.style('dim', 'Branch:')} ${out.style('bold', branch)}`,
  ];
}

function openLines(status: ReqStatus, out: Output): string[] {
  if (status.reach !== 'enforced') return ['', out.style('yellow', outOfForce(status))];
  const open = openOf(status);
  if (open.length === 0) return ['', out.style('green', 'All requirements satisfied')];
  return [
    '',
    out.style('bold', 'Unsatisfied Requirements:'),
    ...open.flatMap((one) => [
      `  ${out.style('yellow', `${one.name} (${one.scope} scope)${one.triggered ? ', holds the end of the turn' : ''}`)}`,
      `    -> ${out.style('cyan', clearingCommand(one, status.session))}`,
    ]),
  ];
}

function outOfForce({ reach, broken }: ReqStatus): string {
  switch (reach) {
    case 'disabled':
      return 'Requirements framework disabled';
    case 'global-only':
      return 'Not enforced here: only the global config names requirements. Set `enforce_everywhere: true` in it, or give this project a config.';
    case 'none':
      return broken
        ? 'No requirement is in force: the config has to be mended first.'
        : 'No requirements configured for this project.';
    case 'enforced':
      return '';
  }
}

function requirementBlock({ requirements, session }: ReqStatus, now: number, out: Output): string[] {
  const rows = table(
    requirements.map((one) => [
      one.satisfied ? '✓' : '✗',
      `${one.name} (${one.scope} scope)`,
      remarksOf(one, now),
      one.satisfied ? '' : clearingCommand(one, session),
    ]),
  );
  const lines = rows.map((row, at) =>
    out.style(requirements[at]?.satisfied === true ? 'green' : 'yellow', row),
  );
  return block('Requirements:', lines, out);
}

function remarksOf(requirement: RequirementStatus, now: number): string {
  const { applies, triggered, expiresAt, type, value, threshold, warn } = requirement;
  const left = expiresAt === undefined ? 0 : Math.max(0, expiresAt - Math.floor(now / 1000));
  return [
    ...(type === 'blocking' ? [] : [type === 'condition' ? 'guard' : type]),
    ...(value === undefined ? [] : [`value ${value}, holds from ${threshold}`]),
    ...(value === undefined || warn === undefined ? [] : [`warns from ${warn}`]),
    ...(applies || type === 'dynamic' ? [] : ['does not apply here']),
    ...(triggered ? ['set off'] : []),
    ...(expiresAt === undefined ? [] : [`${Math.floor(left / 60)}m ${left % 60}s left`]),
  ].join(', ');
}

function sessionCells(id: string, pid: number, lastActive: number, now: number): string[] {
  return [id, `PID ${pid}`, ago(now / 1000 - lastActive)];
}

function block(title: string, lines: readonly string[], out: Output): string[] {
  return lines.length === 0 ? [] : ['', out.style('bold', title), ...lines.map((line) => `  ${line}`)];
}
