import { HOST_NAMES, type HostName } from './host-name';

export interface HookOptions {
  readonly host: HostName | undefined;
  /** All that was given, where something in it means nothing. */
  readonly odd: readonly string[] | undefined;
  readonly only: readonly string[];
}

/** Reads `--host NAME` and `--only A,B`, each also with `=`. What it does not know it passes over: a hook must run. */
export function optionsFrom(args: readonly string[]): HookOptions {
  if (args.length === 0) return { host: undefined, odd: undefined, only: [] };
  let read = 0;
  const flagValue = (flag: string): string | undefined => {
    const joined = args.find((arg) => arg.startsWith(`${flag}=`));
    if (joined !== undefined) {
      read += 1;
      return joined.slice(flag.length + 1);
    }
    const at = args.indexOf(flag);
    const value = at < 0 ? undefined : args[at + 1];
    if (value !== undefined) read += 2;
    return value;
  };
  const named = flagValue('--host');
  const host = HOST_NAMES.find((name) => name === named);
  const only = flagValue('--only') ?? '';
  return {
    host,
    odd: read === args.length && (host !== undefined || named === undefined) ? undefined : args,
    only: only.split(',').filter((name) => name !== ''),
  };
}
