import { nearest } from '../../config/diagnostics';
import { isJsonObject, type Json, type JsonObject, jsonIn, jsonObjectIn, objectIn } from '../../core/json';
import { loadConfig } from '../../core/project';
import { isSameSessionName } from '../../core/text';
import { branchLabel } from '../../git/head';
import {
  type Recorded,
  satisfiedBy,
  satisfyingChanges,
  whyChannelNotAllowed,
} from '../../guards/requirements/approvals';
import { withUsedApproval } from '../../guards/requirements/signed';
import { followsSession, isPerSession, migrateKeys, sessionKeyIn } from '../../guards/requirements/state';
import { APPROVALS, branchFile, PROJECT_FILE, presentValue } from '../../guards/requirements/view';
import { type Change, type DocumentRef, type Layout, readDocument } from '../../state/documents';
import { whoOf } from '../caller';
import { type Context, cannotRun, type ExitCode, Refusal, report } from '../context';
import { type ProjectContext, requirementsConfig, requirementsIn, requireProject } from '../project';
import { printError, styled } from '../ui/output';
import { changeState, journalCommand, mayBeAgent, type ReqOptions, refuseReserved } from './context';
import {
  checkSessionOption,
  givenSession,
  type KnownSession,
  liveSessions,
  notStartedNote,
  requireSession,
  sessionLine,
} from './find-session';
import { existingBranches, readStateFiles } from './state-files';

/** `--branch` without a name is `true` and means the current branch. */
type SatisfyValues = Omit<ReqOptions, 'branch'> & { readonly branch?: string | true };

/** `req satisfy` and its alias `req approve`. */
export function satisfy(command: 'satisfy' | 'approve') {
  return async (context: Context, given: SatisfyValues, words: readonly string[]): Promise<ExitCode> => {
    const options = satisfyOptions(command, given, words);
    const { names, ttl, metadata } = options;
    const call = requireProject(context, 1);
    const { layout } = call;
    const { known, skills } = allowedRequirements(command, options, call);
    // With `--branch` alone it counts for every session on that branch.
    const isOfSession = options.branch === undefined || options.session !== undefined;
    const session = isOfSession ? await requireSession(options.session, call) : undefined;
    const branch = options.branch || branchLabel(call.head);
    const by = whoOf(call.caller());
    const now = Math.floor(Date.now() / 1000);
    const how = { branch, project: call.root, now, session, by, ttl, metadata };
    const done = satisfiedBy(names, known, skills, how);
    const unseen = done.some(({ scope }) => isPerSession(scope)) ? unseenNote(session, call) : [];
    // Files are chosen under the lock: until then another branch may take a file name that both would get.
    const written = changeState(layout, 'Nothing was recorded', () =>
      satisfyingChanges(done, how, (ref) => readDocument(layout, ref)),
    );
    const key = session?.key ?? '';
    journalCommand(call, `req ${command}`, written, { session: key, about: names.join(' ') });
    warnIfUnknown(options.branch, call);
    const satisfied = done.map(({ name, scope, follows, way, ttl: approvedFor }) => {
      return { name, scope, follows, ...(way === 'approval' && { approvedFor }) };
    });
    const value = { satisfied, branch, session: key, level: session ? 'session' : 'branch' };
    const lines = successLines(command, done, branch, session).map((line) => styled('green', line));
    return report(call, value, [...lines, ...unseen]);
  };
}

type SatisfyOptions = ReturnType<typeof satisfyOptions>;

function satisfyOptions(command: string, values: SatisfyValues, positionals: readonly string[]) {
  if (positionals.length === 0) throw cannotRun(`req ${command}: give at least one requirement.`);
  checkSessionOption(command, values.session);
  const ttl = values.ttl === undefined ? undefined : Number(values.ttl);
  if (ttl !== undefined && !(ttl > 0 && Number.isFinite(ttl)))
    throw cannotRun(`req ${command}: --ttl takes seconds above zero, not '${values.ttl}'.`);
  if (values.metadata !== undefined && jsonIn(values.metadata) === undefined)
    throw new Refusal(`req ${command}: --metadata is not JSON: ${values.metadata}`);
  const metadata = values.metadata === undefined ? undefined : jsonObjectIn(values.metadata);
  if (values.metadata !== undefined && metadata === undefined)
    throw cannotRun(`req ${command}: --metadata takes a JSON object, such as '{"ticket": 7}'.`);
  const branch = values.branch === true ? '' : values.branch;
  return { ...values, branch, names: [...new Set(positionals)], ttl: ttl && Math.ceil(ttl), metadata };
}

