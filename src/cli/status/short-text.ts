import { LOOP_DEFAULTS } from '../../guards/loop/config';
import { frameOf } from '../../guards/loop/frame';
import { isNamed } from '../loop/loops';
import { printable } from '../ui/output';
import type { Status } from './gather';

/** The status in one short line, for a place where a person glances at it all day. */
export function shortStatus(status: Status): string {
  const { state, reasons } = status.standing;
  const why = reasons.map(({ brief }) => brief).filter((brief) => brief !== '');
  const head = why.length === 0 ? `holdpoint ${state}` : `holdpoint ${state}: ${why.join(', ')}`;
  const parts = state === 'off' ? [] : [requirements(status), loop(status), flow(status), gates(status)];
  return printable([head, ...parts.filter((part) => part !== '')].join(' · '));
}

function requirements({ requirements: all, posts }: Status): string {
  const isHolding = posts.some(({ guard, kind }) => guard === 'requirements' && kind === 'holding');
  const open = all.filter(({ satisfied }) => !satisfied).length;
  if (all.length === 0 || !isHolding) return '';
  return open === 0 ? `${all.length} req satisfied` : `${open}/${all.length} req open`;
}

function loop({ loops, session }: Status): string {
  const mine = loops.find(
    ({ state }) =>
      state.sessionId === undefined || session === undefined || isNamed(state.sessionId, session),
  );
  const top = mine && frameOf(mine.state.stack.at(-1), LOOP_DEFAULTS.maxIterations);
  return top === undefined ? '' : `loop ${top.iter}/${top.max}`;
}

function flow({ flow: { standing, trouble } }: Status): string {
  if (trouble !== undefined) return 'workflow unreadable';
  if (standing === undefined) return '';
  const { workflow, index, phases } = standing;
  const type = workflow.type ?? 'workflow';
  return index < 0 ? type : `${type} ${index + 1}/${phases.length}`;
}

function gates({ gates: glance }: Status): string {
  if (glance === undefined) return '';
  return glance.running ? 'gates running' : `gates ${glance.lastStatus ?? 'not run'}`;
}
