import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import * as say from './messages';

/** What was asked of `serve`. */
export interface ServeOptions {
  /** For the process that serves. */
  readonly args: readonly string[];
  readonly http: boolean;
  readonly foreground: boolean;
  readonly stop: boolean;
  readonly status: boolean;
  readonly json: boolean;
}

const DEFAULT_PORT = '47131';
const LAST_PORT = 65_535;

/** `--http` may stand without a number, so the port is what stands behind it. */
export function serveOptions(args: readonly string[]): Result<ServeOptions, string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      idle: { type: 'string' },
      http: { type: 'boolean', default: false },
      foreground: { type: 'boolean', default: false },
      stop: { type: 'boolean', default: false },
      status: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const { idle, http, foreground, stop, status, json } = values;
  const [port = DEFAULT_PORT] = positionals;
  const extra = positionals[http ? 1 : 0];
  if (idle !== undefined && !(Number(idle) > 0)) return fail(say.IDLE_ABOVE_ZERO);
  if (extra !== undefined) return fail(say.oneTooMany(extra));
  if (!/^\d{1,5}$/.test(port) || Number(port) > LAST_PORT) return fail(say.notAPort(port));
  const passed = [...(idle === undefined ? [] : ['--idle', idle]), ...(http ? ['--http', port] : [])];
  return succeed({ args: passed, http, foreground, stop, status, json });
}
