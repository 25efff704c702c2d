import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { sessionKey } from '../../core/session-key';
import { parseTime } from '../../guards/loop/times';
import { ago, type Output, type Style } from '../ui/output';
import { endingOf } from './endings';
import type { Loop } from './loops';
import type { Standing } from './standing';

const STYLES: Readonly<Record<Standing, Style>> = {
  active: 'green',
  paused: 'yellow',
  stale: 'yellow',
  ended: 'dim',
};

type Row = readonly [label: string, text: string];

/** A loop at a glance: whose, how far, what is left, what ends it. */
export function loopLines(loop: Loop, isOwn: boolean, now: number, out: Output): string[] {
  const { state, standing } = loop;
  const top = frameAt(state.stack, -1);
  const rows: Row[] = [
    ['age', ageText(loop, top, now)],
    ['bounds', boundsText(top, state.envelope, now)],
    ...textRow('verify', top['verify']),
    ...textRow('issue', top['issue_id']),
    ...textRow('worktree', top['worktree_path']),
    ...state.stack.slice(0, -1).map((frame): Row => ['inside of', progressText(asFrame(frame))]),
    ['ends', endText(loop, top)],
    ['run', `${textOf(state.envelope['run_id']) || 'without a name'} in ${loop.file}`],
  ];
  return [
    `${out.style('bold', ownerText(loop))}${isOwn && state.sessionId !== undefined ? ' (this one)' : ''}: ${out.style(STYLES[standing], standing)}, ${out.style('bold', progressText(top))}`,
    ...rows.map(([label, text]) => `  ${out.style('dim', label.padEnd(10))}${out.style('bold', text)}`),
  ];
}

/** The same on one line, for where there is more to show than loops. */
export function loopRow(loop: Loop, now: number): string[] {
  const top = frameAt(loop.state.stack, -1);
  return [ownerText(loop), loop.standing, progressText(top), ageText(loop, top, now)];
}

export function endedLine(loop: Loop, now: number, out: Output): string {
  const { envelope } = loop.state;
  const at = parseTime(textOf(envelope['updated_at']));
  const how = [textOf(envelope['event']), textOf(envelope['reason'])].filter((part) => part !== '').join(' ');
  const when = at === undefined ? '' : `, ${agoText(at, now)}`;
  return out.style('dim', `The last one of ${ownerText(loop)} ended: ${how || 'nobody knows how'}${when}.`);
}

function ownerText({ state }: Loop): string {
  return state.sessionId === undefined ? 'any session' : `session ${shortId(state.sessionId)}`;
}

export function shortId(sessionId: string): string {
  return sessionKey(sessionId) ?? sessionId;
}

function progressText(frame: JsonObject): string {
  const count = `iteration ${numberText(frame['iter'], '0')}/${numberText(frame['max'], '10')}`;
  return `${count} in mode ${textOf(frame['mode']) || 'loop'}`;
}

function ageText({ state, heartbeat }: Loop, top: JsonObject, now: number): string {
  const written = parseTime(textOf(state.envelope['updated_at']));
  const begun = parseTime(textOf(top['started_at']) || textOf(state.envelope['started_at']));
  const sign = Math.max(written ?? 0, heartbeat ?? 0);
  const parts = [
    ...(begun === undefined ? [] : [`started ${agoText(begun, now)}`]),
    ...(sign === 0 ? [] : [`last sign of life ${agoText(sign, now)}`]),
  ];
  return parts.join(', ') || 'not known';
}

function boundsText(top: JsonObject, envelope: JsonObject, now: number): string {
  const budget = asFrame(top['budget']);
  const used = asFrame(top['used']);
  const left = Number(numberText(top['max'], '10')) - Number(numberText(top['iter'], '0'));
  const begun = parseTime(textOf(top['started_at']) || textOf(envelope['started_at'])) ?? now;
  const seconds = Number(budget['seconds']);
  const tokens = Number(budget['tokens']);
  return [
    `${Math.max(0, left)} more iterations`,
    ...(seconds > 0
      ? [`${minutesLeft(seconds - (now - begun) / 1000)} of ${minutesLeft(seconds)} minutes`]
      : []),
    ...(tokens > 0 ? [`${Math.max(0, tokens - (Number(used['tokens']) || 0))} of ${tokens} tokens`] : []),
  ].join(', ');
}

function minutesLeft(seconds: number): number {
  return Math.max(0, Math.round(seconds / 6) / 10);
}

function endText({ state, standing }: Loop, top: JsonObject): string {
  switch (standing) {
    case 'active':
      return `${endingOf(textOf(top['mode']))}, at a bound, or \`holdpoint loop cancel\``;
    case 'paused': {
      const why = state.paused === '' || state.paused === undefined ? '' : ` (${state.paused})`;
      return `not while it is paused${why}: \`holdpoint loop resume\` or \`holdpoint loop cancel\``;
    }
    case 'stale':
      return 'with the next end of a turn, as stale; `holdpoint loop resume` goes on with it';
    case 'ended':
      return 'it has ended';
  }
}

function textRow(label: string, value: Json | undefined): Row[] {
  return typeof value === 'string' && value !== '' ? [[label, value]] : [];
}

function agoText(at: number, now: number): string {
  return ago((now - at) / 1000);
}

function frameAt(stack: readonly Json[], index: number): JsonObject {
  return asFrame(stack.at(index));
}

function asFrame(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numberText(value: Json | undefined, absent: string): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : absent;
}
