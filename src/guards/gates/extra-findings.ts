import type { Context } from '../../core/guard';
import { joinLines } from '../../core/json';
import { digest } from '../../core/text';
import type { Grounds, Verdict } from '../../core/verdict';
import type { GatesConfig } from './config';
import * as say from './messages';
import { reportOf } from './report';
import type { RunResult } from './run-result';
import { recordExtraFindings, type SessionBaseline } from './session-baseline';

/** What the gates themselves do not see. */
interface ExtraFindings {
  readonly aside: NonNullable<RunResult['aside']>;
  /** Weakened checks that no person has accepted. */
  readonly facts: readonly string[];
  /** Changed assertions; filled only with `weakening: hold`. */
  readonly changed: readonly string[];
  readonly isHeld: boolean;
}

type Advice = Extract<Verdict, { kind: 'advise' }>;
/** A verdict that lets the turn end. */
type Mild = Advice | Extract<Verdict, { kind: 'nothing' }>;

/** Extends the gates' verdict by work put aside and by weakened checks. */
export function addExtraFindings(
  verdict: Mild,
  result: RunResult,
  config: GatesConfig,
  session: SessionBaseline,
  ctx: Context,
): Verdict {
  const found = foundIn(result, config, session);
  const { aside, facts, changed } = found;
  const { isNews, isNewWork, versions } = noteNews(found, result, session, ctx);
  const refused = ctx.refusedStops.byGuard.gates ?? 0;
  const mayHold = refused <= config.maxRetries;
  // Work put aside may be the user's own, so it holds once. Weakened checks hold as often as failed gates.
  const isHeld = found.isHeld && mayHold;
  const held = { ...found, aside: isNewWork && mayHold ? aside : [], isHeld };
  const grounds = groundsOf(held, config);
  if (grounds.length > 0) return holdVerdict(held, grounds, isNews);
  const isUntold = versions !== undefined && versions !== session.released;
  if (isUntold)
    ctx.change(recordExtraFindings(session.sessionId, 'told of work elsewhere', { released: versions }));
  const isLetGo = isUntold || (refused > 0 && found.isHeld);
  const isTold = facts.length + changed.length > 0 && (isNews || found.isHeld);
  return withAdvice(verdict, isLetGo ? groundsOf(found, config) : [], [
    ...(isLetGo ? [say.releasedNote(aside)] : []),
    ...(isTold ? [`Holdpoint: ${say.weakerNote(facts, changed)}`] : []),
  ]);
}

function foundIn(
  { aside = [], weaker }: RunResult,
  config: GatesConfig,
  session: SessionBaseline,
): ExtraFindings {
  const { facts: all = [], changed = [] } = weaker ?? {};
  const holds = config.weakening === 'hold';
  const facts = all.filter((fact) => !session.accepted.includes(fact));
  // A changed assertion may be ordinary work, so it is only reported with `weakening: hold`.
  return { aside, facts, changed: holds ? changed : [], isHeld: holds && facts.length > 0 };
}

function noteNews(
  { aside, facts, changed }: ExtraFindings,
  { weaker }: RunResult,
  { sessionId, ...session }: SessionBaseline,
  ctx: Context,
) {
  const told = digestOf([...facts, ...changed]);
  const isNews = told !== session.told;
  if (weaker !== undefined && (isNews || facts.length !== session.weaker.length))
    ctx.change(recordExtraFindings(sessionId, 'checks became weaker', { weaker: facts, told }));
  const versions = digestOf(aside.map(({ version }) => version));
  const isNewWork = versions !== session.aside;
  if (isNewWork) ctx.change(recordExtraFindings(sessionId, 'work was found elsewhere', { aside: versions }));
  return { isNews, isNewWork, versions };
}

function digestOf(list: readonly string[]): string | undefined {
  return list.length === 0 ? undefined : digest(list.join('\n'));
}

function groundsOf({ aside, facts, isHeld }: ExtraFindings, { home }: GatesConfig): readonly Grounds[] {
  return [
    ...aside.map(({ what, exit }) => ({
      rule: 'work put aside',
      fact: `${what} has work from during this session that was not checked.`,
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

function holdVerdict(
  { aside, facts, changed, isHeld }: ExtraFindings,
  grounds: readonly Grounds[],
  isNews: boolean,
): Verdict {
  const reasons = [say.uncheckedWorkText(aside), say.weakerHoldText(isHeld ? facts : [])];
  const told = [
    ...(aside.length > 0 ? [say.uncheckedWorkNote(aside)] : []),
    ...(isHeld ? [say.weakerNote(facts, changed)] : []),
  ];
  return {
    kind: 'hold',
    reason: reasons.filter((text) => text !== '').join('\n\n'),
    report: { ...reportOf('failed', told.join(' ')), once: true },
    ...(isHeld && isNews && { toPerson: `Holdpoint: ${say.weakerNote(facts, changed)}` }),
    grounds,
  };
}

/** The verdict, with more to tell the user. */
export function withAdvice(verdict: Mild, grounds: readonly Grounds[], notes: readonly string[]): Verdict {
  if (notes.length === 0) return verdict;
  const before: Advice = verdict.kind === 'advise' ? verdict : { ...verdict, kind: 'advise', grounds: [] };
  const toPerson = joinLines([before.toPerson, ...notes]) ?? '';
  return { ...before, toPerson, grounds: [...before.grounds, ...grounds] };
}
