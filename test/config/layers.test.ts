import { describe, expect, test } from 'vitest';
import { type Files, printed, readFiles } from './scratch';

const GLOBAL = '~/.claude/requirements.yaml';
const PROJECT = '.claude/requirements.yaml';
const LOCAL = '.claude/requirements.local.yaml';

const plan = (rest: string): string => `requirements:\n  commit_plan: {enabled: true, ${rest}}\n`;

function requirementsOf(files: Files): { name: string; scope: string; triggers: unknown[] }[] {
  const read = readFiles(files);
  const config = read.guards[0]?.config as {
    requirements: { name: string; scope: string; triggers: unknown[] }[];
  };
  return config?.requirements ?? [];
}

describe('the cascade', () => {
  test('local wins over project, project over global', () => {
    const files = { [GLOBAL]: plan('scope: session'), [PROJECT]: plan('scope: branch') };
    expect(requirementsOf(files)).toMatchObject([{ scope: 'branch' }]);
    expect(requirementsOf({ ...files, [LOCAL]: plan('scope: session') })).toMatchObject([
      { scope: 'session' },
    ]);
  });

  test('lists are replaced, not joined', () => {
    const files = {
      [GLOBAL]: plan('trigger_tools: [Edit, Write]'),
      [PROJECT]: plan('trigger_tools: [Bash]'),
    };
    expect(requirementsOf(files)).toMatchObject([{ triggers: [{ kind: 'tool', tool: 'Bash' }] }]);
  });

  test('mappings merge key by key', () => {
    const files = {
      [GLOBAL]: 'requirements:\n  commit_plan: {enabled: true, scope: branch}\n  other: {enabled: true}\n',
      [PROJECT]: 'requirements:\n  commit_plan: {message: plan first}\n',
    };
    expect(requirementsOf(files)).toMatchObject([
      { name: 'commit_plan', scope: 'branch', message: 'plan first' },
      { name: 'other', scope: 'session' },
    ]);
  });

  test('an empty key replaces nothing', () => {
    const files = { [GLOBAL]: plan('scope: branch'), [PROJECT]: 'requirements:\n', [LOCAL]: plan('scope: ') };
    expect(requirementsOf(files)).toMatchObject([{ name: 'commit_plan', scope: 'branch' }]);
  });

  test('a value of another kind replaces a mapping, and its own place is named', () => {
    const read = readFiles({
      [GLOBAL]: plan('scope: branch'),
      [PROJECT]: 'requirements:\n  commit_plan: true\n',
    });
    expect(read.diagnostics).toMatchObject([{ place: { file: PROJECT, line: 2, column: 16 } }]);
  });

  test('our own files and the seed files are the same layers', () => {
    const files = {
      '~/.config/holdpoint/config.yaml': plan('scope: permanent'),
      [PROJECT]: plan('scope: branch'),
      '.holdpoint/config.local.yaml': plan('description: mine'),
    };
    expect(requirementsOf(files)).toMatchObject([{ scope: 'branch', description: 'mine' }]);
  });

  test('the place of a requirement is its name in the highest file that has it', () => {
    const files = { [GLOBAL]: plan('scope: session'), [LOCAL]: `# note\n${plan('scope: branch')}` };
    expect(requirementsOf(files)).toMatchObject([{ place: `${LOCAL}:3:3` }]);
  });
});

describe('inherit: false', () => {
  const global = {
    [GLOBAL]: 'requirements:\n  theirs: {enabled: true}\n',
    '~/.config/holdpoint/config.yaml': 'guards: {requirements: {on_error: hold}}\n',
  };
  const ours = 'requirements:\n  ours: {enabled: true}\n';
  const names = (files: Files): string[] => requirementsOf(files).map(({ name }) => name);

  test('in the project drops global requirements', () => {
    expect(names({ ...global, [PROJECT]: `inherit: false\n${ours}` })).toEqual(['ours']);
  });

  test('in the local file too', () => {
    expect(names({ ...global, [PROJECT]: ours, [LOCAL]: 'inherit: false\n' })).toEqual(['ours']);
  });

  test('in the local file wins over the project', () => {
    const files = { ...global, [PROJECT]: `inherit: false\n${ours}`, [LOCAL]: 'inherit: true\n' };
    expect(names(files)).toEqual(['theirs', 'ours']);
  });

  test('in a requirements file concerns requirements alone; in ours, everything', () => {
    const seed = readFiles({ ...global, [PROJECT]: `inherit: false\n${ours}` });
    expect(seed.guards).toMatchObject([{ onError: 'hold' }]);
    const own = readFiles({ ...global, '.holdpoint/config.yaml': `inherit: false\n${ours}` });
    expect(own.guards).toMatchObject([{ onError: 'allow', config: { requirements: [{ name: 'ours' }] } }]);
  });

  test('may stand in both files of a layer', () => {
    const read = readFiles({
      [PROJECT]: 'inherit: false\n',
      '.holdpoint/config.yaml': `inherit: false\n${ours}`,
    });
    expect(printed(read)).toBe('');
  });
});

describe('defined in both places', () => {
  test('our file stays in force, and the rest of the seed file holds', () => {
    const read = readFiles({
      '.holdpoint/config.yaml': plan('scope: branch'),
      [PROJECT]: `${plan('scope: session')}hooks:\n  stop: {verify_requirements: false}\n`,
    });
    expect(read.diagnostics.map(({ code }) => code)).toEqual(['config.defined-twice']);
    expect(read.guards).toMatchObject([
      { config: { requirements: [{ scope: 'branch' }], stop: { verify: false } } },
    ]);
  });

  test('is no error across layers', () => {
    const read = readFiles({
      '.holdpoint/config.yaml': plan('scope: branch'),
      [LOCAL]: plan('scope: session'),
    });
    expect(read.diagnostics).toEqual([]);
    expect(read.guards).toMatchObject([{ config: { requirements: [{ scope: 'session' }] } }]);
  });
});

test('what was read is told file by file, and as one', () => {
  const read = readFiles({ [GLOBAL]: 'enabled: true\n', '.holdpoint/config.yaml': 'hooks:\n  stop: {}\n' });
  expect(read.sources.map(({ shown, layer, value }) => ({ shown, layer, value }))).toEqual([
    { shown: GLOBAL, layer: 'global', value: { enabled: true } },
    { shown: '.holdpoint/config.yaml', layer: 'project', value: { hooks: { stop: {} } } },
  ]);
  expect(read.model.value).toEqual({ 'requirements.yaml': { enabled: true }, hooks: { stop: {} } });
});
