import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import type { HostDocument } from './rig';
import {
  bash,
  edit,
  expectAllowed,
  expectDenied,
  inPhase,
  STATE_FILE,
  type WorkflowProject,
  workflowProject,
  write,
} from './workflow-project';

const PHASE = '06-implementation';
const BLOCKED = 'STATE WRITE BLOCKED';
let project: WorkflowProject;

beforeEach(() => {
  project = workflowProject();
  project.state(inPhase(PHASE));
});

afterEach(() => project.rig.remove());

/** How the state stands to git when the command runs. */
const STANDINGS = {
  ignored: () => project.rig.write('.git/info/exclude', '.isdlc\n'),
  untracked: () => undefined,
  tracked: () => {
    project.rig.git('add', '.isdlc');
    project.rig.git('commit', '-qm', 'state');
    project.state({ ...inPhase(PHASE), note: 'changed' });
  },
};

describe.each<[keyof typeof STANDINGS, readonly string[], readonly string[]]>([
  [
    'ignored',
    [
      'git clean -fdx',
      'git clean -fdX',
      'git clean -fx .isdlc',
      'cd docs && git clean -xdf ..',
      'git stash --all',
      'git stash push -a -m wip',
    ],
    [
      'git clean -fd',
      'git clean -n -dx',
      'git clean -fx',
      'git clean -fdx docs',
      'git clean -fdx -e .isdlc',
      'git stash -u',
      'git reset --hard',
      'git checkout .',
    ],
  ],
  [
    'untracked',
    ['git clean -fd', 'git clean -fdx', 'git stash -u', 'git stash --include-untracked'],
    [
      'git clean -f',
      'git clean -fdX',
      'git clean -fd docs',
      'git stash',
      'git restore .',
      'prettier --write .',
      'npx @biomejs/biome check --write',
      'npx eslint --fix .',
    ],
  ],
  [
    'tracked',
    [
      'git checkout .',
      'git checkout -- .',
      'git checkout -- .isdlc',
      'git restore .',
      'git restore :/',
      'git reset --hard',
      'git reset -q --hard HEAD',
      'git stash',
      'git stash push -m wip',
      'git -C docs stash',
      'git checkout -f',
      'git checkout -f feature/auth',
      'git switch --discard-changes feature/auth',
      'git checkout HEAD -- .',
      'git rm -rf .',
    ],
    [
      'git clean -fdx',
      'git checkout -- docs',
      'git restore docs',
      'git restore --staged .',
      'git reset',
      'git reset -- .',
      'git reset --soft HEAD',
      'git stash push -- docs',
      'git stash list',
      'git checkout feature/auth',
      'git rm -r --cached .isdlc',
      'git switch -c feature/y',
      'git add -A',
    ],
  ],
])('a state that git has %s', (standing, held, free) => {
  beforeEach(() => STANDINGS[standing]());

  it('is not removed or rewritten by what reaches it', () => {
    for (const command of held) expectDenied(project.hook(bash(command)), BLOCKED, '.isdlc');
  });

  it('is left alone by what does not', () => {
    for (const command of free) expectAllowed(project.hook(bash(command)));
  });
});

describe('a state that does not exist yet', () => {
  beforeEach(() => rmSync(join(project.rig.repo, STATE_FILE)));

  it('is not written with its rules off, nor by a shell', () => {
    const off = JSON.stringify({ iteration_enforcement: { enabled: false } });
    const file = join(project.rig.repo, STATE_FILE);
    expectDenied(project.hook(write(file, off)), BLOCKED, 'switches the iteration rules off');
    project.rig.write('other.json', off);
    for (const command of [`echo '${off}' > .isdlc/state.json`, 'cp other.json .isdlc/state.json'])
      expectDenied(project.hook(bash(command)), BLOCKED, STATE_FILE);
  });

  it('is the same under the other name of the path', () => {
    const content = JSON.stringify({ iteration_enforcement: { enabled: false } });
    const tool_input = { filePath: join(project.rig.repo, STATE_FILE), content };
    expectDenied(project.hook(write('', '', { tool_input })), BLOCKED);
  });

  it('may be written as a new one, and other commands are free', () => {
    const file = join(project.rig.repo, STATE_FILE);
    expectAllowed(project.hook(write(file, '{"skill_enforcement":{"enabled":true},"phases":{}}')));
    for (const command of ['mkdir -p .isdlc/projects', 'cat .isdlc/state.json', 'git clean -fdx'])
      expectAllowed(project.hook(bash(command)));
  });
});

