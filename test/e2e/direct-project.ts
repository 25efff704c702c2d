import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, endOf, type Rig } from './rig';

/** What a settings file has for a call of a tool. */
export interface Handler {
  readonly type: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly timeout: number;
}

/** The handler of ours in a settings file; the last one where others have theirs. */
export function handlerIn(file: string): Handler {
  const settings = JSON.parse(readFileSync(file, 'utf8')) as {
    hooks: { PreToolUse: { hooks: Handler[] }[] };
  };
  const handler = settings.hooks.PreToolUse.flatMap(({ hooks }) => hooks).at(-1);
  if (handler === undefined) throw new Error(`${file} has no handler`);
  return handler;
}

/** Starts the program of a handler as a host does: without a shell. */
export function startDirectly(
  rig: Rig,
  { command, args = [] }: Pick<Handler, 'command' | 'args'>,
  input: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return endOf(spawn(command, args, { cwd: rig.repo, env: rig.environment(env) }), input);
}

/** An edit that the requirement of the rig forbids. */
export function editIn(rig: Rig, id: string, more: object = {}): string {
  return JSON.stringify({
    session_id: 's',
    hook_event_name: 'PreToolUse',
    cwd: rig.repo,
    tool_name: 'Edit',
    tool_input: { file_path: 'src/a.ts' },
    tool_use_id: id,
    ...more,
  });
}

export const settingsOf = (rig: Rig): string => join(rig.home, '.claude/settings.json');
export const clientOf = (rig: Rig): string => join(rig.home, '.config/holdpoint/client');

export function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
