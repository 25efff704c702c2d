import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { effectsOf } from '../../src/shell';
import { effectLines } from './effect-lines';

const at = (directory: string) =>
  directory === '/other' || directory.startsWith('/other/')
    ? { root: '/other', branch: 'trunk' }
    : directory === '/repo' || directory.startsWith('/repo/')
      ? { root: '/repo', branch: 'main' }
      : undefined;
test('print', () => {
  for (const f of readdirSync('test/shell/corpus')) {
    const lines = readFileSync('test/shell/corpus/' + f, 'utf8')
      .split('\n')
      .filter((l) => l.startsWith('$ ') || l.startsWith('>') || l.startsWith('# '));
    const out: string[] = [];
    let cmd: string | undefined;
    let raw: string[] = [];
    const flush = () => {
      if (cmd === undefined) return;
      out.push(
        '',
        ...raw,
        ...effectLines(
          effectsOf(cmd, {
            cwd: '/repo',
            home: '/home/me',
            branch: 'main',
            repositoryAt: at,
            testCommands: [['bin/verify', 'all']],
          }),
          '/repo',
        ).map((l) => '  ' + l),
      );
    };
    for (const l of lines) {
      if (l.startsWith('# ')) out.push(l);
      else if (l.startsWith('$ ')) {
        flush();
        cmd = l.slice(2);
        raw = [l];
      } else {
        cmd += '\n' + l.slice(2);
        raw.push(l);
      }
    }
    flush();
    writeFileSync('/tmp/corpus-' + f, out.join('\n') + '\n');
  }
});
