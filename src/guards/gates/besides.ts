import type { Context } from '../../core/guard';
import { digest } from '../../core/text';
import type { Grounds, Verdict } from '../../core/verdict';
import type { GatesConfig } from './config';
import * as say from './messages';
import { reportOf } from './report';
import type { RunResult } from './run-result';
import { type Beginning, noteWeaker } from './session';

/** What the gates themselves do not see, sorted by what it means. */
interface Found {
  readonly aside: NonNullable<RunResult['aside']>;
  /** What has become weaker, and no person has accepted. */
  readonly facts: readonly string[];
  /** What the person has to hear of it. */
  readonly listed: readonly string[];
  readonly isHeld: boolean;
}

/** The verdict of the gates, with work that lies elsewhere, and checks that have become weaker. */
export function besides(
  verdict: Exclude<Verdict, { kind: 'hold' }>,
  { aside = [], weaker }: RunResult,
  config: GatesConfig,
  session: Beginning,
  ctx: Context,
): Verdict {
  const { facts: all = [], changed = [] } = weaker ?? {};
  const holds = config.weakening === 'hold';
  const facts = all.filter((fact) => !session.accepted.includes(fact));
  // A changed assertion may be ordinary work, so only who wants to be strict hears of it.
  const found = {
    aside,
    facts,
    listed: holds ? [...facts, ...changed] : facts,
    isHeld: holds && facts.length > 0,
  };
  const key = found.listed.length === 0 ? undefined : digest(found.listed.join('\n'));
  const isNews = key !== session.told;
  if (weaker !== undefined && (isNews || facts.length !== session.weaker.length))
    ctx.change(noteWeaker(session.sessionId, facts, key));
  const grounds = groundsOf(found, config);
  // Held as often as gates that fail, then a person decides.
  const mayHold = (ctx.refusedStops.byGuard.gates ?? 0) <= config.maxRetries;
  if (grounds.length > 0 && mayHold) return holding(found, grounds, isNews);
  return advising(verdict, grounds, [
    ...(grounds.length > 0 ? [say.letGo(aside)] : []),
    ...(key !== undefined && (isNews || grounds.length > 0)
      ? [`Holdpoint: ${say.weakerTold(found.listed)}`]
      : []),
  ]);
}

function groundsOf({ aside, facts, isHeld }: Found, { home }: GatesConfig): readonly Grounds[] {
  return [
    ...aside.map(({ what, exit }) => ({
      rule: 'work put aside',
      fact: `${what} has work of this session that was not checked.`,
      clear: exit,
      waive: say.waiver(home),
    })),
    ...(isHeld ? facts : []).map((fact) => ({
      rule: 'gates.weakening',
      fact,
      clear: 'undo it',
      waive: say.ACCEPT,
    })),
  ];
}

function holding(
  { aside, facts, listed, isHeld }: Found,
  grounds: readonly Grounds[],
  isNews: boolean,
): Verdict {
  const reasons = [say.asideText(aside), say.weakerHeld(isHeld ? facts : [])];
  const told = [
    ...(aside.length > 0 ? [say.asideTold(aside)] : []),
    ...(isHeld ? [say.weakerTold(listed)] : []),
  ];
  return {
    kind: 'hold',
    reason: reasons.filter((text) => text !== '').join('\n\n'),
    report: { ...reportOf('failed', told.join(' ')), once: true },
    ...(isHeld && isNews && { toPerson: `Holdpoint: ${say.weakerTold(listed)}` }),
    grounds,
  };
}

function advising(
  verdict: Exclude<Verdict, { kind: 'hold' }>,
  grounds: readonly Grounds[],
  notes: readonly string[],
): Verdict {
  if (notes.length === 0) return verdict;
  const [before, report] = [
    'grounds' in verdict ? verdict.grounds : [],
    'report' in verdict ? verdict.report : undefined,
  ];
  const said = 'toPerson' in verdict && verdict.toPerson !== undefined ? [verdict.toPerson] : [];
  return {
    kind: 'advise',
    toPerson: [...said, ...notes].join('\n'),
    ...(report && { report }),
    grounds: [...before, ...grounds],
  };
}
