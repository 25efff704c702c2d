import type { JsonObject } from '../../core/json';

/** One moment of the scripted session: an event of the host, or a command of the person. */
export type Scene =
  | { readonly kind: 'event'; readonly told: string; readonly event: JsonObject }
  | {
      readonly kind: 'command';
      readonly told: string;
      readonly command: string;
      readonly args: readonly string[];
    };

export const CONFIG = `# .holdpoint/config.yaml, committed with the project
requirements:
  commit_plan:
    enabled: true
    scope: session              # once in every session
    trigger_tools: [Edit, Write]
  release_branches:
    enabled: true
    type: guard
    guard_type: protected_branch
    protected_branches: [main, "release/*"]
  changelog:
    enabled: true
    stop_only: true             # never in the way, asked for when the turn ends
    trigger_tools: [Edit]
`;

export const SESSION = '5e551011-0000-4000-8000-000000000001';
const KEY = '5e551011';

/** The session that a newcomer watches: held, told why, released. */
export const STORY: readonly Scene[] = [
  {
    kind: 'event',
    told: 'The session starts. The agent is told what was agreed.',
    event: { hook_event_name: 'SessionStart', source: 'startup' },
  },
  {
    kind: 'event',
    told: 'The agent reads a file. Nobody asked about reading, so nothing happens.',
    event: {
      hook_event_name: 'PreToolUse',
      tool_name: 'Read',
      tool_input: { file_path: 'src/login.ts' },
      tool_use_id: 'toolu_01',
    },
  },
  {
    kind: 'event',
    told: 'The agent edits without a plan.',
    event: editOf('toolu_02'),
  },
  {
    kind: 'command',
    told: 'A person looks at the plan and says that it is fine.',
    command: 'req',
    args: ['satisfy', 'commit_plan', '--session', KEY],
  },
  {
    kind: 'event',
    told: 'The agent tries again.',
    event: editOf('toolu_03'),
  },
  {
    kind: 'event',
    told: 'The agent wants to end its turn, but the edit called for a changelog entry.',
    event: { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: 'All done.' },
  },
  {
    kind: 'command',
    told: 'The entry is written and recorded.',
    command: 'req',
    args: ['satisfy', 'changelog', '--session', KEY],
  },
  {
    kind: 'event',
    told: 'The agent ends its turn.',
    event: { hook_event_name: 'Stop', stop_hook_active: true, last_assistant_message: 'Changelog written.' },
  },
  {
    kind: 'command',
    told: 'Somebody switches to main.',
    command: 'git',
    args: ['checkout', '--quiet', 'main'],
  },
  {
    kind: 'event',
    told: 'The agent goes on editing there.',
    event: editOf('toolu_04'),
  },
];

function editOf(id: string): JsonObject {
  return {
    hook_event_name: 'PreToolUse',
    tool_name: 'Edit',
    tool_input: { file_path: 'src/login.ts', old_string: 'a', new_string: 'b' },
    tool_use_id: id,
  };
}
