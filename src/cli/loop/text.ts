import { isJsonObject, type JsonObject } from '../../core/json';
import { sessionKey } from '../../core/session-key';
import { parseTime } from '../../guards/loop/times';
import { listAt, objectAt, textAt, valueAt } from '../../guards/workflow/json-path';
import type { UnknownSession } from '../req/find-session';
import { ago, type Output, printable, type Style } from '../ui/output';
import type { Loop, Standing, Unclear } from './loops';

/** A loop's state for scripts; what it does not say is null. */
export function stateJson(envelope: JsonObject, standing: Standing): JsonObject {
  const { event, reason, run_id, session_id, updated_at, stack, paused } = envelope as Record<string, never>;
  return {
    active: standing === 'active',
    event: event ?? null,
    reason: reason ?? null,
    run_id: run_id ?? null,
    session_id: session_id ?? null,
    updated_at: updated_at ?? null,
    stack: stack ?? [],
    ...(standing === 'paused' && { paused: paused ?? true }),
    ...(standing === 'stale' && { stale: true }),
  };
}

/** The same for a loop, or for none at all. */
export function loopJson(loop: Loop | undefined): JsonObject {
  return loop === undefined ? stateJson({}, 'ended') : stateJson(loop.state.envelope, loop.standing);
}

const ENDINGS: Readonly<Record<string, string>> = {
  '': '<loop-done>COMPLETE</loop-done>',
  loop: '<loop-done>COMPLETE</loop-done>',
  task: '<loop-done>COMPLETE</loop-done>',
  issue: '<issue-complete>DONE</issue-complete>',
  grind: '<grind-done>NO_MORE_ISSUES</grind-done>',
};

/** How an agent ends the current loop of a state. */
export function endingOf(envelope: JsonObject): string {
  const mode = textAt(topFrame(envelope), 'mode') ?? '';
  return Object.hasOwn(ENDINGS, mode)
    ? `with ${ENDINGS[mode]} on a line of its own`
    : 'by no signal, since its mode is not known';
}

/** How far the current loop of a state is. */
export function progressOf(envelope: JsonObject): string {
  const top = topFrame(envelope);
  const [iteration, max] = [numberText(top, 'iter', '0'), numberText(top, 'max', '10')];
  return printable(`iteration ${iteration}/${max} in mode ${textAt(top, 'mode') ?? 'loop'}`);
}

/** The current frame, or the one that was current when the run ended. */
function topFrame(envelope: JsonObject): JsonObject {
  const top = [...listAt(envelope, ['archived_stack']), ...listAt(envelope, ['stack'])].at(-1);
  return isJsonObject(top) ? top : {};
}

function numberText(frame: JsonObject, key: string, absent: string): string {
  const value = valueAt(frame, [key]);
  return typeof value === 'number' || typeof value === 'string' ? String(value) : absent;
}

/** A loop as the subject of a sentence. */
export function loopName({ state }: Loop): string {
  return state.sessionId === undefined
    ? 'The loop of any session'
    : `The loop of session ${printable(state.sessionId)}`;
}

/** Loops as lines of a list. */
export function loopList(loops: readonly Loop[]): string[] {
  return loops.map(({ state: { envelope, sessionId }, standing }) => {
    const run = typeof envelope['run_id'] === 'string' ? `, run ${envelope['run_id']}` : '';
    return printable(`  ${sessionId ?? 'any session'}: ${standing}, ${progressOf(envelope)}${run}`);
  });
}

export function unclearState({ file, why }: Pick<Unclear, 'file' | 'why'>): string {
  return `${printable(file)} ${printable(why)}; no loop can be told from it.`;
}

/** Why no session could be told, and the ways to give one. */
export function noSession({ live }: UnknownSession, root: string): string {
  const here = live.filter(({ projectDir }) => projectDir === root);
  return [
    here.length > 1
      ? `This project has ${here.length} live sessions, and nothing says which one is meant:`
      : 'Nothing says which session is meant.',
    ...here.map((one) => `  ${printable(one.id)} (${printable(one.branch)})`),
    'There are three ways:',
    '  1. give it: --session ID',
    "  2. run this in the agent's own shell, where CLAUDE_CODE_SESSION_ID or its like is set",
    '  3. have exactly one live session in this project (`req sessions` lists them)',
  ].join('\n');
}

const STYLES = { active: 'green', paused: 'yellow', stale: 'yellow', ended: 'dim' } as const satisfies Record<
  Standing,
  Style
>;

