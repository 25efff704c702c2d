import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DIST, type Stage } from './stage';

/**
 * Installs the hook for a host that works in the scratch repository. Returns the PATH for that host, on which our
 * commands are found by their names. Throws where the installation fails.
 */
export function wireClient(stage: Stage): string {
  const bin = join(stage.home, 'bin');
  mkdirSync(bin);
  for (const name of ['holdpoint', 'req']) {
    const file = join(bin, name);
    writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${join(DIST, `${name}.cjs`)}' "$@"\n`);
    chmodSync(file, 0o755);
  }
  const { exitCode, stdout, stderr } = stage.run('holdpoint', ['install', '--host', 'claude-code']);
  if (exitCode !== 0) throw new Error(`holdpoint install: ${stdout}${stderr}`);
  return [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(':');
}
