import { describe, expect, test } from 'vitest';
import type { Document } from '../../../src/core/document';
import { sha256Hex } from '../../../src/core/hash';
import { guard } from '../../../src/guards/requirements/index';
import { branchFile, branchSlug } from '../../../src/guards/requirements/view';
import * as scene from './scene';

const hashed = (slug: string, branch: string) => `requirements/${slug}~${sha256Hex(branch).slice(0, 8)}.json`;
const nothing = () => undefined;

describe('the slug of a branch', () => {
  test.each([
    ['main', 'main'],
    ['feature/auth', 'feature-auth'],
    ['a\\b', 'a-b'],
    ['feat#1.x', 'feat_1_x'],
    ['under_score-dash', 'under_score-dash'],
    ['añb', 'añb'],
    ['an\u0303b', 'añb'],
    ['名前/一', '名前-一'],
    ['smile😀', 'smile_'],
    ['../../etc', '__-__-etc'],
    ['nul\u0000', 'nul_'],
  ])('%j is %j', (branch, slug) => {
    expect(branchSlug(branch)).toBe(slug);
  });
});

describe('the file of a branch', () => {
  const owned = (branch: unknown) => (): Document => ({
    kind: 'present',
    value: { branch: branch as string },
    version: '1',
  });
  const broken = (): Document => ({ kind: 'unreadable', file: 'x', why: 'is not JSON' });
  const long = 'x'.repeat(121);

  test.each([
    ['is named by the slug while nobody has it', 'a/b', nothing, 'requirements/a-b.json'],
    ['stays where the branch has it', 'a/b', owned('a/b'), 'requirements/a-b.json'],
    ['stays where the file names no branch', 'a/b', owned(7), 'requirements/a-b.json'],
    ['stays where the file cannot be read', 'a/b', broken, 'requirements/a-b.json'],
    ['gets a hash where another branch has it', 'a/b', owned('a-b'), hashed('a-b', 'a/b')],
    ["is never the project's own", '_project', nothing, hashed('_project', '_project')],
    ['is cut where the name is too long', long, nothing, hashed('x'.repeat(120), long)],
    ['is not cut where it just fits', 'x'.repeat(120), nothing, `requirements/${'x'.repeat(120)}.json`],
  ])('%s', (_sentence, branch, lookUp, path) => {
    expect(branchFile(branch, lookUp).path).toBe(path);
  });

  test('has a name that a file system takes, whatever the letters', () => {
    for (const letter of ['名', '𠮷']) {
      const { path } = branchFile(`${letter.repeat(70)}/${letter.repeat(70)}`, nothing);
      expect(Buffer.byteLength(path.split('/')[1] ?? '')).toBeLessThan(200);
    }
  });

  test('is asked for in a second round once the first shows that it is taken', () => {
    const config = scene.configOf([scene.blocking('plan')]);
    const paths = (world: scene.World) =>
      guard
        .needs(scene.before(), config, scene.snapshotOf({ branch: 'a/b', ...world }))
        .documents?.map(({ path }) => path);
    expect(paths({})).toContain('requirements/a-b.json');
    const files = { 'requirements/a-b.json': scene.state({}, 'a-b') };
    expect(paths({ files })).toContain(hashed('a-b', 'a/b'));
  });

  test("keeps one branch's satisfaction from another with the same slug", () => {
    const config = scene.configOf([scene.blocking('plan', { scope: 'branch' })]);
    const files = { 'requirements/a-b.json': scene.state({ plan: { satisfied: true } }, 'a-b') };
    const verdictOn = (branch: string) =>
      scene.outcomeOf(scene.before(), config, scene.snapshotOf({ branch, files })).verdict.kind;
    expect([verdictOn('a-b'), verdictOn('a/b')]).toEqual(['nothing', 'deny']);
  });
});
