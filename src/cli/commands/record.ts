import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, detailOf } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { loadConfig } from '../../core/project';
import { DIRECTORY, type HeadLine, VERSION } from '../../core/recording/format';
import {
  copyMarkToCache,
  markFile,
  memoryFile,
  type RecordingMark,
  readMark,
  writeMark,
} from '../../core/recording/mark';
import { ReplayMemory } from '../../core/recording/memory';
import { pathPlaceholders } from '../../core/recording/path-placeholders';
import { isSameSessionName, localTime, sessionKeys, sessionRecordRef } from '../../core/text';
import { branchLabel } from '../../git/head';
import { LIVE_FILE, ownTopic } from '../../guards/loop/store';
import { APPROVALS, branchFile, PROJECT_FILE, VALUES_FILE } from '../../guards/requirements/view';
import { isdlcState, OWN_STATE } from '../../guards/workflow/place';
import { type DocumentRef, placeOf, readDocument } from '../../state/documents';
import { discard, writeFileAtomic, writeNew } from '../../state/files';
import { metricsFile, pauseFile } from '../../state/sessions';
import { type Context, cannotRun, type ExitCode, type Options, Refusal, report } from '../context';
import { localDate } from '../log/entries';
import { type ProjectContext, pathFromHere, requireProject } from '../project';
import { journalCommand, refuseAgent } from '../req/context';
import { checkSessionOption, readRegistry } from '../req/find-session';
import { plural, styled } from '../ui/output';

type RecordOptions = Options<never, 'session'>;

/** `holdpoint record on`: keeps this project's events in a file from now on. */
export function recordOn(context: Context, { session }: RecordOptions): ExitCode {
  checkSessionOption('record on', session, 'holdpoint');
  const project = requireProject(context);
  const running = readMark(project);
  if (running !== undefined && running.stopped === undefined)
    throw new Refusal(`Already recording to ${running.file}. \`holdpoint record off\` ends it.`);
  if (loadConfig(project, context.chunks) === undefined)
    throw cannotRun('Nothing is configured here, so there is no rule to record. Run `holdpoint init` first.');
  const now = new Date();
  const mark: RecordingMark = {
    file: newFile(project, now.getTime()),
    root: project.root,
    ...(session !== undefined && { session }),
    began: now.toISOString(),
  };
  try {
    begin(project, mark);
  } catch (error) {
    throw new Refusal(`Nothing is recorded: ${mark.file} could not be written (${detailOf(error)}).`);
  }
  if (running !== undefined) includeAgain(project, running.file);
  journalCommand(project, 'record on', [mark.file], { session });
  const whose = session === undefined ? 'every session' : `session ${session}`;
  return report(context, { recording: true, file: mark.file, session: session ?? null }, [
    `Recording the events of ${whose} to ${mark.file}.`,
    styled('dim', 'Secrets are masked as far as they can be told. `holdpoint record off` ends it.'),
  ]);
}

/** Named by the minute, with a number if that name is taken. */
function newFile({ root }: ProjectContext, now: number): string {
  const name = `${DIRECTORY}/${localDate(now)}-${localTime(now, now, 'minutes').replace(':', '')}`;
  for (let number = 1; ; number++) {
    const file = `${name}${number === 1 ? '' : `-${number}`}.jsonl`;
    if (!existsSync(join(root, file))) return file;
  }
}

function begin(project: ProjectContext, mark: RecordingMark): void {
  const { root, head } = project;
  const path = join(root, mark.file);
  if (placeOf(root, path).kind === 'outward') throw new Error('a symlink leads out of the project');
  const memory = new ReplayMemory(undefined, pathPlaceholders(project));
  const state = documentsOf(project, mark.session).flatMap((ref) => {
    const met = memory.addDocument(ref, readDocument(project.layout, ref));
    return met === undefined ? [] : [met];
  });
  const first: HeadLine = {
    holdpoint_recording: VERSION,
    version: __VERSION__,
    began: mark.began,
    branch: branchLabel(head),
    ...(mark.session !== undefined && { session: mark.session }),
    state: Object.fromEntries(state) as unknown as JsonObject,
  };
  mkdirSync(join(root, DIRECTORY), { recursive: true });
  // World-readable, since it is meant to be committed.
  writeNew(path, `${JSON.stringify(first)}\n`, false, 0o644);
  try {
    excludeFromGit(project, mark.file);
    writeFileSync(memoryFile(project), JSON.stringify({ file: mark.file, ...memory.toJson() }), {
      mode: 0o600,
    });
    writeMark(project, mark);
  } catch (error) {
    discard(path);
    throw error;
  }
}

