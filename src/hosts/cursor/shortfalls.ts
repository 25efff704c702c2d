import { EVERYWHERE, NO_API_ERRORS, NO_REPORT, NO_TOKENS, type Shortfall } from '../shortfall';

/** What Cursor lacks beside what its capabilities show. */
export const shortfalls: readonly Shortfall[] = [
  { guards: EVERYWHERE, text: 'Written after Cursor’s documents; not run against Cursor itself.' },
  {
    guards: EVERYWHERE,
    text: 'A hook that runs out of time lets the call through, unless it was installed with `--fail-closed`.',
  },
  {
    guards: ['requirements', 'workflow', 'loop'],
    text: 'The agent’s shell does not know its session: where several are live, commands need --session.',
  },
  {
    guards: ['requirements'],
    text: 'The server of an MCP tool is not told: rules have to name it as Cursor does, `MCP:tool`.',
  },
  {
    guards: ['requirements', 'workflow'],
    text: 'The use of a skill is no tool call and is not seen, and subagents are not told from the main agent.',
  },
  {
    guards: ['requirements', 'workflow'],
    text: 'Whether a shell command failed is known only where the answer has its exit code.',
  },
  {
    guards: ['loop'],
    text: 'What the agent said last is not told, so its signals are not heard: a loop ends by its bounds or by a person.',
    isGrave: true,
  },
  { guards: ['gates', 'loop'], text: 'The host ends a turn after 5 refused stops.' },
  NO_REPORT,
  NO_API_ERRORS,
  NO_TOKENS,
];
