import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEY, OTHER_SESSION } from './events';
import { configWith, contextOf, type Project, projectWith, SILENT } from './requirements-project';
import { at, deniedBecause } from './rig';

let project: Project;

const ended = (value: number): void => project.rig.write('value', `${value}\n`);

/** The agent is told of a value that comes near its limit, and the call goes on. */
function warned(told: ReturnType<Project['edit']>): string {
  expect(told).toMatchObject({ exitCode: 0, stderr: '' });
  expect(at(told.json, 'hookSpecificOutput', 'permissionDecision')).toBeUndefined();
  return contextOf(told);
}

beforeEach(() => {
  project = projectWith(
    configWith(
      'size: {enabled: true, type: dynamic, calculator: cat value, thresholds: {warn: 5, block: 10}, cache_ttl: 0}',
    ),
  );
});
afterEach(() => project.rig.remove());

describe('a value between `warn` and `block`', () => {
  it('is told with its limit, and holds nothing', () => {
    ended(5);
    const text = warned(project.edit());
    expect(text).toContain('`size` is 5');
    expect(text).toContain('10');
    expect(text.split('\n').length).toBeLessThanOrEqual(10);
    expect(project.rig.hook(project.on.stop(false))).toMatchObject(SILENT);
    expect(project.rig.holdpoint(['log']).stdout).toMatch(/advised .*size/);
  });

  it('is told once in a while, not at every call', () => {
    ended(7);
    expect(warned(project.edit())).not.toBe('');
    expect(project.edit()).toMatchObject(SILENT);
    ended(8);
    expect(project.edit()).toMatchObject(SILENT);
    expect(warned(project.edit({ session_id: OTHER_SESSION }))).not.toBe('');
    project.rig.git('checkout', '-qb', 'other');
    expect(warned(project.edit())).not.toBe('');
  });

  it('is told again after as long as an approval would have lasted', () => {
    ended(7);
    project.rig.write(
      '.claude/requirements.yaml',
      configWith(
        'size: {enabled: true, type: dynamic, calculator: cat value, thresholds: {warn: 5, block: 10}, approval_ttl: 0}',
      ),
    );
    for (const _time of [1, 2]) expect(warned(project.edit())).toContain('`size` is 7');
  });

  it.each([0, 4, 4.9])('is not told below: %d', (value) => {
    ended(value);
    expect(project.edit()).toMatchObject(SILENT);
  });

  it('becomes a denial at the limit, and nothing where it was approved', () => {
    ended(10);
    deniedBecause(project.edit());
    project.satisfy('size', '--session', KEY);
    expect(project.edit()).toMatchObject(SILENT);
    ended(7);
    expect(project.edit()).toMatchObject(SILENT);
  });

  it('is shown by status', () => {
    ended(7);
    project.edit();
    expect(project.rig.req(['status', '-v', '-s', KEY]).stdout).toContain(
      'value 7, holds from 10, warns from 5',
    );
    const [size] = at(project.rig.req(['status', '--json', '-s', KEY]).json, 'requirements') as unknown[];
    expect(size).toMatchObject({ value: 7, threshold: 10, warn: 5, satisfied: true });
  });
});
