import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROGRAM } from './project';
import { inClaudeCode, makeProject } from './rig';

inClaudeCode('holdpoint try with the real client', () => {
  it('shows the agent held, released and held in it, and leaves nothing behind', () => {
    const project = makeProject('');
    const shown = project.holdpoint(['try'], { env: { HOLDPOINT_TRY_CLIENT: PROGRAM } });
    expect(shown, shown.stderr).toMatchObject({ exitCode: 0, stderr: '' });
    const verdicts = shown.stdout.match(/→ [a-z ]+/g);
    // Reading, the first edit, the next one, the end of the turn, the fix, the end again.
    expect(verdicts).toEqual(['→ allowed', '→ held', '→ allowed', '→ held', '→ allowed', '→ allowed']);
    expect(readdirSync(project.tmp)).toEqual([]);
  });
});
