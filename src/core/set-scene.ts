import { hostCalled } from '../hosts/host-table';
import { nextDecisionId } from '../state/journal';
import { detailOf, type Failure } from './failure';
import type { Watched } from './first-look';
import { type Guard, outcome } from './guard';
import type { GuardName } from './guard-name';
import { withoutLinks } from './linked-paths';
import { headFor } from './recalled';
import type { ActiveGuard, Scene } from './scene';
import { stopLimit } from './stop-limit';
import type { Surroundings } from './surroundings';
import { NOTHING } from './verdict';
import { withoutOldWords } from './without-old-words';

/** A scene, with what went wrong while it was set. */
export interface Stage {
  readonly scene: Scene;
  readonly failures: readonly Failure[];
}

/** Brings together what the event needs: its whole document, the git facts, and the guards that it concerns. */
export function setScene(watched: Watched, surroundings: Surroundings): Stage {
  const { env, chunks, now, startedAt, stead, parentPid = process.ppid, literal = false } = surroundings;
  const { glance, raw, project, selection, config } = watched;
  const failures = [...watched.failures];
  const guards = loadGuards(watched, chunks);
  if (guards.length > 0 && glance.sessionId === '' && !literal) {
    failures.push({ code: 'input.no-session', event: glance.hostEvent });
  }
  const git = project.git && headFor(project.git, chunks, stead);
  if (git?.position.kind === 'unreadable') {
    failures.push({ code: 'git.unreadable', file: git.position.file, detail: git.position.why });
  }
  const host = hostCalled(glance.host, chunks.host);
  const parsed = host.parse(raw, now, glance);
  const scene: Scene = {
    event:
      parsed.kind === 'turn.stop'
        ? withoutOldWords(parsed, project.layout)
        : withoutLinks(parsed, project.root),
    project,
    git,
    layout: project.layout,
    env,
    chunks,
    guards,
    rules: selection.rules,
    literal,
    problems: config?.head.problems ?? [],
    stopLimit: stopLimit(host.stopCap(env)),
    parentPid,
    stead,
    id: nextDecisionId(now, process.pid),
    startedAt,
  };
  return { scene, failures };
}

function loadGuards({ config, concerned }: Watched, chunks: Surroundings['chunks']): ActiveGuard[] {
  const guards: ActiveGuard[] = [];
  for (const index of concerned) {
    const compiled = config?.head.guards[index];
    if (config === undefined || compiled === undefined) continue;
    const { name, onError } = compiled;
    try {
      guards.push({ guard: chunks.guard(name), config: config.configOf(index), onError });
    } catch (error) {
      const failure = { code: 'guard.missing', guard: name, detail: detailOf(error) } as const;
      guards.push({ guard: absentGuard(name), config: null, onError, failure });
    }
  }
  return guards;
}

/** Stands where a guard could not be loaded: it says nothing, and its `on_error` speaks for it. */
function absentGuard(name: GuardName): Guard {
  return { name, interest: () => [], needs: () => ({}), decide: () => outcome(NOTHING) };
}
