import { HOST_NAMES, type HostName } from '../domain/host-name';

export interface HookOptions {
  readonly host: HostName | undefined;
  /** What was given for a host and is none. */
  readonly unknownHost: string | undefined;
  readonly only: readonly string[];
}

/** Reads `--host NAME` and `--only A,B`, each also with `=`. What it does not know it passes over: a hook must run. */
export function optionsFrom(args: readonly string[]): HookOptions {
  if (args.length === 0) return { host: undefined, unknownHost: undefined, only: [] };
  const flagValue = (flag: string): string | undefined => {
    const joined = args.find((arg) => arg.startsWith(`${flag}=`));
    if (joined !== undefined) return joined.slice(flag.length + 1);
    const at = args.indexOf(flag);
    return at < 0 ? undefined : args[at + 1];
  };
  const named = flagValue('--host');
  const host = HOST_NAMES.find((name) => name === named);
  const only = flagValue('--only') ?? '';
  return {
    host,
    unknownHost: host === undefined ? named : undefined,
    only: only.split(',').filter((name) => name !== ''),
  };
}
