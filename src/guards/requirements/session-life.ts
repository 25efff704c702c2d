import type { Change } from '../../core/document';
import type { EventOf } from '../../core/event';
import type { Json } from '../../core/json';
import { outcome, type Step } from '../../core/old-guard';
import type { Snapshot } from '../../core/snapshot';
import { NOTHING } from '../../core/verdict';
import { briefing } from './briefing';
import { armedText } from './briefing-messages';
import { carriedOver, withCarried } from './carry-over';
import { metricsChange, stateChange } from './change';
import type { RequirementsConfig } from './config';
import { branchesIn, closeMetrics, numberIn } from './metrics';
import { migrateKeys } from './migrate-keys';
import { withoutOldSessions } from './old-sessions';
import { withoutOverrides } from './overrides';
import { pauseFile } from './session-files';
import { withoutSession } from './state';
import { type View, viewOn } from './view';

/** A session begins: old keys are moved, long dead entries dropped, fresh satisfactions taken over, and it is told. */
export function atStart(
  event: EventOf<'session.start'>,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
): Step {
  const enforced = config.enabled && config.reach === 'project' && config.requirements.length > 0;
  if (!enforced) return outcome(briefing(config, view, []));
  const { owner, session } = view;
  const living = snapshot.sessions.filter(({ alive }) => alive).map(({ id }) => id);
  const sources: readonly string[] = config.carryOver.sources;
  const carried = sources.includes(event.source)
    ? carriedOver(view.state, config.requirements, config.carryOver, session, owner.now)
    : [];
  const renewed = (state: Json | undefined): Json | undefined =>
    withCarried(
      withoutOldSessions(withoutOverrides(migrateKeys(state)), [...living, session], owner.now),
      carried,
      config.requirements,
      owner,
      session,
      config.carryOver.windowSeconds,
    );
  const what =
    carried.length === 0 ? 'state tidied' : `carried over ${carried.map(({ name }) => name).join(', ')}`;
  const changes: Change[] = [
    stateChange(view, what, renewed),
    metricsChange(view, (metrics) => ({ ...metrics, registered_at: owner.now })),
  ];
  const step = outcome(briefing(config, view, carried), changes);
  // Whoever wants nothing told is told nothing.
  return view.paused || !config.briefing.inject
    ? step
    : { ...step, armed: armedText(config.requirements.length) };
}

/** A session ends: its counts are closed and its pause is over; its satisfactions stay unless the config says otherwise. */
export function atEnd(
  event: EventOf<'session.end'>,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
): Step {
  const others = branchesIn(view.metrics).filter((branch) => branch !== view.branch);
  const views = [view, ...others.flatMap((branch) => viewOn(branch, event, snapshot) ?? [])];
  return outcome(NOTHING, [
    { document: pauseFile(view.metricsOwner.session), what: 'pause over', apply: () => undefined },
    ...(view.metrics === undefined
      ? []
      : [metricsChange(view, (metrics) => closeMetrics(metrics, view.owner.now))]),
    ...(config.clearSessionState ? views.map((one) => clearing(config, one)) : []),
  ]);
}

function clearing({ requirements }: RequirementsConfig, view: View): Change {
  const own = requirements.filter(({ scope }) => scope === 'session' || scope === 'single_use');
  return stateChange(view, 'cleared own satisfactions', (state) =>
    own.reduce<Json | undefined>(
      (value, { name }) => withoutSession(value, view.owner, name, view.session),
      state,
    ),
  );
}

export function atCompaction(view: View): Step {
  return outcome(NOTHING, [
    metricsChange(view, (metrics) => {
      return { ...metrics, compaction_count: numberIn(metrics, 'compaction_count') + 1 };
    }),
  ]);
}
