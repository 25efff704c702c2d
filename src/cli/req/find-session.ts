import { sessionKey } from '../../domain/session-key';
import type { LiveSession } from '../../domain/snapshot';
import { processState } from '../../process/alive';
import { readDocument } from '../../store/documents';
import { REGISTRY, sessionsIn } from '../../store/sessions';
import type { OpenProject } from '../project';

/** The variables in which the hosts tell an agent's shell its session. */
const SESSION_VARIABLES = [
  'CLAUDE_CODE_SESSION_ID',
  'CODEX_SESSION_ID',
  'CODEX_THREAD_ID',
  'COPILOT_AGENT_SESSION_ID',
];

export type FoundSession =
  | { readonly kind: 'found'; readonly how: 'explicit' | 'detected'; readonly key: string }
  | { readonly kind: 'none'; readonly live: readonly LiveSession[] };

/** The session that is meant: the one given, the one whose shell this is, or the only live one of the project. */
export function findSession(
  given: string | undefined,
  project: OpenProject,
  env: Readonly<Record<string, string | undefined>>,
): FoundSession {
  const explicit = given === undefined ? undefined : sessionKey(given);
  if (explicit !== undefined) return { kind: 'found', how: 'explicit', key: explicit };
  for (const name of SESSION_VARIABLES) {
    const key = sessionKey(env[name] ?? '');
    if (key !== undefined) return { kind: 'found', how: 'detected', key };
  }
  const document = readDocument(project.layout, REGISTRY);
  const registry = document.kind === 'present' ? document.value : undefined;
  const live = sessionsIn(registry, Date.now(), processState).filter((session) => session.alive);
  const here = live.filter((session) => session.projectDir === project.root);
  const [only] = here;
  if (only !== undefined && here.length === 1) return { kind: 'found', how: 'detected', key: only.id };
  return { kind: 'none', live };
}