/** The project's requirements and their skills; refuses if a named one may not be satisfied. */
function allowedRequirements(command: string, { names, force, ttl }: SatisfyOptions, call: ProjectContext) {
  const config = loadConfig(call, call.chunks);
  const { requirements: known = [], skills = {} } = requirementsConfig(config) ?? {};
  const advice = [
    'Where to define it:',
    '  .holdpoint/config.yaml or .claude/requirements.yaml (this project)',
    '  .holdpoint/config.local.yaml or .claude/requirements.local.yaml (only here, not committed)',
    '  ~/.config/holdpoint/config.yaml or ~/.claude/requirements.yaml (all projects)',
    'Use --force to record it anyway.',
  ];
  const { disabled = [], unread = [] } = config?.head ?? {};
  const off = disabled.find(({ kind, name }) => kind === 'rule' && names.includes(name));
  if (!force && off !== undefined && !namesOf(known).includes(off.name))
    throw new Refusal(`'${off.name}' is off (${off.place}). \`req enable ${off.name}\` turns it on.`);
  if (!force && unread.length > 0 && !names.every((name) => namesOf(known).includes(name)))
    throw new Refusal(
      `Nothing was recorded: the config cannot be read (${unread.join(', ')}). \`req status\` shows why.`,
    );
  if (!force) refuseUnknown(names, namesOf(known), advice);
  const named = known.filter(({ name }) => names.includes(name));
  const onHub = named.map((one) => whyChannelNotAllowed('terminal', one)).find((why) => why !== undefined);
  if (onHub !== undefined) throw new Refusal(`${onHub}.`);
  refuseReserved(call, named);
  const permanent = named.find(({ scope }) => scope === 'permanent');
  if (ttl !== undefined && permanent !== undefined)
    throw new Refusal(
      `req ${command}: '${permanent.name}' is permanent and does not expire; leave --ttl out, or take it back later with 'req clear'.`,
    );
  return { known, skills };
}

function namesOf(requirements: readonly { readonly name: string }[]): string[] {
  return requirements.map(({ name }) => name);
}

function refuseUnknown(names: readonly string[], known: readonly string[], advice: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  const meant = near === undefined ? [] : ['Did you mean?', `  ${near}`];
  throw new Refusal([`Unknown requirement: '${unknown}'`, ...meant, ...advice].join('\n'));
}

function fileOf(branch: string, layout: Layout): DocumentRef {
  return branchFile(branch, (ref) => readDocument(layout, ref));
}

/** Only says so: the session may be mistyped, but may also start later. */
function unseenNote(session: KnownSession | undefined, call: ProjectContext): string[] {
  if (session?.how !== 'explicit') return [];
  const unseen = notStartedNote(session, call);
  const live = liveSessions(call.layout);
  const isLive = live.some(({ sessionId }) => isSameSessionName(session.id, sessionId));
  if (unseen.length > 0 || live.length === 0 || isLive) return unseen;
  const ids = live.map(({ id }) => id).join(', ');
  printError(`Note: ${session.key} is not a live session (live: ${ids}); recorded anyway.`);
  return [];
}

/** Only warns: the branch may be mistyped, but may also be created later. */
function warnIfUnknown(branch = '', { root, head, chunks }: ProjectContext): void {
  const isOther = branch !== '' && branch !== branchLabel(head);
  const existing = isOther ? existingBranches(root, chunks.askGit) : undefined;
  if (existing === undefined || existing.has(branch)) return;
  const near = nearest(branch, existing);
  const hint = near === undefined ? '' : ` Did you mean '${near}'?`;
  printError(`Note: there is no branch '${branch}' here; recorded anyway.${hint}`);
}

