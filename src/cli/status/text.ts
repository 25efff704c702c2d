import { cannotWrite } from '../../core/hold-messages';
import { flowRow } from '../flow/status-text';
import { gatesRow } from '../gates/glance';
import { decisionLine } from '../journal-text';
import { loopRow } from '../loop/status-text';
import { ago } from '../output/ago';
import type { Output } from '../output/output';
import { printable } from '../output/printable';
import { table } from '../output/table';
import { type ServerGlance, serverText } from '../resident/server';
import type { Status } from './gather';
import { sessionState } from './seen-sessions';

/** The status as people read it: one block a topic, what to do next where something is open. */
export function statusLines(
  status: Status,
  server: ServerGlance | undefined,
  now: number,
  out: Output,
): string[] {
  return [
    `${out.style('dim', 'Holdpoint')} ${standingText(status, out)}`,
    `${out.style('dim', 'Project')}   ${out.style('bold', status.root)}`,
    `${out.style('dim', 'Branch')}    ${out.style('bold', status.branch)}`,
    `${out.style('dim', 'Guards')}    ${guardsText(status, out)}`,
    ...(server === undefined ? [] : [`${out.style('dim', 'Server')}    ${serverText(server)}`]),
    ...block(
      'Switched off',
      status.switchedOff.map((what) => out.style('yellow', what)),
      out,
    ),
    ...block(
      'Config problems',
      status.problems.flatMap((problem) => printable(problem).split('\n')),
      out,
    ),
    ...block(requirementsTitle(status), requirementRows(status, out), out),
    ...block('Workflow', flowRows(status), out),
    ...block('Gates', gatesRows(status, now), out),
    ...block('Loops', loopRows(status, now), out),
    ...block('Live sessions', sessionRows(status, now), out),
    ...block('Trouble', troubleRows(status), out),
    ...block(
      'Recent decisions',
      status.recent.map((entry) => decisionLine(entry, out)),
      out,
    ),
  ];
}

function standingText({ standing: { state, reasons } }: Status, out: Output): string {
  const style = state === 'armed' ? 'green' : state === 'off' ? 'red' : 'yellow';
  const why = reasons.map(({ text }) => text).join('; ');
  return out.style(style, why === '' ? state : `${state}: ${printable(why)}`);
}

function guardsText(status: Status, out: Output): string {
  const shown = status.posts.map(({ guard, kind }) =>
    kind === 'holding' ? out.style('green', guard) : out.style('yellow', `${guard} (${kind})`),
  );
  if (shown.length > 0) return shown.join(', ');
  const next = status.configured ? 'none is configured' : 'no config; write .holdpoint/config.yaml';
  return out.style('yellow', `none: ${next}`);
}

function block(title: string, lines: readonly string[], out: Output): string[] {
  return lines.length === 0 ? [] : ['', out.style('bold', title), ...lines.map((line) => `  ${line}`)];
}

function requirementsTitle({ session, branch, posts }: Status): string {
  const isHeld = posts.some(({ guard, kind }) => guard === 'requirements' && kind === 'holding');
  const title =
    session === undefined
      ? `Requirements on ${branch} (no session could be told: only what counts for all of them)`
      : `Requirements for session ${session} on ${branch}`;
  return isHeld ? title : `${title}, none of which holds now`;
}

function requirementRows({ requirements, session }: Status, out: Output): string[] {
  const rows = table(
    requirements.map(({ name, scope, satisfied, triggered }) => [
      satisfied ? '✓' : '·',
      name,
      scope,
      satisfied ? '' : `req satisfy ${name}${session === undefined ? '' : ` --session ${session}`}`,
      triggered && !satisfied ? 'set off' : '',
    ]),
  );
  return rows.map((row, index) =>
    out.style(requirements[index]?.satisfied === true ? 'green' : 'yellow', row),
  );
}

function flowRows({ flow: { standing, trouble } }: Status): string[] {
  if (trouble !== undefined) return printable(trouble).split('\n');
  return standing === undefined ? [] : table([flowRow(standing)]);
}

function gatesRows({ gates }: Status, now: number): string[] {
  return gates === undefined ? [] : table([gatesRow(gates, now)]);
}

function loopRows({ loops }: Status, now: number): string[] {
  return table(loops.map((loop) => loopRow(loop, now)));
}

function sessionRows({ sessions, inSessions }: Status, now: number): string[] {
  return table(
    sessions.map((one) => [
      one.id,
      one.branch,
      sessionState(one, inSessions),
      ago((now - one.seenAt) / 1000),
    ]),
  );
}

function troubleRows({ degraded, unwritable }: Status): string[] {
  const marks = degraded.map(({ at, code, detail, session }) =>
    `${new Date(at).toISOString()} session ${session.slice(0, 8)}: ${code} ${detail}`.trimEnd(),
  );
  return [...(unwritable === undefined ? [] : [cannotWrite(unwritable)]), ...marks].map(printable);
}
