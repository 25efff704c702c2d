import type { Part } from './detect/survey';

/** A check under the name that it gets in the config. It runs in every entry point that names it. */
export interface ProposedCheck {
  readonly name: string;
  readonly command: string;
  /** Where the project says that it has this command. */
  readonly source: string;
  /** The parts of the project whose changes it is for. */
  readonly paths: readonly string[];
  /** False for what is only written down, to be switched on by who wants it. */
  readonly on: boolean;
}

/** Gives every check a name of its own; parts with the same command share one. */
export function proposedChecks(parts: readonly Part[]): readonly ProposedCheck[] {
  const made: ProposedCheck[] = [];
  for (const { path, kind, checks } of parts) {
    const quick = checks.some(({ purpose }) => purpose === 'test' || purpose === 'typecheck');
    for (const { purpose, command, source } of checks) {
      // A build leaves files behind and takes its time; it is a check only where there is nothing better.
      const on = purpose !== 'build' || !quick;
      const same = made.findIndex(
        (one) => one.command === command && one.on === on && !one.paths.includes(path),
      );
      const known = made[same];
      if (known !== undefined) {
        made[same] = { ...known, paths: [...known.paths, path] };
        continue;
      }
      const names = [
        purpose,
        `${purpose}-${path === '.' ? kind : slug(path)}`,
        `${purpose}-${slug(path)}-${kind}`,
      ];
      const name = names.find((each) => !made.some((one) => one.name === each));
      if (name !== undefined) made.push({ name, command, source, paths: [path], on });
    }
  }
  return made;
}

function slug(path: string): string {
  return (
    path
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'root'
  );
}
