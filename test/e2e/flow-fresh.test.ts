import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AS_AGENT, equip, type FlowProject, flowProject, OWN_STATE } from './flow-project';
import { commandFile, deniedBecause, type Ended } from './rig';

/*
 * Workflows in a project that has nothing of what their phases ask for, played as an agent does who knows nothing
 * but the messages.
 */

let project: FlowProject;
afterEach(() => project.rig.remove());

/** The commands that a text offers to the agent. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/`holdpoint ((?:flow|install)[^`]*)`/g)].map(([, command = '']) => command);
}

/** What the agent does about one line of what a gate needs; anything but this would not be in the messages. */
function obey(line: string): void {
  const agent = /delegate the work to (\S+)/.exec(line)?.[1];
  const [command = ''] = commandsIn(line);
  const isForPerson = line.includes('a person has to run');
  if (line.includes('ask them with your question tool')) project.ask();
  else if (/run them, such as with `npm test`|run the tests again/.test(line)) project.test('pass');
  else if (agent !== undefined) project.delegate(agent);
  // What only a person may do, the agent asks for.
  else project.done(command.slice('flow '.length), isForPerson ? {} : AS_AGENT);
}

/** What a gate needs, in the words of `begin`, `status`, `advance` and the hook. */
function needsIn(text: string): string[] {
  return /still needs[^\n]*\n((?:- .*\n?)+)|needs:\n((?:- .*\n?)+)/.exec(text)?.[0].match(/^- .*$/gm) ?? [];
}

interface Way {
  /** Every message that the agent has read. */
  readonly said: readonly string[];
  readonly phases: readonly string[];
}

/** Starts a workflow and follows the messages to its end. */
function follow(start: string): Way {
  const { events, rig } = project;
  const said: string[] = [];
  const phases: string[] = [];
  const read = ({ stdout, stderr }: Ended): string => {
    said.push(`${stdout}${stderr}`);
    return `${stdout}${stderr}`;
  };
  let text = read(project.done(start, AS_AGENT));
  for (let step = 0; step < 200 && !text.includes('The workflow is finished.'); step += 1) {
    const [need] = needsIn(text);
    if (need !== undefined) {
      obey(need);
      text = read(project.done('status', AS_AGENT));
      continue;
    }
    const command = commandsIn(text).findLast((one) => /^flow (?:begin|advance)$/.test(one)) ?? '';
    // The hook judges the command first, as the host would ask it.
    const held = rig.hook(events.pre('Bash', { command: `holdpoint ${command}` }));
    expect(held.stdout, text).toBe('');
    text = read(project.done(command.slice('flow '.length), AS_AGENT));
    if (command === 'flow begin') phases.push(project.status().phase ?? '');
  }
  expect(text).toContain('The workflow is finished.');
  return { said, phases };
}

describe('in a project without agents and constitution, an agent who follows the messages', () => {
  it.each([
    ['feature', 11],
    ['fix', 8],
    ['test-run', 2],
    ['test-generate', 5],
    ['full-lifecycle', 14],
    ['upgrade', 3],
    ['reverse-engineer', 4],
  ])('gets through %s', (workflow, count) => {
    project = flowProject('bare');
    const { said, phases } = follow(`start ${workflow}`);
    expect(phases).toHaveLength(count);
    expect(said.join('\n')).not.toMatch(/agent_delegation|constitutional_validation|delegate the work/);
    expect(said[0]).toContain('any agent you have may do every phase');
    expect(said[1]).toMatch(/^Began \S+ \(any agent you have may do it\)\.\nGATE-/);
  });

  it('gets through a workflow of its own config, whose agents nobody has written', () => {
    project = flowProject('bare');
    project.rig.write(
      '.holdpoint/config.yaml',
      `workflow:
  workflows: {ship: {phases: [draft, review], branch: false}}
  agents: {writer: {phases: [draft]}, reviewer: {phases: [review]}}
  requirements:
    draft: {delegation: true, elicitation: {min_interactions: 1}}
    review: {delegation: true, constitution: true, tests: true}
`,
    );
    expect(follow('start ship').phases).toEqual(['draft', 'review']);
  });

  it('gets through with everything there, and then everything is asked for', () => {
    project = flowProject();
    const { said } = follow('start fix');
    expect(said[0]).not.toMatch(/no requirements-analyst|no docs/);
    expect(said.join('\n')).toContain('delegate the work to requirements-analyst');
    expect(said.join('\n')).toContain('record constitution --articles I,IV,VII,IX,XII');
  });
});

const missing = (): string[] => project.status().missing.map(({ what }) => what);

