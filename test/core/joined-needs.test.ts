import { describe, expect, it } from 'vitest';
import type { DocumentRef } from '../../src/core/document';
import { joinedNeeds } from '../../src/core/joined-needs';
import type { Needs } from '../../src/core/snapshot';

const ref = (path: string): DocumentRef => ({ base: 'own', path, format: 'json', keeping: 'counted' });
const effects = { command: 'git push', testCommands: [] };

describe('what several guards ask for', () => {
  it('is what one asks for, where it is one', () => {
    const only: Needs = { documents: [ref('a')], env: ['HOME'] };
    expect(joinedNeeds([only])).toBe(only);
  });

  it('is all of their documents, files and variables, in their order', () => {
    const joined = joinedNeeds([
      { documents: [ref('a')], files: [{ path: 'x' }], env: ['A'] },
      {},
      { documents: [ref('b'), ref('a')], files: [{ path: 'x', maxTextBytes: 9 }], env: ['B'] },
    ]);
    expect(joined).toMatchObject({
      documents: [ref('a'), ref('b'), ref('a')],
      files: [{ path: 'x' }, { path: 'x', maxTextBytes: 9 }],
      env: ['A', 'B'],
      sessions: false,
    });
    expect(Object.keys(joined)).not.toContain('transcript');
  });

  it('has the sessions as soon as one wants them', () => {
    expect(joinedNeeds([{}, { sessions: true }]).sessions).toBe(true);
  });

  it('is one command, one set of effects and one offset, those of whoever asks first', () => {
    const joined = joinedNeeds([
      { transcript: { lastText: true } },
      { command: 'ls', transcript: { tokensFrom: 7 } },
      { command: 'pwd', effects, transcript: { tokensFrom: 9 } },
    ]);
    expect(joined).toMatchObject({ command: 'ls', effects, transcript: { lastText: true, tokensFrom: 7 } });
  });
});
