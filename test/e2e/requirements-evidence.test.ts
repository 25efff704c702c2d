import { chmodSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KEY } from './events';
import { configWith, type Project, projectWith, SILENT, secondsNow } from './requirements-project';
import { deniedBecause, heldBecause } from './rig';

let project: Project;

function satisfiedWith(evidence: string): Project {
  project = projectWith(configWith(`plan: {enabled: true, evidence: ${evidence}}`));
  deniedBecause(project.edit());
  project.satisfy('plan', '--session', KEY);
  return project;
}

afterEach(() => project.rig.remove());

describe('evidence in files', () => {
  it('is needed beside the word of somebody, and counts as soon as it is there', () => {
    const { rig, edit } = satisfiedWith('{require_markers: ["## Steps", "## Tests"]}');
    expect(deniedBecause(edit())).toContain('there is no Markdown file in .claude/plans');
    rig.write('.claude/plans/a.md', '## Steps\n');
    expect(deniedBecause(edit())).toContain('plan');
    rig.write('.claude/plans/deep/b.md', '## Steps\n## Tests\n');
    expect(edit()).toMatchObject(SILENT);
  });

  it('alone is not enough', () => {
    project = projectWith(configWith('plan: {enabled: true, evidence: {require_markers: [x]}}'));
    project.rig.write('.claude/plans/a.md', 'x');
    deniedBecause(project.edit());
  });

  it('has to be in one file, not here and there', () => {
    const { rig, edit } = satisfiedWith('{dirs: [docs], require_markers: [one, two]}');
    rig.write('docs/a.md', 'one');
    rig.write('docs/b.md', 'two');
    rig.write('docs/c.txt', 'one two');
    deniedBecause(edit());
  });

  it.each([
    ['a verdict', '# Plan\n\n## Verdict\n\nAPPROVED\n', true],
    ['a verdict with the line ends of Windows', '# Plan\r\n\r\n## Verdict\r\n\r\nAPPROVED\r\n', true],
    ['the word in another section', '# APPROVED\n\n## Verdict\n\nno\n\n## Notes\n\nAPPROVED\n', false],
    ['no such section', 'APPROVED\n', false],
    ['the word in another word', '## Verdict\n\nDISAPPROVED\n', false],
    ['the word after a not', '## Verdict\n\nThis is NOT **APPROVED**.\n', false],
    ['the word after a not about something else', '## Verdict\n\nIt is not long. *APPROVED*\n', true],
    ['the word once without a not', '## Verdict\n\nFirst not APPROVED, now APPROVED.\n', true],
  ])('may ask for a verdict: %s', (_what, text, shown) => {
    const { rig, edit } = satisfiedWith('{require_verdict: APPROVED}');
    rig.write('.claude/plans/a.md', text);
    if (shown) expect(edit()).toMatchObject(SILENT);
    else expect(deniedBecause(edit())).toContain('plan');
  });

  it('may grow too old', () => {
    const { rig, edit } = satisfiedWith('{max_age_seconds: 100}');
    rig.write('.claude/plans/a.md', 'x');
    const file = join(rig.repo, '.claude/plans/a.md');
    utimesSync(file, secondsNow() - 200, secondsNow() - 200);
    deniedBecause(edit());
    utimesSync(file, secondsNow(), secondsNow());
    expect(edit()).toMatchObject(SILENT);
  });

  it('no longer counts once it is gone', () => {
    const { rig, edit } = satisfiedWith('{dirs: [plans], require_markers: [X]}');
    rig.write('plans/a.md', 'X');
    expect(edit()).toMatchObject(SILENT);
    rmSync(join(rig.repo, 'plans'), { recursive: true });
    expect(deniedBecause(edit())).toContain('there is no Markdown file in plans');
  });

  it('is found beside files that cannot be read', () => {
    const { rig, edit } = satisfiedWith('{require_markers: [x]}');
    rig.write('.claude/plans/a.md', 'x');
    chmodSync(join(rig.repo, '.claude/plans/a.md'), 0);
    rig.write('.claude/plans/b.md', 'x');
    expect(edit()).toMatchObject({ stdout: '', exitCode: 0 });
  });

  it('is asked for at the end of a turn too', () => {
    project = projectWith(
      configWith('plan: {enabled: true, stop_only: true, evidence: {require_markers: [x]}}'),
    );
    const { rig, on, edit, satisfy } = project;
    satisfy('plan', '--session', KEY);
    expect(edit()).toMatchObject(SILENT);
    heldBecause(rig.hook(on.stop(false)));
    rig.write('.claude/plans/a.md', 'x');
    expect(rig.hook(on.stop(false))).toMatchObject(SILENT);
  });
});

describe('evidence by a command', () => {
  it('has to end with exit code 0, in the project', () => {
    const { rig, edit } = satisfiedWith('{command: "test -f done.txt"}');
    expect(deniedBecause(edit())).toContain('`test -f done.txt` failed with exit code 1');
    rig.write('done.txt', '');
    expect(edit()).toMatchObject(SILENT);
  });

  it('is run for each call, and no longer counts once it fails', () => {
    const { rig, edit } = satisfiedWith('{command: "test ! -f broken"}');
    expect(edit()).toMatchObject(SILENT);
    rig.write('broken', '');
    expect(deniedBecause(edit())).toContain('failed with exit code 1');
  });

  it('writes nothing to what the host reads', () => {
    const { edit } = satisfiedWith('{command: "echo loud; echo louder >&2"}');
    expect(edit()).toMatchObject(SILENT);
  });
});