/** A loop at a glance: whose, how far, what is left, what ends it. */
export function loopLines(loop: Loop, isOwn: boolean, now: number, out: Output): string[] {
  const { state, standing } = loop;
  const top = topFrame(state.envelope);
  const rows: readonly (readonly [label: string, text: string | undefined])[] = [
    ['age', ageText(loop, now)],
    ['bounds', boundsText(state.envelope, now)],
    ['verify', textAt(top, 'verify')],
    ['issue', textAt(top, 'issue_id')],
    ['worktree', textAt(top, 'worktree_path')],
    ...state.stack.slice(0, -1).map((frame) => ['inside of', progressOf({ stack: [frame] })] as const),
    ['ends', endText(loop)],
    ['run', `${textAt(state.envelope, 'run_id') ?? 'without a name'} in ${loop.file}`],
  ];
  const owner = `${out.style('bold', ownerText(loop))}${isOwn && state.sessionId !== undefined ? ' (this one)' : ''}`;
  return [
    `${owner}: ${out.style(STYLES[standing], standing)}, ${out.style('bold', progressOf(state.envelope))}`,
    ...rows.flatMap(([label, text]) =>
      text === undefined ? [] : [`  ${out.style('dim', label.padEnd(10))}${out.style('bold', text)}`],
    ),
  ];
}

/** The same on one line, for `holdpoint status`. */
export function loopRow(loop: Loop, now: number): string[] {
  return [ownerText(loop), loop.standing, progressOf(loop.state.envelope), ageText(loop, now)];
}

/** How a loop that has ended came to its end. */
export function endedLine(loop: Loop, now: number, out: Output): string {
  const { envelope } = loop.state;
  const at = parseTime(textAt(envelope, 'updated_at') ?? '');
  const how = [textAt(envelope, 'event'), textAt(envelope, 'reason')].filter(Boolean).join(' ');
  const when = at === undefined ? '' : `, ${ago((now - at) / 1000)}`;
  return out.style('dim', `The last one of ${ownerText(loop)} ended: ${how || 'nobody knows how'}${when}.`);
}

/** A session's id as it is shown in lists. */
export function shortId(sessionId: string): string {
  return sessionKey(sessionId) ?? sessionId;
}

function ownerText({ state }: Loop): string {
  return state.sessionId === undefined ? 'any session' : `session ${shortId(state.sessionId)}`;
}

function ageText({ state: { envelope }, heartbeat }: Loop, now: number): string {
  const started = startOf(envelope);
  const sign = Math.max(parseTime(textAt(envelope, 'updated_at') ?? '') ?? 0, heartbeat ?? 0);
  const parts = [
    ...(started === undefined ? [] : [`started ${ago((now - started) / 1000)}`]),
    ...(sign === 0 ? [] : [`last sign of life ${ago((now - sign) / 1000)}`]),
  ];
  return parts.join(', ') || 'not known';
}

function boundsText(envelope: JsonObject, now: number): string {
  const top = topFrame(envelope);
  const { seconds, tokens } = objectAt(top, ['budget']) ?? {};
  const used = Number(valueAt(top, ['used', 'tokens'])) || 0;
  const left = Number(numberText(top, 'max', '10')) - Number(numberText(top, 'iter', '0'));
  const spent = (now - (startOf(envelope) ?? now)) / 1000;
  const minutes = (length: number): number => Math.max(0, Math.round(length / 6) / 10);
  const parts = [`${Math.max(0, left)} more iterations`];
  if (Number(seconds) > 0)
    parts.push(`${minutes(Number(seconds) - spent)} of ${minutes(Number(seconds))} minutes`);
  if (Number(tokens) > 0) parts.push(`${Math.max(0, Number(tokens) - used)} of ${Number(tokens)} tokens`);
  return parts.join(', ');
}

function startOf(envelope: JsonObject): number | undefined {
  return parseTime(textAt(topFrame(envelope), 'started_at') ?? textAt(envelope, 'started_at') ?? '');
}

function endText({ state, standing }: Loop): string {
  switch (standing) {
    case 'active':
      return `${endingOf(state.envelope)}, at a bound, or \`holdpoint loop cancel\``;
    case 'paused':
      return `not while it is paused${state.paused ? ` (${state.paused})` : ''}: \`holdpoint loop resume\` or \`holdpoint loop cancel\``;
    case 'stale':
      return 'with the next end of a turn, as stale; `holdpoint loop resume` goes on with it';
    case 'ended':
      return 'it has ended';
  }
}
