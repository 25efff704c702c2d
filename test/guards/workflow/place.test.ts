import { describe, expect, it } from 'vitest';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import {
  isdlcState,
  isStatePath,
  isTestedFile,
  projectAt,
  projectPath,
} from '../../../src/guards/workflow/place';

const MODEL = {
  ...builtinModel(),
  projects: {
    default: 'api',
    list: [
      { id: 'api', path: 'apps/api' },
      { id: 'web', path: 'apps/web' },
      { id: 'admin', path: 'apps/web/admin' },
    ],
  },
};
const ROOT = '/r';

describe('the project of a monorepo', () => {
  it.each([
    ['the default at the root', { named: undefined, cwd: '/r' }, 'api'],
    ['the one whose directory it is', { named: undefined, cwd: '/r/apps/web' }, 'web'],
    ['the nearest around a directory', { named: undefined, cwd: '/r/apps/web/admin/src' }, 'admin'],
    ['not one that only begins alike', { named: undefined, cwd: '/r/apps/website' }, 'api'],
    ['the named one, wherever one is', { named: 'web', cwd: '/r/apps/api' }, 'web'],
    ['the default for an empty name', { named: '', cwd: '/r' }, 'api'],
    ['the default for a name that leads away', { named: '../../x', cwd: '/r' }, 'api'],
    ['the default for a name that is no project', { named: 'wbe', cwd: '/r' }, 'api'],
    ['that of the directory for such a name', { named: 'wbe', cwd: '/r/apps/web' }, 'web'],
    ['the default for a name of dots', { named: '..', cwd: '/r' }, 'api'],
    ['the default outside of the root', { named: undefined, cwd: '/elsewhere/apps/web' }, 'api'],
    ['told by Windows separators too', { named: undefined, cwd: '\\r\\apps\\web' }, 'web', '\\r'],
  ])('is %s', (_, where, expected, root = ROOT) => {
    expect(projectAt(MODEL, { ...where, root })).toBe(expected);
  });

  it('is none where there is only one project', () => {
    expect(projectAt(builtinModel(), { named: 'web', cwd: ROOT, root: ROOT })).toBeUndefined();
  });
});

it('paths have the folder of the project, or none', () => {
  expect(isdlcState(undefined).path).toBe('.isdlc/state.json');
  expect(isdlcState('api').path).toBe('.isdlc/projects/api/state.json');
  expect(projectPath('docs/isdlc/{project}tasks.md', 'api')).toBe('docs/isdlc/projects/api/tasks.md');
  expect(projectPath('docs/isdlc/{project}tasks.md', undefined)).toBe('docs/isdlc/tasks.md');
});

it.each([
  ['/r/.isdlc/state.json', true],
  ['/r/.isdlc/projects/api/state.json', true],
  ['C:\\r\\.isdlc\\state.json', true],
  ['/r/docs/holdpoint/workflow.json', false],
  ['/r/foo.isdlc/state.json', false],
  ['/r/.isdlc/state.json.bak', false],
  ['/r/.isdlc/a/state.json', false],
  ['/r/state.json', false],
])('whether %s holds the state: %s', (path, expected) => expect(isStatePath(path)).toBe(expected));

describe('tests may depend on a file', () => {
  it.each<[string, boolean]>([
    ['/r/src/a.ts', true],
    ['/r/docs.ts', true],
    ['/r/src/docs/a.ts', true],
    ['/r/a.mdx', true],
    ['/r/docs/a.md', false],
    ['/r/docs/guide/page.html', false],
    ['/r/README.md', false],
    ['/r/src/deep/NOTES.md', false],
    ['/r/.isdlc/state.json', false],
    ['/r/.holdpoint/config.yaml', false],
    ['/elsewhere/a.ts', false],
    ['/rr/a.ts', false],
  ])('%s: %s', (path, expected) => {
    expect(isTestedFile(path, '/r')).toBe(expected);
  });
});
