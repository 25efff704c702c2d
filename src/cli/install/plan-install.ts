import { isAbsolute } from 'node:path';
import { fail, type Result, succeed } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import type { HostSetup, Sheet } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import * as say from './messages';
import { ownFilesOf } from './own-files';
import type { FileChange, FoundRival, Plan } from './plan';
import { planEntries, rivalsIn } from './plan-entries';
import { planOwnFile, planStrayFile } from './plan-own-file';
import type { InstallRecord } from './record';
import { readRecords, recordsFile } from './records';
import type { InstallRequest } from './request';
import { startFilesToCome } from './start-files';
import { startLineFor } from './start-line';
import { strayRecords } from './stray-records';
import { textIn } from './text-in';

/** Gates run at the end of a turn. Their own bound is 20 seconds below. */
const STOP_SECONDS = 600;

/** What one file of a host comes to: a change, or nothing where it is right already. */
export interface FilePlan {
  readonly file: string;
  readonly change: FileChange | undefined;
  /** The file is right already and nobody has noted it, as in a clone: what to note. */
  readonly adopted?: InstallRecord | undefined;
  readonly rivals: readonly FoundRival[];
  /** Of a file that somebody else has rid of us: a copy of ours that stays because it is not what stands there. */
  readonly keptBackup?: string | undefined;
}

/** Works out what `install` will write. Reads, never writes; the failure is a sentence for people. */
export function planInstall(request: InstallRequest): Result<Plan, string> {
  const files: (FilePlan & { readonly host: HostName })[] = [];
  const elsewhere: FoundRival[] = [];
  for (const host of request.hosts) {
    const setup = setupOf(host);
    if (setup === undefined) return fail(say.unknownHost(host, undefined, []));
    if (!setup.scopes.includes(request.scope)) return fail(say.noScope(setup, request.scope));
    const plans = planHost(setup, request);
    if (!plans.ok) return plans;
    files.push(...plans.value.map((plan) => ({ ...plan, host })));
    elsewhere.push(...rivalsElsewhere(setup, request));
  }
  return succeed({
    changes: files.flatMap(({ change }) => change ?? []),
    adopted: files.flatMap(({ adopted }) => adopted ?? []),
    rivals: [...files.flatMap(({ rivals }) => rivals), ...elsewhere],
    unchanged: files.filter(({ change }) => change === undefined).map(({ host, file }) => ({ host, file })),
    startFiles: startFilesToCome(request.ground, request.start),
  });
}

/** What a host is given at an installation. */
export function sheetFor(setup: HostSetup, { scope, ground, failClosed, direct }: SheetRequest): Sheet {
  return setup.sheet(scope, ground, {
    start: startLineFor(setup.name, direct),
    stopSeconds: STOP_SECONDS,
    failClosed,
  });
}

export type SheetRequest = Pick<InstallRequest, 'scope' | 'ground' | 'failClosed' | 'direct'>;

function planHost(setup: HostSetup, request: InstallRequest): Result<readonly FilePlan[], string> {
  const sheet = sheetFor(setup, request);
  if (!isAbsolute(sheet.file)) return fail(say.relativeSettings(setup.title, sheet.file));
  const { files } = readRecords(recordsFile(request.scope, request.commonDir, request.ground.home));
  const records = files.filter((record) => record.host === setup.name);
  const recordOf = (file: string) => records.find((record) => record.file === file);
  const plans: FilePlan[] = [];
  if (sheet.kind === 'entries') {
    const plan = planEntries(setup, sheet, request, recordOf(sheet.file));
    if (!plan.ok) return plan;
    plans.push(plan.value);
  }
  for (const own of ownFilesOf(sheet)) {
    const plan = planOwnFile(setup.name, own, request, recordOf(own.file));
    if (!plan.ok) return plan;
    plans.push(plan.value);
  }
  const strays = strayRecords(records, sheet, request);
  return succeed([...plans, ...strays.flatMap((record) => planStrayFile(record) ?? [])]);
}

/** In the settings of the other scopes: the host reads them all, so what stands there runs beside ours too. */
function rivalsElsewhere(setup: HostSetup, request: InstallRequest): readonly FoundRival[] {
  const { ground, commonDir } = request;
  const scopes = setup.scopes.filter(
    (scope) => scope !== request.scope && (scope === 'user' || commonDir !== undefined),
  );
  return scopes.flatMap((scope) => {
    const sheet = sheetFor(setup, { scope, ground, failClosed: false });
    const text = sheet.kind === 'entries' ? textIn(sheet.file) : undefined;
    return sheet.kind !== 'entries' || text === undefined
      ? []
      : rivalsIn(text, setup, sheet, { scope, replaced: false });
  });
}
