import { spawn } from 'node:child_process';
import type { Spoken } from './wire';

/** Runs the one-shot hook for Claude Code on a document. */
export function runAlone(
  dist: string,
  document: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Spoken> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`${dist}/hook.cjs`, '--host', 'claude-code'], { env });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (piece: Buffer) => stdout.push(piece));
    child.stderr.on('data', (piece: Buffer) => stderr.push(piece));
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? 1, stdout: text(stdout), stderr: text(stderr) }));
    // A hook that has nothing to look at ends without reading.
    child.stdin.on('error', () => undefined);
    child.stdin.end(document);
  });
}

function text(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces).toString('utf8');
}
