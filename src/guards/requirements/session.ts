import { whoFrom } from '../../core/actor';
import type { EventOf } from '../../core/event';
import { countIn, isJsonObject, type Json, numberIn, objectIn } from '../../core/json';
import { sessionKeys } from '../../core/text';
import { NOTHING, type Verdict } from '../../core/verdict';
import { briefingText, type Carried, designText } from './briefing';
import { standings } from './judge';
import type { Requirement } from './section';
import * as states from './state';
import {
  changeMetrics,
  changeState,
  channelOf,
  closeMetrics,
  hasRulesForPeople,
  isJudgedAfter,
  noteSatisfied,
  recordedElsewhere,
  type View,
  viewsOf,
} from './view';

// Part of this chunk: the texts that tell an agent what lies ahead.
export { planText } from './briefing';

/** Migrates session keys, drops old entries, carries over fresh satisfactions, and briefs the session. */
export function atStart(event: EventOf<'session.start'>, view: View): Verdict {
  const { source } = event;
  const { config, ctx, session, now } = view;
  const { requirements, briefing } = config;
  const enforced = config.enabled && config.reach === 'project' && requirements.length > 0;
  if (!enforced) return briefingVerdict(view, []);
  // Called only for entries that are a month old: there may be thousands of sessions.
  const isLiving = (key: string): boolean =>
    key === session || ctx.sessions().some((one) => sessionKeys(one.sessionId).includes(key) && one.alive);
  const carried = carriedOver(source, view);
  const taken = carried.map(({ name }) => name);
  changeState(view, taken.length === 0 ? 'state tidied' : `carried over ${taken.join(', ')}`, (current) => {
    const told = states.withoutOverrides(states.migrateKeys(current));
    return withCarried(states.withoutOldSessions(told, isLiving, now), carried, view);
  });
  if (isJudgedAfter(config))
    ctx.part('effect-rules').snapshots.beginSnapshot(view, source !== 'resume' && source !== 'compact');
  changeMetrics(view, (metrics) => ({
    ...(taken.length === 0 ? metrics : noteSatisfied(metrics, taken, 'carry_over', view.branch, now)),
    registered_at: now,
  }));
  const isClientKnown = hasRulesForPeople(config) && ctx.part('people').channels.bindClient(view);
  if (briefing.inject) {
    ctx.armed(`${requirements.length} ${requirements.length === 1 ? 'requirement' : 'requirements'}`);
  }
  return briefingVerdict({ ...view, channel: () => channelOf(event, ctx, isClientKnown) }, carried);
}

/** The start of a session for warn and shadow rules: only carries satisfactions over. */
export function carryOverOnly({ source }: EventOf<'session.start'>, view: View): void {
  const carried = carriedOver(source, view);
  if (carried.length === 0) return;
  const names = carried.map(({ name }) => name);
  changeState(view, `carried over ${names.join(', ')}`, (current) =>
    withCarried(states.migrateKeys(current), carried, view),
  );
}

/** Closes the session's counts. Its satisfactions stay unless the config says otherwise. */
export function atEnd(view: View): Verdict {
  const { config, ctx } = view;
  if (hasRulesForPeople(config)) ctx.change(ctx.part('people').forgetSession(view.sessionId));
  if (view.metrics !== undefined) changeMetrics(view, (metrics) => closeMetrics(metrics, view.now));
  if (isJudgedAfter(config)) ctx.part('effect-rules').snapshots.removeSnapshot(view);
  if (!config.clearSessionState) {
    copyToCurrentBranch(view);
    return NOTHING;
  }
  const own = config.requirements.filter(({ scope }) => states.isPerSession(scope));
  for (const one of viewsOf(view)) {
    changeState(one, 'cleared own satisfactions', (state) =>
      own.reduce((value, { name }) => states.withoutSession(value, one, name, one.session), state),
    );
  }
  return NOTHING;
}

/** Copies satisfactions to the current branch: the session after `/clear` looks there for what to take over. */
function copyToCurrentBranch(view: View): void {
  const { config } = view;
  if (config.carryOver.sources.length === 0) return;
  const found = config.requirements
    .map((requirement) => ({
      ...requirement,
      own: recordedElsewhere(requirement, view),
    }))
    .filter(({ own }) => states.isSatisfied(own, view.now));
  if (found.length === 0) return;
  changeState(view, `brought along ${found.map(({ name }) => name).join(', ')}`, (current) =>
    found.reduce(
      (state, { name, scope, own }) => states.withEntry(state, view, name, scope, view.session, own),
      current,
    ),
  );
}

