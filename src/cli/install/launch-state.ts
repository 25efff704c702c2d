import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LAUNCH_FILE } from './start-line';
import { textIn } from './text-in';

/** What the launch file of a home leads to now. */
export interface LaunchState {
  readonly file: string;
  readonly present: boolean;
  /** Node as it was noted at the installation. */
  readonly node?: string;
  readonly nodeThere: boolean;
  /** The hook as it was noted at the installation. */
  readonly hook?: string;
  readonly hookThere: boolean;
  /** The name of the copy that takes its place when it is gone. */
  readonly copy?: string;
  readonly copyThere: boolean;
  /** Where a server is asked first: its socket, and the program that reaches it with the form in which it is called. */
  readonly resident?: { readonly socket: string; readonly client: string; readonly form: string };
}

/** Reads back what `launchText` has written. Never runs it. */
export function launchState(home: string): LaunchState {
  const file = join(home, LAUNCH_FILE);
  const text = textIn(file);
  const node = wordAfter(text, /^holdpoint_node=(.*)$/m);
  const hook = wordAfter(text, /^holdpoint_hook=(.*)$/m);
  const copy = wordAfter(text, /\/holdpoint\/lib\/"(.*)\/hook\.cjs$/m);
  const socket = wordAfter(text, /^holdpoint_socket=(.*)$/m);
  const client = wordAfter(text, /^holdpoint_client=(.*)$/m);
  const form = /^# by: (.*)$/m.exec(text ?? '')?.[1] ?? '';
  return {
    file,
    present: text !== undefined,
    ...(node !== undefined && { node }),
    nodeThere: node !== undefined && existsSync(node),
    ...(hook !== undefined && { hook }),
    hookThere: hook !== undefined && existsSync(hook),
    ...(copy !== undefined && { copy }),
    copyThere: copy !== undefined && existsSync(join(dirname(file), 'lib', copy, 'hook.cjs')),
    ...(socket !== undefined && client !== undefined && { resident: { socket, client, form } }),
  };
}

function wordAfter(text: string | undefined, pattern: RegExp): string | undefined {
  const word = pattern.exec(text ?? '')?.[1];
  return word?.slice(1, -1).replaceAll("'\\''", "'");
}
