import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { KEY } from './events';
import { codex, gemini } from './host-documents';
import { type Project, projectWith, SILENT, STATE } from './requirements-project';
import { deniedBecause, heldBecause } from './rig';

let project: Project;

function open(rule = 'enabled: true'): Project {
  project = projectWith(`requirements: {plan: {${rule}}}\n`, '.holdpoint/config.yaml');
  return project;
}

const write = (file_path: string) => project.rig.hook(project.on.pre('Write', { file_path, content: '' }));

/** Makes a file and all directories above it. */
function put(path: string, text = ''): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

afterEach(() => project.rig.remove());

describe('a file outside the project triggers nothing', () => {
  it.each<[string, (one: Project) => string]>([
    ['a temporary file', ({ rig }) => join(rig.tmp, 'notes.txt')],
    ['one in a directory that is yet to be made', ({ rig }) => join(rig.tmp, 'a/b/c.ts')],
    ['a plan of the host', ({ rig }) => join(rig.home, '.claude/plans/plan.md')],
    ['a memory of the host', ({ rig }) => join(rig.home, '.claude/projects/-w/memory/MEMORY.md')],
    ['one in a repository without rules', ({ rig }) => join(put(`${rig.tmp}/other/.git/HEAD`), '../../a.ts')],
    ['one whose directory begins like the project', ({ rig }) => `${rig.repo}-notes/a.ts`],
    ['one reached by dots', ({ rig }) => `${rig.repo}/../tmp/a.ts`],
    ['one reached by a relative path', () => '../tmp/a.ts'],
    [
      'one that a link in the project leads to',
      ({ rig }) => {
        symlinkSync(put(join(rig.tmp, 'real.ts')), join(rig.repo, 'link.ts'));
        return join(rig.repo, 'link.ts');
      },
    ],
    [
      'one in a directory that a link in the project leads to',
      ({ rig }) => {
        symlinkSync(rig.tmp, join(rig.repo, 'scratch'));
        return join(rig.repo, 'scratch/new.ts');
      },
    ],
  ])('%s', (_what, pathIn) => {
    const { rig } = open();
    expect(write(pathIn(project))).toMatchObject(SILENT);
    expect(rig.readJson(STATE)).toBeUndefined();
  });

  it('not the end of a turn either, and uses up no pass', () => {
    const { rig, on, satisfy } = open('enabled: true, scope: single_use');
    satisfy('plan', '--session', KEY);
    const outside = { file_path: join(rig.tmp, 'a.txt') };
    expect(rig.hook(on.pre('Write', outside))).toMatchObject(SILENT);
    rig.hook(on.post('Write', outside));
    expect(write('inside.ts')).toMatchObject(SILENT);
    project.rig.remove();
    const again = open('enabled: true, stop_only: true');
    expect(write(join(again.rig.tmp, 'a.txt'))).toMatchObject(SILENT);
    expect(again.rig.hook(again.on.stop(false))).toMatchObject(SILENT);
    write('inside.ts');
    heldBecause(again.rig.hook(again.on.stop(false)));
  });

  it.each([codex, gemini])('for $name too', (host) => {
    const { rig } = open();
    const how = { args: ['--host', host.name] };
    expect(host.denied(rig.hook(host.edit(rig.repo, join(rig.tmp, 'a.ts')), how))).toBeUndefined();
    expect(host.denied(rig.hook(host.edit(rig.repo, join(rig.repo, 'a.ts')), how))).toContain('plan');
  });
});

describe('a file inside the project is inside', () => {
  it.each<[string, (one: Project) => string]>([
    ['by its absolute path', ({ rig }) => join(rig.repo, 'src/new/a.ts')],
    ['by a relative path', () => 'src/a.ts'],
    [
      'reached by a link from outside',
      ({ rig }) => {
        put(join(rig.repo, 'a.ts'));
        return rig.link('tmp/link.ts', join(rig.repo, 'a.ts'));
      },
    ],
    [
      'that a link from outside is about to make',
      ({ rig }) => rig.link('tmp/new.ts', join(rig.repo, 'new.ts')),
    ],
    ['below a link to the project', ({ rig }) => join(rig.link('linked', rig.repo), 'src/a.ts')],
    [
      'below two links',
      ({ rig }) => {
        rig.link('tmp/first', rig.repo);
        return join(rig.link('tmp/second', 'first'), 'a.ts');
      },
    ],
  ])('%s', (_what, pathIn) => {
    open();
    deniedBecause(write(pathIn(project)));
  });

  it('is matched by its real path, and by the one that was named', () => {
    const { rig } = open('enabled: true, paths: ["src/**"], exclude_paths: ["src/gen/**"]');
    put(join(rig.repo, 'src/a.ts'));
    symlinkSync(join(rig.repo, 'src/a.ts'), join(rig.repo, 'docs.md'));
    deniedBecause(write(join(rig.repo, 'docs.md')));
    deniedBecause(write(join(rig.link('linked', rig.repo), 'src/b.ts')));
    expect(write(join(rig.dir, 'linked/src/gen/c.ts'))).toMatchObject(SILENT);
    expect(write(join(rig.repo, 'other.ts'))).toMatchObject(SILENT);
  });

  it('holds a call that touches files inside and outside', () => {
    const { rig } = open();
    const patch = `*** Begin Patch\n*** Add File: ${rig.tmp}/x\n+x\n*** Add File: ${rig.repo}/y\n+y\n*** End Patch\n`;
    const event = { ...codex.edit(rig.repo, 'x'), tool_input: { command: patch } };
    expect(codex.denied(rig.hook(event, { args: ['--host', 'codex'] }))).toContain('plan');
  });
});

it('a shell command is judged as before, whatever it writes', () => {
  const { rig, bash } = open('enabled: true, trigger_tools: [Bash]');
  deniedBecause(bash(`touch ${rig.tmp}/x`));
});
