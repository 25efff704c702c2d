import type { JsonObject } from '../../core/json';
import { isSameSessionName } from '../../core/text';
import { branchLabel, branchText } from '../../git/head';
import {
  answerChanges,
  type Request,
  requestsIn,
  whyChannelNotAllowed,
} from '../../guards/requirements/approvals';
import type { Requirement } from '../../guards/requirements/section';
import { scopeOf } from '../../guards/requirements/signed';
import { followsSession, isPerSession } from '../../guards/requirements/state';
import { APPROVALS, PROJECT_FILE, presentValue } from '../../guards/requirements/view';
import { type Document, type DocumentRef, type Layout, readDocument } from '../../state/documents';
import { isStillAsked } from '../../uplink/requests';
import { type Context, type ExitCode, type Options, Refusal, report } from '../context';
import { hintFor } from '../messages';
import { type ProjectContext, requirementsIn, requireProject } from '../project';
import { changeState, journalCommand, personOnlyText } from '../req/context';
import {
  checkSessionOption,
  findOrAskSession,
  givenSession,
  type KnownSession,
  notStartedNote,
  readRegistry,
  sessionList,
} from '../req/find-session';
import { clearChanges } from '../req/satisfy';
import { statusesOf } from '../req/status';
import { ago, printable, printError, styled, table } from '../ui/output';
import { requireYes } from '../ui/prompts';

type Verdict = 'approve' | 'reject';

export const answer =
  (verdict: Verdict) =>
  async (
    context: Context,
    values: Options<never, 'session' | 'note'>,
    given: readonly string[],
  ): Promise<ExitCode> => {
    checkSessionOption(verdict, values.session, 'holdpoint');
    const by = context.caller();
    if (by.actor !== 'person') throw new Refusal(personOnlyText(`${verdict} a rule`, context));
    const call = requireProject(context);
    const known = requirementsIn(call);
    const session = givenSession(values.session, call, `holdpoint ${verdict}`);
    const names = given.length > 0 ? [...new Set(given)] : [await onlyWaiting(verdict, session, call)];
    const rules = names.map((name) => ruleNamed(name, known));
    const { note } = values;
    const meant = await targets(rules, session, call);
    // What is written below counts as a sign of the session.
    const isOfSession = session !== undefined && rules.some((one) => isPerSession(scopeOf(one)));
    const unseen = isOfSession ? notStartedNote(session, call) : [];
    const { layout } = call;
    const now = Math.floor(Date.now() / 1000);
    const read = (ref: DocumentRef): Document => readDocument(layout, ref);
    const revoked = verdict === 'reject' ? meant.filter((one) => isSatisfied(one, call)) : [];
    const written = changeState(layout, `Nothing was ${PAST[verdict]}`, () =>
      meant.flatMap(({ requirement, whose }) => [
        ...(revoked.some((one) => one.requirement === requirement)
          ? revokeChanges(requirement, whose, now, layout)
          : []),
        ...answerChanges({ verdict, requirement, whose, channel: by.channel, note, now }, read),
      ]),
    );
    for (const session of new Set(meant.map(({ whose }) => whose.session))) {
      const about = meant.filter(({ whose }) => whose.session === session);
      const names = about.map(({ requirement }) => requirement.name).join(' ');
      journalCommand(call, verdict, written, { session, about: names });
    }
    const done = meant.map(({ requirement, whose: { session, branch } }): JsonObject => {
      return { rule: requirement.name, scope: scopeOf(requirement), session, branch };
    });
    const said = { actor: by.actor, channel: by.channel, note: note ?? null };
    return report(context, { [PAST[verdict]]: done, ...said }, [
      ...meant.map((one) => {
        const was = !revoked.includes(one) ? 'open' : isSatisfied(one, call) ? 'kept' : 'revoked';
        return styled(was === 'kept' ? 'yellow' : 'green', doneLine(verdict, one, was));
      }),
      ...unseen,
    ]);
  };

const PAST = { approve: 'approved', reject: 'rejected' } as const;

type Target = Awaited<ReturnType<typeof targets>>[number];

/** `kept`: the rule is still satisfied, by its own condition or value. */
type Before = 'open' | 'revoked' | 'kept';

function doneLine(
  verdict: Verdict,
  { requirement, whose: { session, branch } }: Target,
  before: Before,
): string {
  const { name } = requirement;
  const reach = {
    session: `for session ${session}`,
    single_use: `for one call of session ${session}`,
    branch: `for every session on ${branch}`,
    permanent: 'for this project',
  };
  const where = reach[scopeOf(requirement)];
  if (verdict === 'approve') return `Approved ${name} ${where}.`;
  const rejected = `Rejected ${name} for session ${session}.`;
  if (before === 'kept')
    return `${rejected} But its condition is met now, so it does not hold; the agent reads it when the rule holds again.`;
  const revoked = before === 'revoked' ? ` It was satisfied; that is taken back ${where}.` : '';
  return `${rejected}${revoked} The agent reads it at its next attempt.`;
}

function isSatisfied({ requirement, whose }: Target, call: ProjectContext): boolean {
  return statusesOf(call, whose).some(({ name, isOpen }) => name === requirement.name && !isOpen);
}