function successLines(
  command: 'satisfy' | 'approve',
  done: readonly Recorded[],
  branch: string,
  session?: KnownSession,
): string[] {
  const verb = command === 'approve' ? 'Approved' : 'Satisfied';
  if (session === undefined)
    return [
      `Using branch-level satisfaction for: ${branch}`,
      ...done.flatMap(({ name, way, ttl }) => [
        `${verb} '${name}' at branch level for ${branch}`,
        ...(way === 'approval' ? [durationLine(ttl, 'branch')] : []),
      ]),
    ];
  const intro = sessionLine(session);
  const [first, ...more] = done;
  const where = done.every(({ follows }) => follows) ? `session ${session.key}` : branch;
  const listed = done.map(({ name, scope }) => `- ${name} (${scope} scope)`);
  if (first === undefined || more.length > 0)
    return [intro, `${verb} ${done.length} requirement(s) for ${where}`, ...listed];
  const { name, scope, way, ttl } = first;
  if (way !== 'approval') return [intro, `${verb} '${name}' for ${where} (${scope} scope)`];
  return [intro, `Approved '${name}' for ${where}`, durationLine(ttl, scope)];
}

function durationLine(seconds = 0, scope: string): string {
  return `Duration: ${Math.floor(seconds / 60)}m ${Math.floor(seconds % 60)}s (${scope} scope)`;
}

export function clear(context: Context, values: ReqOptions, positionals: readonly string[]): ExitCode {
  checkSessionOption('clear', values.session);
  const names = values.all ? 'all' : [...new Set(positionals)];
  if (names.length === 0) throw new Refusal('Specify requirement name or use --all');
  const call = requireProject(context, 1);
  const { layout } = call;
  const branch = values.branch ?? branchLabel(call.head);
  if (names !== 'all') checkKnown(names, branch, call);
  const session = givenSession(values.session, call, 'req clear');
  const now = Math.floor(Date.now() / 1000);
  // A turn is held for what was triggered in it, so an agent can only take back what was satisfied.
  const isWhole = !mayBeAgent(call);
  const following = namesOf(requirementsIn(call).filter(followsSession)).filter((name) => isIn(names, name));
  // Permanent state is not kept per branch; `--branch` clears only that branch.
  const shared = values.branch === undefined ? [PROJECT_FILE] : [];
  const written = changeState(layout, 'Nothing was cleared', () =>
    clearChanges(layout, { names, following, branch, shared, session, isWhole, now }),
  );
  const about = names === 'all' ? '--all' : names.join(' ');
  if (written.length > 0) journalCommand(call, 'req clear', written, { session: session?.key, about });
  const branchOnly = names === 'all' ? names : names.filter((name) => !following.includes(name));
  const cleared = branchOnly === 'all' ? ['all requirements'] : branchOnly.map((name) => `'${name}'`);
  const lines = [
    ...(session === undefined ? [] : [sessionLine(session)]),
    ...cleared.map((what) => `Cleared ${what} for ${branch}`),
    ...following.map((name) => `Cleared '${name}' on all branches`),
  ].map((line) => styled('green', line));
  return report(context, { cleared: names, branch, session: session?.key ?? null }, lines);
}

interface Clearing {
  readonly names: readonly string[] | 'all';
  /** Those of them that a session satisfies on every branch. */
  readonly following: readonly string[];
  readonly branch: string;
  /** Further files in which they are cleared. */
  readonly shared: readonly DocumentRef[];
  /** Only what counts for this session. */
  readonly session: Named | undefined;
  /** Also forgets what was triggered. */
  readonly isWhole: boolean;
  /** Seconds since the epoch. */
  readonly now: number;
}

type Named = Pick<KnownSession, 'id' | 'key'>;

