import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { compilerOn } from '../../../src/cli/resident/native/compile';
import { call, say, write } from '../../../src/cli/try/client/scripted-model';
import { askServer, endServer } from '../../../src/server/control';
import { serverAt } from '../../e2e/resident-project';
import { at } from '../../e2e/rig';
import { inClaudeCode, makeProject, type Project } from './rig';
import { install } from './wire';

const PLAN = 'inherit: false\nrequirements: {plan: {enabled: true, trigger_tools: [Write]}}\n';
const oneWrite = [call(write('a.txt', 'one\n')), say('Done.')];
const wrote = ({ repo }: Project): boolean => existsSync(join(repo, 'a.txt'));

let socket: string | undefined;
afterEach(async () => {
  if (socket !== undefined) await endServer(socket);
});

/** Has Claude Code start the client without a shell; tells where its program lies. */
function installDirect(project: Project, ...flags: string[]): string {
  const env = { HOLDPOINT_RUNTIME_DIR: join(project.dir, 'run') };
  socket = join(project.dir, 'run', 's');
  const words = ['install', '--host', 'claude-code', '--user', '--resident', '--direct', ...flags];
  const { exitCode, stdout, stderr } = project.holdpoint(words, { env });
  if (exitCode !== 0 || !stdout.includes('without a shell'))
    throw new Error(`not direct: ${stdout}${stderr}`);
  return join(project.home, '.config/holdpoint/client');
}

inClaudeCode(
  'an entry without a shell in Claude Code',
  () => {
    it('holds the agent by the server, and beside a line of the project counts once', async () => {
      const project = makeProject(PLAN);
      installDirect(project);
      expect((await project.play(oneWrite)).news(1)).toContain('Blocked: plan');
      const { answered } = await serverAt(socket ?? '');
      expect((await project.play(oneWrite)).news(1)).toContain('Blocked: plan');
      expect((await askServer(socket ?? ''))?.answered).toBeGreaterThan(answered);
      install(project);
      const both = await project.play(oneWrite);
      expect(both.news(1)).toContain('Blocked: plan');
      const key = both.sessionId.replaceAll('-', '').slice(0, 8);
      const metrics = project.readJson(`.git/requirements/sessions/${key}.json`);
      expect(at(metrics, 'tools', 'Write', 'blocked_count')).toBe(1);
      expect(wrote(project)).toBe(false);
    });

    it('lets everything pass where its program is gone, and says so', async () => {
      const project = makeProject(PLAN);
      rmSync(installDirect(project));
      const played = await project.play(oneWrite);
      expect(wrote(project)).toBe(true);
      expect(JSON.stringify(played.stream)).toContain('holdpoint/client');
    });

    it('with --fail-closed refuses there instead', async () => {
      const project = makeProject(PLAN);
      rmSync(installDirect(project, '--fail-closed'));
      await project.play(oneWrite);
      expect(wrote(project)).toBe(false);
    });
  },
  compilerOn(process.env) === undefined ? 'there is no C compiler' : undefined,
);
