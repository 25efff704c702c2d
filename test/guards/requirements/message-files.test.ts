import { describe, expect, test } from 'vitest';
import type { RequirementsConfig } from '../../../src/guards/requirements/config';
import { type Files, printed, readFiles } from '../../config/scratch';

const CONFIG = { '.claude/requirements.yaml': 'requirements:\n  plan: {enabled: true}\n' };
const GLOBAL = '~/.claude/messages/plan.yaml';
const PROJECT = '.claude/messages/plan.yaml';
const LOCAL = '.claude/messages.local/plan.yaml';

function compiled(files: Files): RequirementsConfig | undefined {
  return readFiles(files).guards[0]?.config as unknown as RequirementsConfig | undefined;
}

function plan(files: Files) {
  return compiled({ ...CONFIG, ...files })?.requirements[0];
}

describe('a message file', () => {
  test('brings the words of its requirement', () => {
    const files = { [PROJECT]: 'blocking_message: Plan first.\nshort_message: Still no plan.\n' };
    expect(plan(files)).toMatchObject({ message: 'Plan first.', shortMessage: 'Still no plan.' });
    expect(printed(readFiles({ ...CONFIG, ...files }))).toBe('');
  });

  test('of a higher layer counts alone: what it leaves out is not taken from a lower one', () => {
    const low = { [GLOBAL]: 'blocking_message: global\nshort_message: global\n' };
    const middle = { ...low, [PROJECT]: 'blocking_message: project\n' };
    expect(plan(low)).toMatchObject({ message: 'global', shortMessage: 'global' });
    expect(plan(middle)).toMatchObject({ message: 'project' });
    expect(plan(middle)).not.toHaveProperty('shortMessage');
    expect(plan({ ...middle, [LOCAL]: 'short_message: local\n' })).toMatchObject({ shortMessage: 'local' });
    expect(plan({ ...middle, [LOCAL]: 'short_message: local\n' })).not.toHaveProperty('message');
  });

  test.each([
    ['message: own', 'own'],
    ['type: guard, guard_type: single_session', 'file'],
    ['type: guard, guard_type: single_session, message: own', 'own'],
    ['type: dynamic, calculator: x, thresholds: {block: 1}', 'file'],
    ['type: dynamic, calculator: x, thresholds: {block: 1}, blocking_message: own', undefined],
  ])('speaks only where the requirement has no words of its own: %s', (said, message) => {
    const requirement = plan({
      '.claude/requirements.yaml': `requirements:\n  plan: {enabled: true, ${said}}\n`,
      [PROJECT]: 'blocking_message: file\n',
    });
    expect(requirement?.message).toBe(message);
  });

  test('of the home is not taken over by a project that inherits nothing', () => {
    const files = {
      '.claude/requirements.yaml': 'inherit: false\nrequirements:\n  plan: {enabled: true}\n',
      [GLOBAL]: 'blocking_message: global\n',
    };
    expect(plan(files)).not.toHaveProperty('message');
  });

  test('may hold the other keys of the older program', () => {
    const text = 'version: "1.0"\nsuccess_message: a\nheader: b\naction_label: c\nfallback_text: d\n';
    expect(printed(readFiles({ ...CONFIG, [PROJECT]: text }))).toBe('');
  });

  test('with a mistake loses that key alone', () => {
    const read = readFiles({
      ...CONFIG,
      [PROJECT]: 'blocking_message: 5\nshort_message: s\nblokcing: x\n',
    });
    expect(read.guards).toMatchObject([{ config: { requirements: [{ shortMessage: 's' }] } }]);
    expect(read.diagnostics).toMatchObject([
      { code: 'config.wrong-type', place: { file: PROJECT, line: 1 }, switchesOff: 'blocking_message' },
      { code: 'config.unknown-key', place: { file: PROJECT, line: 3 } },
    ]);
  });

  test('alone configures nothing and does not bring the global requirements into a project', () => {
    const words = { [PROJECT]: 'blocking_message: m\n' };
    expect(readFiles(words).guards).toEqual([]);
    expect(
      compiled({ ...words, '~/.claude/requirements.yaml': 'requirements:\n  plan: {enabled: true}\n' }),
    ).toMatchObject({ reach: 'global-only' });
  });
});

test('templates are accepted, with one warning a file', () => {
  const read = readFiles({
    ...CONFIG,
    '.claude/messages/_templates.yaml': 'blocking: {header: x}\nguard: {header: x}\n',
    '.claude/messages/_status.yaml': 'briefing: x\n',
  });
  expect(read.diagnostics).toMatchObject([
    {
      code: 'config.not-read',
      severity: 'warning',
      message: '`_status.yaml` is accepted, but nothing reads it',
      place: { file: '.claude/messages/_status.yaml', line: 1 },
    },
    { code: 'config.not-read', place: { file: '.claude/messages/_templates.yaml', line: 1 } },
  ]);
});