describe('flow start', () => {
  const CONFIG = '.holdpoint/config.yaml';

  it.each([
    [
      'no config',
      undefined,
      'add to .holdpoint/config.yaml:\nworkflow:\n  without: [agents, constitution]\n',
    ],
    [
      'a workflow section',
      'workflow:\n',
      'add to the `workflow` section of .holdpoint/config.yaml:\n  without: [agents, constitution]\n',
    ],
  ])('prints what is missing and, with %s, lines to paste that settle it', (_, config, lines) => {
    project = flowProject('bare');
    const { rig } = project;
    rmSync(join(rig.repo, CONFIG));
    if (config !== undefined) rig.write(CONFIG, `${config}  protected_branches: [main]\n`);
    const { stdout } = project.done('start fix');
    expect(stdout).toContain(
      '- agents: no requirements-analyst, tracing-orchestrator, test-design-engineer and 5 more; any agent you have may do every phase\n',
    );
    expect(stdout).toContain('- constitution: no constitution.md; nothing is checked against it\n');
    expect(stdout).toContain('create .claude/agents/NAME.md and constitution.md.');
    expect(stdout).toContain(lines);
    const status = project.done('status').stdout;
    for (const line of stdout.match(/^- .*$/gm) ?? []) expect(status).toContain(line);
    project.done('cancel --reason again');
    const pasted = lines.slice(lines.indexOf(':\n') + 2);
    rig.write(CONFIG, config === undefined ? pasted : `${config}${pasted}`);
    const again = project.done('start fix');
    expect(again.stderr).toBe('');
    expect(again.stdout).not.toMatch(/- (?:agents|constitution):/);
    project.done('begin');
    expect(missing()).toEqual(['interactive_elicitation']);
  });

  it.each([
    ['Claude Code', '.claude/agents/requirements-analyst.md', {}],
    ['a folder below', '.claude/agents/team/analysis/requirements-analyst.md', {}],
    ['another file name', '.claude/agents/reqs.md', {}],
    ['an alias', '.claude/agents/01-requirements-analyst.md', {}],
    ['Codex', '.codex/agents/requirements-analyst.toml', { CODEX_SESSION_ID: 'x' }],
    ['Gemini', '.gemini/agents/requirements-analyst.md', { GEMINI_CLI: '1' }],
    ['Copilot', '.github/agents/requirements-analyst.agent.md', { COPILOT_CLI: '1' }],
    ['Cursor', '.cursor/agents/requirements-analyst.md', { CURSOR_AGENT: '1' }],
    ['OpenCode', '.opencode/agent/requirements-analyst.md', { OPENCODE: '1' }],
  ])('finds an agent of %s', (_, file, env) => {
    project = flowProject('bare');
    project.rig.write(file, '---\nname: requirements-analyst\n---\n');
    const { stdout } = project.done('start fix', { env });
    expect(stdout).toContain('first 01-requirements (agent: requirements-analyst).');
    expect(stdout).toContain('any agent you have may do their phases');
    project.done('begin', { env });
    expect(missing()).toContain('agent_delegation');
  });

  it('finds agents in the home and in plugins that are on, and none of a host that is not in use', () => {
    project = flowProject('bare');
    const { rig } = project;
    rig.writeHome('.claude/agents/requirements-analyst.md', '');
    rig.writeHome('cache/kit/agents/tracing-orchestrator.md', '');
    rig.writeHome('cache/off/agents/test-design-engineer.md', '');
    const at = (name: string) => [{ scope: 'user', installPath: join(rig.home, 'cache', name) }];
    const plugins = { 'kit@market': at('kit'), 'off@market': at('off') };
    rig.writeHome('.claude/plugins/installed_plugins.json', JSON.stringify({ version: 2, plugins }));
    const enabledPlugins = { 'kit@market': true, 'off@market': true };
    rig.writeHome('.claude/settings.json', JSON.stringify({ enabledPlugins }));
    rig.write('.claude/settings.json', JSON.stringify({ enabledPlugins: { 'off@market': false } }));
    rig.write('.codex/agents/qa-engineer.toml', 'name = "qa-engineer"\n');
    const { stdout } = project.done('start fix', AS_AGENT);
    expect(stdout).toContain('no test-design-engineer, software-developer, environment-builder and 3 more;');
  });

  it('asks for the articles that the constitution has', () => {
    project = flowProject('bare');
    project.rig.write('docs/constitution.md', '# Rules\n\n## Article I: Specs\n\n### IV. Explicit\n');
    const { stdout } = project.done('start fix');
    expect(stdout).toContain('docs/constitution.md has no article VII, IX, XII');
    expect(stdout).toContain('create .claude/agents/NAME.md.\n');
    expect(stdout).toContain('without: [agents]');
    project.done('begin');
    expect(project.done('status').stdout).toContain('against the constitution (articles I, IV);');
    project.done('record constitution --articles I,IV', AS_AGENT);
    expect(missing()).toEqual(['interactive_elicitation']);
    for (const _ of [1, 2]) project.ask();
    project.done('record elicitation --final save');
    project.done('advance');
    project.done('begin');
    expect(project.done('status').stdout).toContain('against the constitution (article IV);');
  });

  it.each([
    ['Cursor', { CURSOR_AGENT: '1' }, 'Cursor shows Holdpoint no questions'],
    [
      'a session without a person',
      { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ATTENDED: '0' },
      'no person attends',
    ],
    ['CI', { CI: 'true' }, 'no person attends this session'],
  ])('asks for no answers in %s', (_, env, why) => {
    project = flowProject('bare');
    const { stdout } = project.done('start feature --no-scan', { env });
    expect(stdout).toContain(`- elicitation: ${why}`);
    expect(stdout).toContain('without: [agents, constitution, elicitation]');
    project.done('begin', { env });
    expect(missing()).toEqual([]);
    project.done('advance', { env });
  });

  it('asks for answers again where the session that goes on has a person', () => {
    project = flowProject('bare');
    project.done('start feature --no-scan', { env: { CI: 'true' } });
    project.done('begin', AS_AGENT);
    expect(missing()).toEqual(['interactive_elicitation']);
  });

  it.runIf(process.platform === 'linux').each([
    ['that nobody can be asked', 'CI=1'],
    ['that another agent runs it', 'env -u CLAUDECODE CURSOR_AGENT=1'],
    ['that its home is elsewhere', 'HOME=/nowhere CLAUDE_CONFIG_DIR=/nowhere'],
  ])('believes the shell that the host gave to the agent, not an agent that says %s', (_, words) => {
    project = flowProject('bare');
    const { rig } = project;
    const agents = join(rig.home, '.claude/agents');
    mkdirSync(agents, { recursive: true });
    writeFileSync(join(agents, 'requirements-analyst.md'), '---\nname: requirements-analyst\n---\n');
    const flow = `${words} '${process.execPath}' '${commandFile('holdpoint')}' flow`;
    // With a command after them, the shell does not become one of these.
    execFileSync('sh', ['-c', `${flow} start feature --no-scan; ${flow} begin; true`], {
      cwd: rig.repo,
      env: rig.environment(AS_AGENT.env),
    });
    expect(missing()).toEqual(['interactive_elicitation', 'agent_delegation']);
  });

  it('still asks for answers where an agent says later that nobody can be asked', () => {
    project = flowProject('bare');
    project.done('start feature --no-scan', AS_AGENT);
    project.done('begin', { env: { ...AS_AGENT.env, CI: 'true' } });
    expect(missing()).toEqual(['interactive_elicitation']);
  });

  it.each([
    ['', '{}'],
    [
      ', also without the rules about delegations',
      '{rules: {skill-delegation-enforcer: {mode: disabled}, delegation-gate: {mode: disabled}}}',
    ],
  ])('counts a menu and its answer where there is no question tool%s', (_, config) => {
    project = flowProject('bare');
    const { rig, events } = project;
    rig.write('.holdpoint/config.yaml', `workflow: ${config}\n`);
    project.done('start fix');
    project.done('begin');
    const { how = '' } = project.status().missing[0] ?? {};
    const menu = /the menu `([^`]+)`/.exec(how)?.[1];
    rig.hook(events.stop(false, { last_assistant_message: `Is that all?\n${menu}` }));
    rig.hook({ ...events.end(), hook_event_name: 'UserPromptSubmit', prompt: 's' });
    expect(missing()).toEqual([]);
    project.done('advance');
  });

  it('finds the articles of the config in the constitution, also in small letters', () => {
    project = flowProject('bare');
    const requirements = '{draft: {constitution: {articles: [i, iv]}}}';
    const workflow = `{workflows: {mine: {phases: [draft, build]}}, requirements: ${requirements}}`;
    project.rig.write('.holdpoint/config.yaml', `workflow: ${workflow}\n`);
    project.rig.write('constitution.md', '## Article I\n## Article IV\n');
    expect(project.done('start mine').stdout).not.toContain('has no article');
    project.done('begin');
    expect(missing()).toEqual(['constitutional_validation']);
    project.done('record constitution --articles i,iv');
    expect(missing()).toEqual([]);
  });

  it('takes a choice of the config as its gate spells it', () => {
    project = flowProject('bare');
    const requirements = '{draft: {elicitation: {min_interactions: 1, final_selections: [Approved]}}}';
    const workflow = `{workflows: {mine: {phases: [draft, build]}}, requirements: ${requirements}}`;
    project.rig.write('.holdpoint/config.yaml', `workflow: ${workflow}\n`);
    project.done('start mine');
    project.done('begin');
    project.ask();
    expect(project.status().missing[0]?.how).toBe('run `holdpoint flow record elicitation --final Approved`');
    project.done('record elicitation --final Approved');
    expect(missing()).toEqual([]);
  });

  it('asks for everything where .isdlc/ is in use, and says so', () => {
    project = flowProject('seed');
    const { stdout } = project.done('start fix');
    expect(stdout).toContain('and 5 more; still required, because this project uses .isdlc/');
    expect(stdout).toContain('workflow:\n  without: [agents, constitution]\n');
    project.done('begin');
    expect(missing()).toEqual(['constitutional_validation', 'interactive_elicitation', 'agent_delegation']);
    expect(project.state().active_workflow).not.toHaveProperty('absent');
    project.rig.write('.holdpoint/config.yaml', 'workflow: {without: [agents, constitution]}\n');
    expect(missing()).toEqual(['interactive_elicitation']);
  });

  it('says where no hook can see what the gates need', () => {
    project = flowProject('bare');
    expect(project.done('start fix').stdout).toContain("- hooks: no agent's settings call Holdpoint; run");
    project.done('cancel --reason again');
    expect(project.rig.holdpoint(['install', '--host', 'claude-code']).exitCode).toBe(0);
    expect(project.done('start fix').stdout).not.toContain('- hooks:');
  });
});

describe('a phase whose agent does not exist', () => {
  const to = (agent: string) => ({ subagent_type: agent, prompt: 'do it', description: '' });

  it('may be done by any agent, also by one of another phase', () => {
    project = flowProject('bare');
    const { rig, events } = project;
    rig.write('.claude/agents/software-developer.md', '');
    project.done('start fix');
    project.done('begin');
    for (const agent of ['general-purpose', 'software-developer'])
      expect(rig.hook(events.pre('Task', to(agent)))).toMatchObject({ exitCode: 0, stdout: '' });
    expect(deniedBecause(rig.hook(events.pre('Task', to('qa-engineer'))))).toContain(
      'Next: finish 01-requirements first. When it is done, run `holdpoint flow advance`.',
    );
  });

  it('asks for its agent once it is there, and not for less once a file is gone', () => {
    project = flowProject('bare');
    const { rig } = project;
    rig.write('.claude/agents/tracing-orchestrator.md', '');
    project.done('start fix');
    rig.write('.claude/agents/requirements-analyst.md', '');
    rig.write('constitution.md', '## Article I\n');
    project.done('begin');
    expect(missing()).toEqual(['constitutional_validation', 'interactive_elicitation', 'agent_delegation']);
    for (const file of ['.claude', 'constitution.md']) rmSync(join(rig.repo, file), { recursive: true });
    project.done('redo');
    project.done('begin');
    expect(missing()).toEqual(['constitutional_validation', 'interactive_elicitation', 'agent_delegation']);
  });

  it('is not made one by writing the state', () => {
    project = flowProject();
    project.done('start fix');
    const { rig, events } = project;
    const state = project.state();
    const absent = { agents: ['requirements-analyst'], constitution: true, articles: [], elicitation: true };
    const content = JSON.stringify({ ...state, active_workflow: { ...state.active_workflow, absent } });
    const written = rig.hook(events.pre('Write', { file_path: join(rig.repo, OWN_STATE), content }));
    expect(deniedBecause(written)).toContain('workflow.json is what Holdpoint relies on');
  });
});

it.each([
  ['Write', { content: '{}' }],
  ['Bash', { command: `echo '{}' > ${OWN_STATE}` }],
  ['Bash', { command: 'rm -rf .git/holdpoint' }],
])('without any config, the state of a workflow is kept from the tool %s', (tool, input) => {
  project = flowProject('bare');
  const { rig, events } = project;
  rmSync(join(rig.repo, '.holdpoint'), { recursive: true });
  project.done('start fix');
  const held = rig.hook(events.pre(tool, { file_path: join(rig.repo, OWN_STATE), ...input }));
  expect(deniedBecause(held)).toContain('what Holdpoint relies on');
});

describe('the task plan', () => {
  it.each([
    ['the root', [], 'tasks.md'],
    ['docs/, where there is one', ['docs/guide.md'], 'docs/tasks.md'],
    ['docs/isdlc/, where there is one', ['docs/isdlc/notes.md'], 'docs/isdlc/tasks.md'],
  ])('is asked for in %s', (_, files, plan) => {
    project = flowProject('bare');
    const { rig, events } = project;
    for (const file of [...files, '.claude/agents/software-developer.md']) rig.write(file, 'x\n');
    project.done('start fix');
    while (project.status().phase !== '06-implementation') {
      project.done('begin');
      project.done(`approve ${project.status().phase ?? ''}`);
      project.done('advance');
    }
    expect(project.done('begin').stdout).toContain(`the task plan has to be in ${plan}.`);
    const call = { subagent_type: 'software-developer', prompt: 'build', description: '' };
    expect(deniedBecause(rig.hook(events.pre('Task', call)))).toContain(`Expected path: ${rig.repo}/${plan}`);
    rig.write(plan, '- build it\n');
    expect(rig.hook(events.pre('Task', call))).toMatchObject({ exitCode: 0, stdout: '' });
  });
});

describe('a held agent', () => {
  it('reads the words of flow status, in at most six lines', () => {
    project = flowProject('bare');
    const { rig, events } = project;
    equip(rig);
    project.done('start fix');
    project.done('begin');
    const reason = deniedBecause(rig.hook(events.pre('Bash', { command: 'holdpoint flow advance' })));
    const lines = reason.split('\n');
    expect(lines.length).toBeLessThanOrEqual(6);
    expect(lines[0]).toBe('Held by gate-blocker: GATE-01 is closed, because 01-requirements still needs:');
    expect(needsIn(reason)).toEqual(needsIn(project.done('status').stdout));
    expect(needsIn(project.flow('advance', AS_AGENT).stderr)).toEqual(needsIn(reason));
    expect(lines.at(-2)).toBe('A person can waive this with `holdpoint flow approve GATE-01`.');
  });

  it('reads once who has to approve, and that it can only tell the user', () => {
    project = flowProject('bare');
    const { rig, events } = project;
    rig.write(
      '.holdpoint/config.yaml',
      'workflow: {workflows: {docs: {phases: [write, check]}}, requirements: {write: {approval: true}}}\n',
    );
    project.done('start docs');
    project.done('begin');
    const reason = deniedBecause(rig.hook(events.pre('Bash', { command: 'holdpoint flow advance' })));
    expect(reason.split('\n').slice(0, -1)).toEqual([
      'Held by gate-blocker: GATE-write is closed, because write still needs:',
      '- gate_approval: a person has not approved it yet; a person has to run `holdpoint flow approve GATE-write`',
      'Tell the user, and stop.',
    ]);
  });

  it('reads no more where several rules hold', () => {
    project = flowProject('bare');
    const { rig, events } = project;
    project.done('start test-generate');
    project.done('begin');
    project.done('advance');
    project.done('begin');
    project.test('fail');
    const reason = deniedBecause(rig.hook(events.pre('Bash', { command: 'holdpoint flow advance' })));
    expect(reason.split('\n').slice(0, -1)).toEqual([
      "Held by iteration-corridor: the tests of phase '06-implementation' fail (iteration 1/10), so it cannot end yet.",
      'Last error of `npm test`: 1 failing',
      'Next: fix the failing tests and run them again. You may delegate the fix, but not the next phase.',
      'A person can waive this with `holdpoint flow approve GATE-06`.',
      'Also held by gate-blocker: 06-implementation lacks test_iteration.',
    ]);
  });
});

it('a skill that shares its name with one of iSDLC owes no delegation to an agent that is not there', () => {
  project = flowProject('bare');
  const { rig, events } = project;
  const load = events.post('Skill', { skill: 'discover', args: 'the code' }, { tool_response: 'loaded' });
  project.done('start fix');
  expect(rig.hook(load)).toMatchObject({ exitCode: 0, stdout: '' });
  expect(rig.hook(events.stop(false))).toMatchObject({ exitCode: 0, stdout: '' });
});

it.each([
  ['approve GATE-01', 'approve GATE-01'],
  ['cancel --reason x', 'cancel --reason TEXT'],
  ['suspend', 'suspend'],
])('an agent who tries `flow %s` reads which command a person runs', (tried, asked) => {
  project = flowProject('bare');
  project.done('start fix');
  const answer = `They can run \`holdpoint flow ${asked}\` in their own terminal.`;
  const ended = project.flow(tried, AS_AGENT);
  expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ended.stderr).toMatch(/^Only a person can /);
  expect(ended.stderr).toContain(answer);
});
