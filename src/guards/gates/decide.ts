import type { Event, EventOf } from '../../core/event';
import { isJsonObject } from '../../core/json';
import { type Deliberation, outcome, type Step } from '../../core/old-guard';
import type { Snapshot } from '../../core/snapshot';
import { NOTHING, type Report } from '../../core/verdict';
import type { GatesConfig } from './config';
import * as say from './messages';
import { type Pause, pauseIn } from './pause';
import { activeReport, disabledReport, reportOf } from './report';
import type { RunResult } from './run-result';
import type { GauntletStatus } from './status';
import { withEnvironment } from './stop-hook-environment';
import { verdictOf } from './verdict-of';

type Stop = EventOf<'turn.stop'>;

/** Lets a turn end, or has the gates run and decides by what they came to. */
export function decide(
  event: Event,
  config: GatesConfig,
  snapshot: Snapshot,
  deliberation: Deliberation,
): Step {
  if (event.kind === 'session.start') return { ...outcome(NOTHING), armed: armedGates(config, snapshot) };
  if (event.kind !== 'turn.stop') return outcome(NOTHING);
  // Gates are slow, and what they say would be of no use before the rest is done.
  if (deliberation.earlier.some(({ verdict }) => 'reason' in verdict)) return outcome(NOTHING);
  const stopHook = withEnvironment(config.stopHook, snapshot.env);
  const literal = deliberation.literal === true;
  const idle = idleReport(event, literal, stopHook);
  if (idle !== undefined) return rested(idle, config, deliberation);
  // With a mistake in the config nobody knows what would have passed; that is told at every stop.
  const pause = config.problems.length > 0 ? undefined : pauseIn(config, stopHook, snapshot);
  const ran = resultIn(deliberation);
  const rests = ran === undefined ? pause?.certain : ran.status === 'interval_not_elapsed';
  if (rests) {
    const sentence = say.stillResting(stopHook.intervalMinutes, pause?.leftMs ?? 0);
    return rested(reportOf('interval_not_elapsed', sentence), config, deliberation);
  }
  if (ran !== undefined) return verdictOf(ran, config, !literal || stopHook.reverify);
  return running(event, config, literal, pause);
}

/** Why the gates have nothing to do with this stop, whatever their last run said. */
function idleReport(
  event: Stop,
  literal: boolean,
  { enabled, reverify }: GatesConfig['stopHook'],
): Report | undefined {
  if (literal && event.continuing && !reverify) return activeReport();
  if (!enabled) return disabledReport('stop_hook.enabled');
  if (event.agent !== undefined) return reportOf('no_applicable_gates', say.SUBAGENT);
  if (event.status !== 'completed') return reportOf('no_applicable_gates', say.BROKEN_OFF);
  // Whoever may change nothing cannot mend anything either.
  const planning = event.permissionMode?.canonical === 'plan';
  return planning ? reportOf('no_applicable_gates', say.PLANNING) : undefined;
}

/** Nothing runs. Where there is a debug log, it is told so first. */
function rested(report: Report, config: GatesConfig, { effectResult }: Deliberation): Step {
  if (effectResult === undefined && config.debugLog.enabled) {
    return { kind: 'effect', name: 'note', input: { config, status: report.status } };
  }
  return outcome({ kind: 'nothing', report });
}

function running(event: Stop, config: GatesConfig, literal: boolean, pause: Pause | undefined): Step {
  const turn = turnOf(event);
  return {
    kind: 'effect',
    name: 'run',
    announce: 'run started',
    input: {
      config,
      command: literal ? 'stop-hook' : 'hook',
      restsIfOver: pause !== undefined,
      ...(turn !== undefined && { turn }),
    },
  };
}

/** Where the host does not name the prompt, the first stop after it is as good a name. */
function turnOf({ promptId, continuing, at }: Stop): string | undefined {
  return promptId ?? (continuing ? undefined : `stop ${at}`);
}

/** What the effect brought, if it was a run. */
function resultIn({ effectResult }: Deliberation): RunResult | undefined {
  const isRun = isJsonObject(effectResult) && Array.isArray(effectResult['gates']);
  return isRun ? (effectResult as RunResult & { status: GauntletStatus }) : undefined;
}

/** What awaits the end of a turn, in a few words. */
function armedGates({ checks, reviews, stopHook, problems }: GatesConfig, { env }: Snapshot): string {
  if (!withEnvironment(stopHook, env).enabled) return say.armedOff;
  return problems.length > 0 ? say.armedBroken : say.armed(checks.length, reviews.length);
}
