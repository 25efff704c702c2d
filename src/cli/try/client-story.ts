import { bash, type Call, call, say, type Turn } from './client/turn';

/** One answer of the scripted model, and what a watcher is told of it. */
export interface Step {
  readonly told: string;
  readonly shown: string;
  readonly turn: Turn;
  /** What a tool answers is of interest only where it is ours; what holds the agent always is. */
  readonly tellsReply?: true;
}

/** The same day as in the scripted story, lived by an agent in its real host. */
export const CLIENT_STORY: readonly Step[] = [
  {
    told: 'The agent reads a file. Nobody asked about reading, so nothing happens.',
    ...doing('Read src/login.ts', { name: 'Read', input: { file_path: 'src/login.ts' } }),
  },
  { told: 'The agent edits without a plan.', ...editing('42', '43') },
  {
    told: 'It does what it has read: the plan is there, and it says so in its own shell.',
    ...running('req satisfy commit_plan'),
    tellsReply: true,
  },
  { told: 'It tries again.', ...editing('42', '43') },
  { told: 'It switches to main …', ...running('git checkout --quiet main') },
  { told: '… and goes on editing there.', ...editing('43', '44') },
  { told: 'It goes back to its branch.', ...running('git checkout --quiet feature/login') },
  {
    told: 'It wants to end its turn, but the edit called for a changelog entry.',
    shown: 'end of the turn',
    turn: say('All done.'),
  },
  {
    told: 'The entry is written and recorded.',
    ...running('req satisfy changelog'),
    tellsReply: true,
  },
  { told: 'The agent ends its turn.', shown: 'end of the turn', turn: say('The changelog is written.') },
];

function doing(shown: string, one: Call): Pick<Step, 'shown' | 'turn'> {
  return { shown, turn: call(one) };
}

function running(command: string): Pick<Step, 'shown' | 'turn'> {
  return doing(`Bash ${command}`, bash(command));
}

function editing(before: string, after: string): Pick<Step, 'shown' | 'turn'> {
  const input = { file_path: 'src/login.ts', old_string: before, new_string: after };
  return doing('Edit src/login.ts', { name: 'Edit', input });
}