/** Takes back the satisfaction of a rule and keeps what triggered it, so that it holds the end of the turn too. */
function revokeChanges(requirement: Requirement, whose: Target['whose'], now: number, layout: Layout) {
  const { name } = requirement;
  return clearChanges(layout, {
    names: [name],
    following: followsSession(requirement) ? [name] : [],
    branch: whose.branch,
    shared: [PROJECT_FILE],
    session: { key: whose.session, id: whose.sessionId || whose.session },
    isWhole: false,
    now,
  });
}

/** The only rule that waits, after showing it to the person and asking. */
async function onlyWaiting(
  verdict: Verdict,
  session: KnownSession | undefined,
  call: ProjectContext,
): Promise<string> {
  const waits = waitingIn(call).filter((one) => isOf(one, session));
  const [only, ...more] = waits;
  if (only === undefined) throw new Refusal(NOTHING_WAITS);
  if (more.length > 0) {
    const which = `Say which: \`holdpoint ${verdict} NAME\`.`;
    throw new Refusal([`${waits.length} rules wait for a person. ${which}`, ...rows(waits)].join('\n'));
  }
  for (const line of rows([only])) printError(line);
  await requireYes(`${verdict === 'approve' ? 'Approve' : 'Reject'} it?`, 'Nothing was changed.');
  return only.rule;
}

function isOf({ sessionId, session: key }: Request, session: KnownSession | undefined): boolean {
  return session === undefined || isSameSessionName(session.id, sessionId || key);
}

function ruleNamed(name: string, known: readonly Requirement[]): Requirement {
  const found = known.find((one) => one.name === name);
  const why = found && whyChannelNotAllowed('terminal', found);
  if (found !== undefined && why === undefined) return found;
  if (why !== undefined) throw new Refusal(`${why}.`);
  const names = known.map((one) => one.name);
  const hint = names.length === 0 ? 'The config has no requirement.' : hintFor(name, names);
  throw new Refusal(`Unknown rule '${name}'. ${hint}`);
}

/** The session each answer is for: the given one, the one that asked for the rule, or the only live one. */
async function targets(
  rules: readonly Requirement[],
  session: KnownSession | undefined,
  call: ProjectContext,
) {
  const waits = waitingIn(call).filter((one) => isOf(one, session));
  const open = rules.map((requirement) => {
    return { requirement, asking: waits.filter(({ rule }) => rule === requirement.name) };
  });
  const unclear = open.find(({ asking }) => asking.length > 1);
  if (unclear !== undefined) {
    const { requirement, asking } = unclear;
    const head = `${asking.length} sessions wait for ${requirement.name}. Choose one with --session ID:`;
    throw new Refusal([head, ...rows(asking)].join('\n'));
  }
  const isAsked = open.every(({ asking }) => asking.length > 0);
  const found = session ?? (isAsked ? undefined : await findOrAskSession(undefined, call));
  if (found?.kind === 'none')
    throw new Refusal(
      `Nobody has asked for ${rules.map(({ name }) => name).join(', ')} yet. Choose the session with --session ID.\n${sessionList(call)}`,
    );
  const branch = branchLabel(call.head);
  return open.map(({ requirement, asking: [request] }) => {
    const { key = '', id = '' } = found ?? {};
    return { requirement, whose: request ?? { session: key, sessionId: id, project: call.root, branch } };
  });
}

const NOTHING_WAITS =
  'Nothing waits for a person here. When a rule with `agent_may_satisfy: false` holds an agent, it is listed by `holdpoint waiting`.';

export function waiting(context: Context): ExitCode {
  const waits = waitingIn(requireProject(context));
  const value = waits.map(({ rule, session, project, branch, since, channel }) => {
    return { rule, session, project, branch, since: new Date(since * 1000).toISOString(), channel };
  });
  const here = waits.filter(({ channel }) => channel !== 'hub');
  const name = here.length > 1 ? 'NAME' : here[0]?.rule;
  const isInSession = waits.some(({ channel }) => ['question', 'dialog', 'command'].includes(channel));
  const how = `Answer ${isInSession ? 'in the session, or ' : ''}here: \`holdpoint approve ${name}\`, \`holdpoint reject ${name} --note TEXT\`.`;
  const hint = here.length === 0 ? [] : [styled('dim', how)];
  return report(context, value, waits.length === 0 ? [NOTHING_WAITS] : [...rows(waits), ...hint]);
}

/** How the person can answer, by channel. */
const WAYS: Readonly<Record<string, string>> = {
  question: 'asked in the session',
  dialog: "the agent's own dialog asks",
  command: 'a line typed in the session answers',
  terminal: 'only here',
  hub: "only on the hub's page",
};

function rows(waits: readonly Request[]): string[] {
  const now = Date.now() / 1000;
  const cells = waits.map(({ rule, session, branch, since, channel, description }) => {
    const how = [WAYS[channel] ?? channel, printable(description).slice(0, 80)];
    return [`  ${rule}`, session, branchText(branch), ago(now - since), ...how];
  });
  return table(cells);
}

/** Open requests of sessions that still run, oldest first. */
function waitingIn(project: ProjectContext): Request[] {
  const { layout } = project;
  const now = Date.now();
  const { sessions } = readRegistry(layout, now);
  const isOpen = (request: Request): boolean =>
    statusesOf(project, request).some(({ name, isOpen }) => name === request.rule && isOpen);
  return requestsIn(presentValue(readDocument(layout, APPROVALS)))
    .filter((request) => isStillAsked(request, sessions, now) && isOpen(request))
    .sort((a, b) => a.since - b.since);
}
