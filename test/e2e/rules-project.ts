import { join } from 'node:path';
import { eventsIn } from './events';
import { at, type Ended, type HostDocument, makeRig, type Rig } from './rig';

/** A project with rules of its own, and what its agent is told. */
export interface RulesRig extends Rig {
  /** Writes `.holdpoint/rules/NAME`. */
  rule(name: string, text: string): void;
  edit(path?: string, text?: string, more?: HostDocument): Ended;
  bash(command: string, more?: HostDocument): Ended;
  after(tool: string, input: HostDocument, more?: HostDocument): Ended;
  stop(more?: HostDocument): Ended;
  prompt(text: string): Ended;
  start(more?: HostDocument): Ended;
  mcp(tool: string, input: HostDocument): Ended;
}

let calls = 0;

/** `config` stands in `.holdpoint/config.yaml`; rules need none. */
export function rulesRig(config = ''): RulesRig {
  const rig = makeRig(config, '.holdpoint/config.yaml');
  rig.write('src/a.ts', 'const a = 1;\n');
  const events = eventsIn(rig);
  const id = (): HostDocument => ({ tool_use_id: `toolu_${calls++}`, prompt_id: 'p1' });
  return {
    ...rig,
    rule: (name, text) => rig.write(join('.holdpoint/rules', name), text),
    edit: (path = 'src/a.ts', text = 'x', more = {}) =>
      rig.hook(
        events.pre(
          'Edit',
          { file_path: join(rig.repo, path), old_string: 'a', new_string: text },
          { ...id(), ...more },
        ),
      ),
    bash: (command, more = {}) => rig.hook(events.pre('Bash', { command }, { ...id(), ...more })),
    after: (tool, input, more = {}) =>
      rig.hook(events.post(tool, input, { tool_response: { stdout: '' }, ...id(), ...more })),
    stop: (more = {}) =>
      rig.hook(events.stop(false, { prompt_id: 'p1', last_assistant_message: `${calls++}`, ...more })),
    start: (more = {}) => rig.hook(events.start('startup', more)),
    prompt: (text) =>
      rig.hook({
        session_id: events.stop(false)['session_id'],
        hook_event_name: 'UserPromptSubmit',
        prompt: text,
        cwd: rig.repo,
      }),
    mcp: (tool, input) => rig.hook(events.pre(tool, input, id())),
  };
}

/** A rule in TypeScript whose body is given. */
export function ruleText(name: string, on: string, body: string, more = ''): string {
  return `import { advise, ask, defineRule, hold } from 'holdpoint';
import type { Event } from 'holdpoint';

export default defineRule({
  name: '${name}',
  on: ${on.startsWith('[') ? on : `'${on}'`},
${more}  decide(event: Event, ctx) {
    ${body}
  },
});
`;
}

export const isSilent = ({ stdout, stderr, exitCode }: Ended): boolean =>
  stdout === '' && stderr === '' && exitCode === 0;

/** What a call is told: `deny` with a reason, `ask`, or advice. */
export function saidTo({ json }: Ended): { readonly decision: unknown; readonly text: string } {
  const output = (name: string): unknown => at(json, 'hookSpecificOutput', name);
  const text = output('permissionDecisionReason') ?? output('additionalContext') ?? at(json, 'reason') ?? '';
  return { decision: output('permissionDecision') ?? at(json, 'decision'), text: String(text) };
}
