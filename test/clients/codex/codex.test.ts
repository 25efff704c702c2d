import { expect, it } from 'vitest';
import { itGoesOn, itIsDenied, itKeepsItsPass, PLAN_CONFIG, textIn } from '../contract/denied';
import { itIsHeldAtTheEnd, itIsLetGoInTheEnd } from '../contract/held';
import { itLeavesNoTrace } from '../contract/no-trace';
import { makeProject, type Start } from '../host-project';
import { inClient } from '../in-client';
import { call, say, type Turn } from '../scripted-model';
import { codex, untrustingCodex } from './client';

const touch = call(codex.shell('touch a.txt'));

inClient('codex', codex.title, () => {
  itIsDenied(codex);
  itGoesOn(codex);
  itKeepsItsPass(codex, false);
  itIsHeldAtTheEnd(codex);
  itIsLetGoInTheEnd(codex);
  itLeavesNoTrace(codex, (foreign) => {
    const hooks = [{ type: 'command', command: `touch '${foreign}'`, timeout: 5 }];
    return { '.codex/hooks.json': JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks }] } }, null, '\t') };
  });

  it('does not run what nobody has trusted, and `doctor` says so', async () => {
    const project = makeProject(untrustingCodex, PLAN_CONFIG);
    project.install();
    await project.play([touch, say('Done.')]);
    expect(textIn(project, 'a.txt')).toBe('');
    expect(project.holdpoint(['doctor']).stdout).toContain('codex-untrusted');
  });

  it('calls nobody for what is typed into a terminal that runs already, which one of its features switches off', async () => {
    const project = makeProject(codex, PLAN_CONFIG);
    project.install();
    const open = call({ name: 'exec_command', input: { cmd: 'bash', tty: true, yield_time_ms: 250 } });
    const type = (news: string): Turn => {
      const id = Number(/session ID (\d+)/.exec(news)?.[1] ?? 1);
      const input = { session_id: id, chars: 'touch a.txt; exit\n', yield_time_ms: 10_000 };
      return call({ name: 'write_stdin', input });
    };
    const withoutTerminals = ({ args, ...start }: Start): Start => ({
      ...start,
      args: [...args.slice(0, -1), '--disable', 'unified_exec_tty', ...args.slice(-1)],
    });
    const held = await project.play([open, type, say('Done.')], { instead: withoutTerminals });
    expect(held.asked[1]).toContain('TTY execution is disabled');
    expect(textIn(project, 'a.txt')).toBeUndefined();
    await project.play([open, type, say('Done.')]);
    expect(textIn(project, 'a.txt')).toBe('');
  });
});
