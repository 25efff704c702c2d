import { describe, expect, test } from 'vitest';
import { dangerOf } from '../../../src/guards/requirements/triggers';
import { commandLines } from '../../../src/shell';
import * as scene from './scene';

const danger = (command: string) => dangerOf(commandLines(command, scene.ROOT) ?? [], '/home/someone');

describe('nobody takes back', () => {
  test.each([
    'rm -rf /',
    'rm -rf /*',
    'rm -fr /etc',
    'rm -r -f ~',
    'rm -rf ~/',
    'rm -rf ~/x',
    'rm -rf ~/*',
    'rm -rf "$HOME"',
    'rm -rf $HOME/x',
    `rm -rf \${HOME}/x`,
    'rm -rf /home/someone',
    'rm -rf /home/someone/x',
    'rm --recursive --force ..',
    'rm -rf .',
    'rm -rf ../..',
    'sudo rm -rf /usr',
    'ls && rm -rf ~',
    'bash -c "rm -rf /"',
    'git push --force',
    'git push -f origin main',
    'git push origin -f',
    'git push -uf origin main',
    'git push origin +main',
    'git -C x push --force',
    'git reset --hard origin/main',
    'git clean -fd',
    'git clean -df',
    'git clean --force -d',
    'psql -c "DROP TABLE users"',
    'mysql -e "truncate users"',
    'dd if=x of=/dev/sda',
    'mkfs.ext4 /dev/sda1',
  ])('%s', (command) => {
    expect(danger(command)).toBeDefined();
  });
});

describe('a person may well allow', () => {
  test.each([
    'git push origin feature-f',
    'git push -u origin main',
    'git push --force-with-lease',
    'git push --follow-tags',
    'rm /etc/x',
    'rm -f ~/x',
    'rm -rf build',
    'rm -rf ./build',
    'rm -rf node_modules dist',
    'rm -rf /tmp/x/y',
    'rm -rf ~/code/project/build',
    'rm -rf .cache',
    'rm -rf ...',
    'rmdir /',
    'echo "rm -rf /"',
    'git commit -m "rm -rf / and git push --force"',
    'git reset --hard',
    'git reset --hard HEAD~1',
    'git clean -n',
    'git clean -nfd',
    'git clean --dry-run -f',
    'psql -c "select 1"',
    'grep -r "DROP TABLE" .',
    'dd if=/dev/zero of=x',
    'dd if=x of=/dev/null',
    'ls',
  ])('%s', (command) => {
    expect(danger(command)).toBeUndefined();
  });
});

describe('a request for permission', () => {
  const config = scene.configOf([scene.blocking('plan')]);
  const asked = (command: string, over = config) => {
    const lines = commandLines(command, scene.ROOT);
    const snapshot = scene.snapshotOf(lines === undefined ? {} : { commandLines: lines });
    return scene.outcomeOf(scene.permission(command), over, snapshot).verdict;
  };

  test('for such a command is answered with no, in a line that says why and who may', () => {
    const verdict = asked('git push --force');
    expect(verdict).toMatchObject({
      kind: 'deny',
      grounds: [{ rule: 'hooks.permission_request.auto_deny_dangerous' }],
    });
    expect(scene.reasonOf(verdict)).toMatch(/^`git push` rewrites a branch.*a person can run it/);
    expect(scene.reasonOf(verdict).split('\n')).toHaveLength(1);
  });

  test('for another one, or for one that does not parse, is left to the person', () => {
    for (const command of ['ls', 'rm -rf "']) expect(asked(command).kind).toBe('nothing');
  });

  test('is left to the person where the config says so', () => {
    expect(asked('rm -rf /', { ...config, denyDangerous: false }).kind).toBe('nothing');
  });
});
