import { join } from 'node:path';
import { expect } from 'vitest';
import { EDIT, type Events, eventsIn, KEY, SESSION } from './events';
import { at, type Ended, type HostDocument, makeRig, type Rig } from './rig';

/** Nothing said, and nothing wrong. */
export const SILENT = { stdout: '', stderr: '', exitCode: 0 };
export const STATE = '.git/requirements/feature-auth.json';
export const secondsNow = (): number => Math.floor(Date.now() / 1000);

/** A project with requirements, and what stands in its files. */
export interface Project {
  readonly rig: Rig;
  readonly on: Events;
  edit(more?: HostDocument): Ended;
  bash(command: string, more?: HostDocument): Ended;
  /** Any event that the client knows, by its name. */
  send(name: string, members?: HostDocument): Ended;
  skill(name: string, more?: HostDocument): Ended;
  /** `req satisfy`; the test fails here when it does not succeed. */
  satisfy(...args: string[]): void;
  entry(name: string, branchSlug?: string): unknown;
  /** The entry of the scenarios' own session. */
  own(name: string): unknown;
  sessionKeys(name: string): string[];
  registry(): unknown;
  metrics(key?: string): unknown;
  /** Puts a state in the place of the branch's. */
  writeState(requirements: unknown, more?: HostDocument): void;
}

/** `like`: what is there in the beginning, made by `template`. */
export function projectWith(config?: string, file?: string, like?: string): Project {
  const rig = makeRig(config, file, like);
  const on = eventsIn(rig);
  const send: Project['send'] = (hook_event_name, members = {}) =>
    rig.hook({ session_id: SESSION, hook_event_name, cwd: rig.repo, ...members });
  const entry: Project['entry'] = (name, slug = 'feature-auth') =>
    at(rig.readJson(`.git/requirements/${slug}.json`), 'requirements', name);
  return {
    rig,
    on,
    send,
    entry,
    edit: (more) => rig.hook(on.pre('Edit', EDIT, more)),
    bash: (command, more) => rig.hook(on.pre('Bash', { command }, more)),
    skill: (name, more) => rig.hook(on.post('Skill', { skill: name }, more)),
    satisfy: (...args) => {
      const done = rig.req(['satisfy', ...args]);
      expect(done, done.stderr).toMatchObject({ exitCode: 0 });
    },
    own: (name) => at(entry(name), 'sessions', KEY),
    sessionKeys: (name) => Object.keys((at(entry(name), 'sessions') ?? {}) as object).sort(),
    registry: () => at(rig.readJson(join(rig.home, '.claude/sessions.json')), 'sessions'),
    metrics: (key = KEY) => rig.readJson(`.git/requirements/sessions/${key}.json`),
    writeState: (requirements, more) => rig.write(STATE, JSON.stringify({ requirements, ...more })),
  };
}

/** A requirements file in which these stand, and nothing of anybody else's. */
export function configWith(requirements: string, more = ''): string {
  return `{inherit: false, ${more === '' ? '' : `${more}, `}requirements: {${requirements}}}`;
}

/** What the agent is told beside the decision. */
export function contextOf({ json }: Ended): string {
  return String(at(json, 'hookSpecificOutput', 'additionalContext') ?? '');
}