/** The briefing of a new session: what is enforced, or why nothing is. */
function briefingVerdict(view: View, carried: readonly Carried[]): Verdict {
  const { config, ctx } = view;
  const { requirements, briefing } = config;
  const nothing = whyNothing(view);
  if (nothing !== undefined) return { kind: 'advise', toAgent: nothing, grounds: [] };
  if (requirements.length === 0 || !briefing.inject) return NOTHING;
  const isSatisfied = (one: Requirement): boolean =>
    carried.some(({ name }) => name === one.name) || view.isSatisfied(one);
  const toAgent = briefingText(view, standings({ ...view, isSatisfied }), carried);
  const overrides = overrideText(states.overridesIn(view.state));
  const channels = hasRulesForPeople(config) ? ctx.part('people').channels.channelNote(view) : '';
  const toPerson = [overrides, channels].filter(Boolean).join('\n');
  const told = overrides === '' ? toAgent : `${toAgent}\n${overrides}`;
  return { kind: 'advise', toAgent: told, ...(toPerson && { toPerson }), grounds: [] };
}

/** Turns that ended although they were held, in one line for the next session. */
function overrideText(overrides: readonly states.Override[]): string {
  if (overrides.length === 0) return '';
  const told = overrides.map(({ session, names }) => `session ${session} with ${names.join(', ')} open`);
  return `A turn ended here although it was held: ${told.join('; ')}.`;
}

function whyNothing({ config: { enabled, reach, requirements, isEmpty } }: View): string | undefined {
  if (!enabled)
    return 'Holdpoint: requirements are not enforced here because the config says `enabled: false`.';
  if (requirements.length === 0)
    return isEmpty || reach === 'global-only'
      ? undefined
      : 'Holdpoint: no requirement is enforced here: none in the config is both enabled and valid.';
  return reach === 'global-only'
    ? 'Holdpoint: only the global config has requirements, so they are not enforced in this project. Set `enforce_everywhere: true` there, or add .claude/requirements.yaml or .holdpoint/config.yaml here.'
    : undefined;
}

/** What a new session may take over from others: the newest satisfaction of each requirement. */
export function carriedOver(
  source: string,
  { config, state, session, now, isSigned }: Pick<View, 'config' | 'state' | 'session' | 'now' | 'isSigned'>,
): Carried[] {
  const { sources, windowSeconds, scopes } = config.carryOver;
  if (!sources.some((one) => one === source)) return [];
  return config.requirements
    .filter(({ type, scope }) => type !== 'condition' && scopes.includes(scope))
    .flatMap((requirement) => {
      const { name } = requirement;
      const entry = states.entryIn(state, name);
      if (states.isSatisfied(states.sessionIn(entry, session), now)) return [];
      return Object.keys(objectIn(entry, 'sessions'))
        .filter((from) =>
          states.isSatisfied(
            states.acceptedRecord(requirement, from, states.sessionIn(entry, from), isSigned),
            now,
          ),
        )
        .map((from) => ({ name, from, ageSeconds: Math.max(0, now - timeOf(states.sessionIn(entry, from))) }))
        .filter(({ ageSeconds }) => ageSeconds <= windowSeconds)
        .sort((a, b) => a.ageSeconds - b.ageSeconds)
        .slice(0, 1);
    });
}

function withCarried(state: states.State, carried: readonly Carried[], view: View): states.State {
  const { requirements, carryOver } = view.config;
  return carried.reduce((value, { name, from }) => {
    const source = states.sessionIn(states.entryIn(value, name), from);
    const scope = requirements.find((requirement) => requirement.name === name)?.scope ?? 'session';
    return states.satisfySession(value, view, name, scope, view.session, {
      by: 'carry_over',
      at: view.now,
      expiresAt: numberIn(source, 'expires_at'),
      // Keep who satisfied it originally.
      ...whoFrom(source),
      metadata: {
        carried_from: from,
        original_satisfied_at: timeOf(source),
        original_satisfied_by: source['satisfied_by'],
        carry_over_window: carryOver.windowSeconds,
      },
    });
  }, state);
}

/** When it was first satisfied: a carried satisfaction is as old as its source, or a chain would never end. */
function timeOf(own: Json): number {
  return numberIn(objectIn(own, 'metadata'), 'original_satisfied_at') ?? countIn(own, 'satisfied_at');
}

/** Reminds the agent once per session to think before it works on a design that nobody approved. */
export function thinkFirst(view: View): Verdict {
  const gate = view.config.requirements.find(({ name }) => name === states.DESIGN_GATE);
  const told = isJsonObject(view.metrics) && view.metrics['design_reminder_at'] !== undefined;
  if (gate === undefined || told || view.isSatisfied(gate)) return NOTHING;
  changeMetrics(view, (metrics) => ({ ...metrics, design_reminder_at: view.now }));
  return { kind: 'advise', toAgent: designText(gate, view), grounds: [] };
}
