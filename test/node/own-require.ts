import { createRequire } from 'node:module';
import { afterAll, beforeAll } from 'vitest';

const slot = globalThis as { nodeRequire?: (name: string) => unknown };

/** Gives the stand-ins Node's own `require`, as a first chunk has it; only then may they be imported. */
export function withOwnRequire<T>(load: () => Promise<T>, use: (standIns: T) => void): void {
  beforeAll(async () => {
    slot.nodeRequire = createRequire(import.meta.url);
    use(await load());
  });
  afterAll(() => {
    delete slot.nodeRequire;
  });
}