/** What rules may read of the branch and the live sessions. Other documents are recorded when an event reads them. */
function documentsOf(project: ProjectContext, session: string | undefined): DocumentRef[] {
  const { layout, head, root } = project;
  const registered = readRegistry(layout, Date.now()).sessions.filter(
    ({ projectDir, sessionId, alive }) =>
      projectDir === root && (session === undefined ? alive : isSameSessionName(session, sessionId)),
  );
  const ids = new Set([
    ...registered.map(({ sessionId }) => sessionId),
    ...(session === undefined ? [] : [session]),
  ]);
  return [
    branchFile(branchLabel(head), (ref) => readDocument(layout, ref)),
    PROJECT_FILE,
    APPROVALS,
    VALUES_FILE,
    OWN_STATE,
    isdlcState(undefined),
    LIVE_FILE,
    ...[...ids].flatMap((id) => [
      ...sessionKeys(id).flatMap((key) => [metricsFile(key), pauseFile(key)]),
      sessionRecordRef(id),
      ownTopic(id, { others: 'unwanted' }),
    ]),
  ];
}

export function recordOff(context: Context): ExitCode {
  const project = requireProject(context);
  refuseAgent('stop a recording', project);
  const mark = readMark(project);
  if (mark === undefined) throw new Refusal('Nothing is being recorded here.');
  const events = countEvents(mark);
  copyMarkToCache({ ...project, root: mark.root }, undefined);
  for (const file of [markFile(project), memoryFile(project)]) discard(file);
  includeAgain(project, mark.file);
  journalCommand(project, 'record off', [mark.file], { session: mark.session });
  const told = { recording: false, file: mark.file, events: events ?? null, stopped: mark.stopped ?? null };
  const path = pathFromHere(project, mark.file);
  if (events === undefined)
    return report(context, told, [styled('yellow', `Recording ended. ${mark.file} is gone.`)]);
  return report(context, told, [
    `Recorded ${plural(events, 'event')} in ${mark.file}.`,
    ...(mark.stopped === undefined ? [] : [styled('yellow', `It had stopped before: ${mark.stopped}.`)]),
    styled('dim', `\`holdpoint replay ${path}\` tells whether today's rules decide the same.`),
  ]);
}

/** How many events a recording has; `undefined` if its file cannot be read. */
function countEvents({ root, file }: RecordingMark): number | undefined {
  const text = attempt(() => readFileSync(join(root, file), 'latin1'));
  return text === undefined ? undefined : Math.max(0, text.split('\n').length - 2);
}

export function recordingJson(mark: RecordingMark): object {
  const { file, session = null, began, stopped = null } = mark;
  return { file, session, began, events: countEvents(mark) ?? null, stopped };
}

export function recordingText(mark: RecordingMark): string {
  const { file, session, stopped } = mark;
  if (stopped !== undefined) return styled('yellow', `${file} has stopped: ${stopped}`);
  const events = countEvents(mark);
  if (events === undefined) return styled('yellow', `${file} is gone`);
  return `${plural(events, 'event')} in ${file}${session === undefined ? '' : `, session ${session} only`}`;
}

/*
 * A recording grows with every event. Until it is complete git ignores it, so that an agent's `git add -A` does not
 * commit half of it, and gates and rules do not take it for a change made by the agent.
 */

function excludeFromGit(project: ProjectContext, file: string): void {
  editExclude(project, (text) => `${text.replace(/(?<=[^\n])$/, '\n')}/${file}\n`);
}

function includeAgain(project: ProjectContext, file: string): void {
  const without = (text: string): string =>
    text
      .split('\n')
      .filter((line) => line !== `/${file}`)
      .join('\n');
  attempt(() => editExclude(project, without));
}

function editExclude({ git }: ProjectContext, edit: (text: string) => string): void {
  if (git === undefined) return;
  const exclude = join(git.commonDir, 'info', 'exclude');
  const before = attempt(() => readFileSync(exclude, 'latin1')) ?? '';
  const after = edit(before);
  if (after === before) return;
  mkdirSync(dirname(exclude), { recursive: true });
  writeFileAtomic(exclude, Buffer.from(after, 'latin1'), { mode: 0o644 });
}
