import { nearest } from '../config/nearest';
import { HOST_NAMES } from './host-name';

const FLAGS = ['--host', '--only'];

/** Said where the hook was called with something that means nothing to it. The event is judged all the same. */
export function oddArguments(args: readonly string[]): string[] {
  const unread: string[] = [];
  const given = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const flag = FLAGS.find((name) => arg === name || arg.startsWith(`${name}=`));
    const value = arg === flag ? args[at + 1] : arg.slice(`${flag}=`.length);
    if (flag === undefined || value === undefined || given.has(flag)) unread.push(arg);
    else given.set(flag, value);
    if (arg === flag) at++;
  }
  const host = given.get('--host');
  const known: readonly string[] = HOST_NAMES;
  return [
    ...(host === undefined || known.includes(host) ? [] : [unknownHost(host)]),
    ...(unread.length === 0 ? [] : [passedOver(unread)]),
  ];
}

function unknownHost(name: string): string {
  const meant = nearest(name, HOST_NAMES);
  const hint = meant === undefined ? `the hosts are ${HOST_NAMES.join(', ')}` : `did you mean ${meant}?`;
  return `--host ${JSON.stringify(name)} is no host that Holdpoint knows (${hint}). Unless the event itself shows who sent it, it is read and answered in Claude Code's form.`;
}

function passedOver(args: readonly string[]): string {
  const shown = args.map((arg) => JSON.stringify(arg.slice(0, 40))).join(', ');
  return `the hook takes --host NAME and --only GUARD,… once each; ${shown} was passed over, and the event was judged all the same.`;
}
