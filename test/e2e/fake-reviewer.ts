import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rig } from './rig';

/** A program that answers as a reviewer does, on a PATH with little else. */
export interface FakeReviewer {
  readonly path: string;
  finds(violations: readonly object[]): void;
  findsNothing(): void;
  /** What an agent does that has dealt with every violation of a review file. */
  markAll(file: string, status: 'fixed' | 'skipped'): void;
}

export function fakeReviewer(rig: Rig, name: string): FakeReviewer {
  const path = join(rig.dir, 'tmp', 'bin');
  mkdirSync(path, { recursive: true });
  for (const tool of ['git', 'sh', 'cat', 'sleep']) {
    const found = execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
    if (!existsSync(join(path, tool))) symlinkSync(found, join(path, tool));
  }
  const answer = (value: object): void => writeFileSync(join(path, `${name}.answer`), JSON.stringify(value));
  writeFileSync(join(path, name), `#!/bin/sh\ncat > /dev/null\ncat '${path}/${name}.answer'\n`);
  chmodSync(join(path, name), 0o755);
  return {
    path,
    finds: (violations) => answer({ status: 'fail', violations }),
    findsNothing: () => answer({ status: 'pass', message: 'Nothing to say' }),
    markAll: (file, status) => {
      const review = JSON.parse(readFileSync(file, 'utf8')) as { violations: object[] };
      review.violations = review.violations.map((one) => ({ ...one, status, result: 'As it should be' }));
      writeFileSync(file, JSON.stringify(review, null, 2));
    },
  };
}