/** The changes that take back satisfactions. */
export function clearChanges(layout: Layout, clearing: Clearing): Change[] {
  const { names, following, branch, shared, session } = clearing;
  const here = [fileOf(branch, layout), ...shared].map(({ path }) => path);
  // Session-wide satisfaction counts here too, whichever branch it was recorded on.
  const files = readStateFiles(layout).flatMap((file) => {
    const isHere = here.includes(file.ref.path);
    if (!('state' in file) || !(isHere || file.kind === 'branch')) return [];
    return [
      { document: file.ref, state: migrateKeys(file.state), isHere, meant: isHere ? names : following },
    ];
  });
  // Approvals of the hub are marked as used, so that copying one back into the file has no effect.
  const holders = files.flatMap(({ state, meant }) => {
    const key = session && sessionKeyIn(state, session.id, session.key);
    const entries = Object.entries(objectIn(state, 'requirements')).filter(([name]) => isIn(meant, name));
    return entries.flatMap(([, entry]) => {
      const own = Object.entries(objectIn(entry, 'sessions')).filter(([one]) => (key ?? one) === one);
      return [entry, ...own.map(([, holder]) => holder)].filter(isJsonObject);
    });
  });
  return [
    ...files.map(({ document, isHere, meant }): Change => {
      return { document, what: 'cleared', apply: (state) => clearedState(state, meant, isHere, clearing) };
    }),
    { document: APPROVALS, what: 'cleared', apply: (current) => holders.reduce(withUsedApproval, current) },
  ];
}

function isIn(names: readonly string[] | 'all', name: string): boolean {
  return names === 'all' || names.includes(name);
}

/** Refuses a name that is neither in the config nor in the state: most likely a typo. */
function checkKnown(names: readonly string[], branch: string, call: ProjectContext): void {
  const recorded = [fileOf(branch, call.layout), PROJECT_FILE].flatMap((ref) =>
    Object.keys(objectIn(presentValue(readDocument(call.layout, ref)), 'requirements')),
  );
  refuseUnknown(
    names,
    [...namesOf(requirementsIn(call)), ...recorded],
    ['It is neither in the config nor in the state of this branch; see `req status` and `req list`.'],
  );
}

/** The keys of an entry that count for every session. */
const FOR_EVERYBODY = ['satisfied', 'satisfied_at', 'satisfied_by', 'expires_at', 'metadata'];

/**
 * What is left of an entry, `undefined` if nothing. With `isHere` what counts for every session goes too, since it
 * would count for this one; without `isWhole` what was triggered stays.
 */
function entryLeft(
  entry: Json | undefined,
  session: string | undefined,
  isHere: boolean,
  isWhole: boolean,
): JsonObject | undefined {
  const kept = withoutKeys(entry, isHere ? FOR_EVERYBODY : []);
  const isMeant = (key: string): boolean => session === undefined || session === key;
  const meant = (name: string): string[] => Object.keys(objectIn(kept, name)).filter(isMeant);
  const own = objectIn(kept, 'sessions');
  if (!isWhole) {
    const triggers = meant('sessions').map(
      (key) => [key, withoutKeys(own[key], [...FOR_EVERYBODY, 'taken'])] as const,
    );
    return { ...kept, sessions: { ...own, ...Object.fromEntries(triggers) } };
  }
  const sessions = withoutKeys(own, meant('sessions'));
  if (!isHere) return { ...kept, sessions };
  const triggered = withoutKeys(kept['triggered_sessions'], meant('triggered_sessions'));
  if (Object.keys({ ...sessions, ...triggered }).length === 0) return undefined;
  return { ...kept, sessions, ...('triggered_sessions' in kept && { triggered_sessions: triggered }) };
}

/** Clears the entries of these names; returns the same state if nothing changes. */
function clearedState(
  state: Json | undefined,
  names: readonly string[] | 'all',
  isHere: boolean,
  { session, isWhole, now }: Clearing,
): Json | undefined {
  const migrated = migrateKeys(state);
  if (!isJsonObject(migrated) || !isJsonObject(state)) return state;
  const before = objectIn(migrated, 'requirements');
  const key = session && sessionKeyIn(migrated, session.id, session.key);
  const entries = Object.entries(before).map(([name, entry]) => {
    return [name, isIn(names, name) ? entryLeft(entry, key, isHere, isWhole) : entry] as const;
  });
  const after = Object.fromEntries(entries.filter(([, entry]) => entry !== undefined));
  const isSame = JSON.stringify(after) === JSON.stringify(before);
  return isSame ? state : { ...state, updated_at: now, requirements: after };
}

function withoutKeys(value: Json | undefined, keys: readonly string[]): JsonObject {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter(([key]) => !keys.includes(key)));
}
