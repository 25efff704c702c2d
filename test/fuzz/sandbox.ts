import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { makeRig, type Rig } from '../e2e/rig';

/** A project among things that nobody may touch. */
export type Sandbox = Rig & {
  /** Where the hooks' processes stand. */
  readonly stand: string;
  /** Everything but what is ours to write, with a hash of its content. */
  surroundings(): string[];
};

const CONFIG =
  '{inherit: false, hooks: {stop: {verify_scopes: [session, branch, single_use]}}, requirements: {plan: {enabled: true}, notes: {enabled: true, stop_only: true, scope: branch, trigger_tools: [Read]}, once: {enabled: true, scope: single_use, trigger_tools: [{tool: Bash, command_pattern: "git\\\\s+commit"}]}, server: {enabled: true, scope: permanent, trigger_tools: ["mcp__srv__*"], message: "{req_name} {branch} {session_id}"}, alone: {enabled: true, type: guard, guard_type: single_session, trigger_tools: [NotebookEdit]}}}\n';

export function makeSandbox(): Sandbox {
  const rig = makeRig(CONFIG);
  const { dir, repo } = rig;
  const stand = join(dir, 'stand');
  for (const path of [stand, join(dir, 'outside'), join(repo, 'src')]) mkdirSync(path);
  for (const path of ['sentinel', 'outside/sentinel', 'stand/sentinel', 'w/src/sentinel', 'home/sentinel'])
    writeFileSync(join(dir, path), path);
  symlinkSync(join(dir, 'loop'), join(dir, 'loop'));
  execFileSync('mkfifo', [join(dir, 'fifo')]);
  return { ...rig, stand, surroundings: () => listing(dir, dir) };
}

const OURS = [
  /^w\/\.git\/(requirements|holdpoint)(\/|$)/,
  /^home\/\.claude(\/sessions\.json)?$/,
  /^home\/\.config(\/holdpoint(\/code(\/[^/]+)?)?)?$/,
];

function listing(base: string, dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    const name = relative(base, path);
    if (OURS.some((ours) => ours.test(name))) return entry.isDirectory() ? listing(base, path) : [];
    if (entry.isDirectory()) return [name, ...listing(base, path)];
    return [`${name} ${entry.isFile() ? hashOf(path) : lstatSync(path).mode}`];
  });
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
