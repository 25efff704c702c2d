import { distinct } from '../../core/protection';
import { readMark } from '../../core/recording/mark';
import { isSameSessionName } from '../../core/text';
import { branchLabel } from '../../git/head';
import { requestsIn } from '../../guards/requirements/approvals';
import { APPROVALS, presentValue } from '../../guards/requirements/view';
import { readDocument } from '../../state/documents';
import { joinedIn } from '../../state/hub';
import { HUB, tailJournal } from '../../state/journal';
import { gatesSummary, weakerChecks } from '../gates/project';
import { inOrder, isWorthShowing } from '../log/entries';
import { type ProjectContext, requirementsConfig } from '../project';
import { readHeartbeats } from '../req/find-session';
import { statusesOf } from '../req/status';
import {
  coverageInSessions,
  type Facts,
  gatherFacts,
  guardStates,
  installHint,
  pauseIn,
  protectionOf,
  reasonsOf,
} from './protection';

export type Status = ReturnType<typeof gatherStatus>;

const RECENT = 5;

/** Collects the status. `own` is the session if a host asks about one of its own. */
export function gatherStatus(project: ProjectContext, own?: string) {
  const { layout } = project;
  const facts = gatherFacts(project, own);
  const { config, session, sessionId, unwritable, now } = facts;
  const guards = guardStates(facts);
  const protection = protectionOf(facts);
  const branch = branchLabel(project.head);
  const { requirements = [] } = requirementsConfig(config) ?? {};
  const ofHub = requirements.filter(({ approval }) => approval === 'hub');
  return {
    ...facts,
    branch,
    guards,
    protection,
    /** Whether running sessions call us but new ones would not. */
    isOnlyForLive: protection.state !== 'off' && facts.wiring.kind === 'none',
    installHint: installHint(project.git),
    problems: config?.head.problems ?? [],
    disabled: config?.head.disabled ?? [],
    switchedOff: distinct([...reasonsOf(guards, 'off'), ...protection.reasons]),
    recording: readMark(project),
    requirements: statusesOf(project, { branch, session: session ?? '', sessionId }),
    /** The requests that wait for a person. */
    waiting: requestsIn(presentValue(readDocument(layout, APPROVALS))),
    /** The rules that only the hub can approve; empty if this machine has joined no hub. */
    signed: joinedIn(presentValue(readDocument(layout, HUB))) ? ofHub.map(({ name }) => name) : [],
    gates: gatesSummary(project, config, now),
    weakerChecks: weakerChecks(layout),
    sessions: sessionStates(facts),
    // Without rules there is nothing to record, so it does not matter.
    unwritable: guards.length === 0 ? undefined : unwritable,
    recent: inOrder(tailJournal(layout, RECENT, isWorthShowing)),
  };
}

/** The live sessions of the project, each with its protection and when it was last seen. */
function sessionStates(facts: Facts) {
  const coverage = coverageInSessions(facts);
  const beats = readHeartbeats(facts.layout);
  return facts.sessions.map((one) => {
    const isUnchecked =
      facts.unwritable !== undefined ||
      facts.degraded.some(({ session }) => isSameSessionName(session, one.sessionId));
    const beat = beats.find(({ sessionId }) => isSameSessionName(sessionId, one.sessionId));
    const own = isUnchecked ? 'on in part' : coverage;
    const isPaused = pauseIn(facts.layout, one.sessionId, facts.now) !== undefined;
    return {
      ...one,
      // If nothing holds in any session, its pause and its failures do not matter.
      state: coverage === 'off' ? coverage : isPaused ? 'paused' : own,
      seenAt: Math.max(one.lastActive * 1000, beat?.at ?? 0),
    };
  });
}