describe('a state that is found rather than named', () => {
  it('is not written by a search, a copy or an archive', () => {
    project.rig.write('backup/.isdlc/state.json', '{}');
    for (const command of [
      "find . -name '*.json' -exec sed -i 's/a/b/' {} +",
      'find . -type f -print0 | xargs -0 sed -i s/a/b/',
      'find . -name state.json -delete',
      'cp -r backup/. .',
      'rsync -a backup/ .',
      'rsync -a --delete /tmp/empty/ .',
      'tar xf some.tar .isdlc',
    ])
      expectDenied(project.hook(bash(command)), BLOCKED, '.isdlc');
    for (const command of [
      "find . -name '*.md' -exec sed -i 's/a/b/' {} +",
      "find . -path ./.isdlc -prune -o -path ./backup -prune -o -name '*.json' -exec sed -i 's/a/b/' {} +",
      'cp -r docs/. .',
      'tar cf some.tar .isdlc',
    ])
      expectAllowed(project.hook(bash(command)));
  });

  it('is the one of a project in a monorepo too', () => {
    const projects = { api: { name: 'api', path: 'apps/api' } };
    project.rig.write('.isdlc/monorepo.json', JSON.stringify({ default_project: 'api', projects }));
    project.rig.write('.isdlc/projects/api/state.json', JSON.stringify(inPhase(PHASE)));
    const command = "find .isdlc/projects -name '*.json' -exec sed -i 's/a/b/' {} +";
    expectDenied(project.hook(bash(command)), BLOCKED, '.isdlc/projects/api/state.json');
  });
});

describe('a state behind a link', () => {
  const OFF = JSON.stringify({ ...inPhase(PHASE), iteration_enforcement: { enabled: false } });
  const links = (): string[] => {
    const { repo, link } = project.rig;
    symlinkSync('.isdlc', join(repo, 'dir'));
    symlinkSync('../.isdlc/state.json', join(repo, 'docs/file.json'));
    return [
      join(repo, 'dir/state.json'),
      join(repo, 'docs/file.json'),
      link('outside.json', join(repo, STATE_FILE)),
      join(link('outside', repo), STATE_FILE),
    ];
  };

  it('is judged by the file that is really written, whatever tool writes it', () => {
    for (const path of links()) {
      expectDenied(project.hook(write(path, OFF)), BLOCKED, 'rules off');
      const edits = [
        {
          old_string: '"active_workflow"',
          new_string: '"iteration_enforcement":{"enabled":false},"active_workflow"',
        },
      ];
      const several = { ...write(path, ''), tool_name: 'MultiEdit', tool_input: { file_path: path, edits } };
      expectDenied(project.hook(several), BLOCKED, 'rules off');
      expectDenied(
        project.hook(edit(path, edits[0]?.old_string ?? '', edits[0]?.new_string ?? '')),
        'rules off',
      );
      const notebook: HostDocument = {
        ...write(path, ''),
        tool_name: 'NotebookEdit',
        tool_input: { notebook_path: path, new_source: '{}' },
      };
      expectDenied(project.hook(notebook), BLOCKED);
      expectAllowed(project.hook(write(path, JSON.stringify({ ...inPhase(PHASE), note: 1 }))));
      expectDenied(project.hook(bash(`echo {} > ${path}`)), BLOCKED);
      expectDenied(project.hook(bash(`cd ${dirname(path)} && tee ${path} < x`)), BLOCKED);
    }
    for (const path of ['docs/file.json', 'dir']) expectAllowed(project.hook(bash(`rm ${path}`)));
    expectAllowed(project.hook(bash('ln -sfn /tmp/x docs/file.json')));
  });

  it('is the same where its directory is the link', () => {
    const { repo, dir } = project.rig;
    mkdirSync(join(dir, 'shared'));
    renameSync(join(repo, '.isdlc'), join(dir, 'shared/isdlc'));
    symlinkSync('../shared/isdlc', join(repo, '.isdlc'));
    const real = join(dir, 'shared/isdlc/state.json');
    expectDenied(project.hook(write(real, OFF)), 'rules off');
    expectDenied(project.hook(write(join(repo, STATE_FILE), OFF)), 'rules off');
    expectDenied(project.hook(bash(`echo {} > ${real}`)), BLOCKED);
    expectDenied(project.hook(bash('rm -rf ../shared')), BLOCKED);
    expectAllowed(project.hook(write(join(dir, 'shared/isdlc/other.json'), OFF)));
  });

  it('is no other file that a link leads to', () => {
    project.rig.write('docs/a.json', '{}');
    symlinkSync('a.json', join(project.rig.repo, 'docs/state.json'));
    expectAllowed(project.hook(write(join(project.rig.repo, 'docs/state.json'), OFF)));
    expectAllowed(project.hook(bash('echo {} > docs/state.json')));
  });
});
