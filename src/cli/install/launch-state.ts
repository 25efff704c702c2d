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
}

/** Reads back what `launchText` has written. Never runs it. */
export function launchState(home: string): LaunchState {
  const file = join(home, LAUNCH_FILE);
  const text = textIn(file);
  const node = wordAfter(text, /^holdpoint_node=(.*)$/m);
  const hook = wordAfter(text, /^holdpoint_hook=(.*)$/m);
  const copy = wordAfter(text, /\/holdpoint\/lib\/"(.*)\/hook\.cjs$/m);
  return {
    file,
    present: text !== undefined,
    ...(node !== undefined && { node }),
    nodeThere: node !== undefined && existsSync(node),
    ...(hook !== undefined && { hook }),
    hookThere: hook !== undefined && existsSync(hook),
    ...(copy !== undefined && { copy }),
    copyThere: copy !== undefined && existsSync(join(dirname(file), 'lib', copy, 'hook.cjs')),
  };
}

function wordAfter(text: string | undefined, pattern: RegExp): string | undefined {
  const word = pattern.exec(text ?? '')?.[1];
  return word?.slice(1, -1).replaceAll("'\\''", "'");
}
