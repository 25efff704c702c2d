import { afterAll, beforeAll, describe, it } from 'vitest';
import { configWith, type Project, projectWith } from './requirements-project';
import { deniedBecause } from './rig';
import {
  bash,
  expectAllowed,
  expectDenied,
  inPhase,
  type WorkflowProject,
  workflowProject,
} from './workflow-project';

/** Ways to write `git` that a shell reads as `git`; `before` is what the line has to begin with. */
const GIT: readonly (readonly [spelling: string, before?: string])[] = [
  ['git'],
  ['g""it'],
  ["g''it"],
  ["''git"],
  ['"git"'],
  ["'git'"],
  ['gi\\t'],
  ['\\git'],
  ['g\\\nit'],
  ["$'git'"],
  ["$'\\x67it'"],
  ["$'\\147\\151\\164'"],
  ["$'\\u0067it'"],
  ['$"git"'],
  ['g$"i"t'],
  ['{,git}'],
  ['/usr/bin/git'],
  ['/usr/bin/g""it'],
  ['command git'],
  ['command -p git'],
  ['builtin command git'],
  ['exec git'],
  ['env git'],
  ['env -i A=b git'],
  ['sudo -u me git'],
  ['nohup nice -n 5 timeout 9 git'],
  ['git -c a.b=c'],
  ['git --no-pager'],
  ['$a', 'a=git; '],
  ['"$a"', 'a=git; '],
  [`g\${a}t`, 'a=i\n'],
  ['"$@"', 'set -- git; '],
  ['g', 'alias g=git\n'],
  ['! git'],
  ['time git'],
  ['true && git'],
];

describe('while a workflow has its branch, a push to a protected one is held: ', () => {
  let project: WorkflowProject;
  beforeAll(() => {
    project = workflowProject();
    project.rig.git('switch', '-q', '-c', 'feature/x');
    project.state(inPhase('06-implementation', { git_branch: { name: 'feature/x', status: 'active' } }));
  });
  afterAll(() => project.rig.remove());

  it.each(GIT)('%s', (git, before = '') => {
    expectDenied(
      project.hook(bash(`${before}${git} push origin HEAD:main`)),
      'COMMIT TO MAIN BLOCKED',
      'main',
    );
  });

  it.each(['pu""sh origin main', "push origin $'HEAD:ma\\x69n'", 'push origin +HEAD:refs/heads/"main"'])(
    'git %s',
    (args) => expectDenied(project.hook(bash(`git ${args}`)), 'COMMIT TO MAIN BLOCKED', 'main'),
  );

  it('and one to its own is not', () => {
    expectAllowed(project.hook(bash('g""it push origin HEAD')));
    expectAllowed(project.hook(bash('echo "git push origin main"')));
  });
});

describe('on a protected branch, a commit is held: ', () => {
  let project: WorkflowProject;
  beforeAll(() => {
    project = workflowProject();
    project.rig.git('switch', '-q', '-c', 'main');
    project.state(inPhase('06-implementation', { git_branch: { name: 'feature/x', status: 'active' } }));
  });
  afterAll(() => project.rig.remove());

  it.each(['g""it commit -m x', "$'\\x67it' commit -m x", 'gi\\t com""mit -m x', 'git $"commit" -m x'])(
    '%s',
    (command) => expectDenied(project.hook(bash(command)), 'COMMIT TO MAIN BLOCKED', 'main'),
  );
});

describe('a requirement is asked for before', () => {
  let project: Project;
  beforeAll(() => {
    const trigger = '[{tool: Bash, command_pattern: "^git\\\\s+commit"}]';
    project = projectWith(configWith(`review: {enabled: true, scope: session, trigger_tools: ${trigger}}`));
  });
  afterAll(() => project.rig.remove());

  it.each(GIT)('%s commit', (git, before = '') => {
    deniedBecause(project.bash(`${before}${git} com""mit -m x`));
  });

  it('but not before what only looks like it', () => {
    expectAllowed(project.bash('echo git commit'));
    expectAllowed(project.bash('~"git" commit'));
  });
});
