import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeProject } from '../host-project';
import type { RealClient } from '../real-client';
import { call, say } from '../scripted-model';
import { PLAN_CONFIG, textIn } from './denied';

/** With what the project has of its own for the client, in which something notes `foreign.txt` beside the repository. */
export function itLeavesNoTrace(
  client: RealClient,
  own: (foreign: string) => Readonly<Record<string, string>>,
): void {
  const work = [call(client.shell('touch a.txt')), say('Done.')];

  it('is held beside foreign hooks, which stay at work, and not after `uninstall`, which gives the very files back', async () => {
    const project = makeProject(client, PLAN_CONFIG);
    const foreign = join(project.dir, 'foreign.txt');
    for (const [name, text] of Object.entries(own(foreign))) project.write(name, text);
    const before = filesOf(project.repo);
    project.install();
    const held = await project.play(work);
    expect(held.asked[1]).toContain('requires `plan` before');
    expect(existsSync(foreign)).toBe(true);
    project.uninstall();
    expect(filesOf(project.repo)).toStrictEqual(before);
    await project.play(work);
    expect(textIn(project, 'a.txt')).toBe('');
  });

  it('is held by what a person has installed for all projects, and no file of the project is touched', async () => {
    const project = makeProject(client, PLAN_CONFIG);
    const before = filesOf(project.repo);
    project.install('--user');
    expect(filesOf(project.repo)).toStrictEqual(before);
    const { asked } = await project.play(work);
    expect(asked[1]).toContain('requires `plan` before');
    expect(textIn(project, 'a.txt')).toBeUndefined();
  });
}

/** What OpenCode puts beside plugins by itself. */
const OF_CLIENTS = ['.git', 'node_modules', 'package.json', 'package-lock.json', 'bun.lock', '.gitignore'];

/** Every file below a directory with its text, and every directory. */
function filesOf(dir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(dir, { withFileTypes: true })
      .filter(({ name }) => !OF_CLIENTS.includes(name))
      .flatMap((entry) => {
        const path = join(dir, entry.name);
        return entry.isDirectory()
          ? [[`${path}/`, ''], ...Object.entries(filesOf(path))]
          : [[path, readFileSync(path, 'utf8')]];
      }),
  );
}
