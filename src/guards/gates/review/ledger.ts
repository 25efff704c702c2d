import { join } from 'node:path';
import type { ReviewJob } from '../detect/jobs';
import type { GateContext } from '../run/gate-context';
import { filesIn } from '../run/log-files';
import { isConsoleLog, isLogName, runOf } from '../run/log-names';
import { isSame } from './same-violation';
import { readSlot, type SlotReading } from './slot-file';
import type { Violation } from './violation';

/** What a slot of a review said last in this session. Who said it does not matter. */
export interface SlotRecord extends SlotReading {
  readonly slot: number;
  readonly adapter: string;
  readonly run: number;
  readonly json: string;
  /** Whether it is from the run just before this one. */
  readonly isLatest: boolean;
  /** Skipped since that answer, so that no summary has told of it. */
  readonly newlySkipped: readonly Violation[];
}

interface SlotName {
  readonly adapter: string;
  readonly slot: number;
  readonly run: number;
}

/** The latest answers of a review's slots, by slot. */
export function readLedger(job: ReviewJob, context: GateContext): ReadonlyMap<number, SlotRecord> {
  const names = filesIn(context.logDir, isLogName);
  const lastRun = Math.max(
    0,
    ...names
      .flatMap((name) => (isConsoleLog(name) ? (runOf(name) ?? 0) : []))
      .filter((run) => run < context.run),
  );
  const records = new Map<number, SlotRecord>();
  for (const name of slotNames(names, job, context)) {
    const latest = records.get(name.slot);
    const reading = readNamed(name, job, context);
    if (reading === undefined) continue;
    if (latest !== undefined) records.set(name.slot, withOlder(latest, reading));
    else records.set(name.slot, recordOf(name, reading, job, context, lastRun));
  }
  return records;
}

function recordOf(
  name: SlotName,
  reading: SlotReading,
  job: ReviewJob,
  context: GateContext,
  lastRun: number,
): SlotRecord {
  return {
    ...reading,
    ...name,
    json: jsonOf(name, job, context),
    isLatest: name.run === lastRun,
    newlySkipped: reading.violations.filter(({ status }) => status === 'skipped'),
  };
}

/** What an older answer has as skipped already was told then. */
function withOlder(latest: SlotRecord, older: SlotReading): SlotRecord {
  const told = older.violations.filter(({ status }) => status === 'skipped');
  return {
    ...latest,
    newlySkipped: latest.newlySkipped.filter((one) => !told.some((other) => isSame(one, other))),
  };
}

function readNamed(name: SlotName, job: ReviewJob, context: GateContext): SlotReading | undefined {
  const json = jsonOf(name, job, context);
  return readSlot(json, json.replace(/\.json$/, '.log'), context.root);
}

function jsonOf({ adapter, slot, run }: SlotName, job: ReviewJob, context: GateContext): string {
  return join(context.logDir, `${stemOf(job, context)}_${adapter}@${slot}.${run}.json`);
}

/** Newest first. */
function slotNames(names: readonly string[], job: ReviewJob, context: GateContext): readonly SlotName[] {
  const begin = `${stemOf(job, context)}_`;
  const found = new Map<string, SlotName>();
  for (const name of names) {
    const rest = name.startsWith(begin) ? name.slice(begin.length) : '';
    const [, adapter, slot, run] = /^([a-z][a-z0-9-]*)@(\d+)\.(\d+)\.(?:json|log)$/.exec(rest) ?? [];
    if (adapter === undefined || Number(run) >= context.run) continue;
    found.set(`${adapter}@${slot}.${run}`, { adapter, slot: Number(slot), run: Number(run) });
  }
  return [...found.values()].sort((a, b) => b.run - a.run);
}

/** What the names of all files of a job begin with. */
function stemOf(job: ReviewJob, context: GateContext): string {
  const tail = `_x@0.${context.run}.log`;
  return context.logFile(job.id, 'x@0').slice(context.logDir.length + 1, -tail.length);
}
