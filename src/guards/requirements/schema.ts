import * as v from 'valibot';
import {
  amount,
  bracketTrouble,
  described,
  flag,
  MODE_TEXT,
  mode,
  name,
  regexTrouble,
  seconds,
  text,
  validText,
  words,
} from '../../config/section';
import { EFFECTS, type Effect } from '../../core/effect-kinds';
import { isJsonObject } from '../../core/json';
import { expandBraces, MOST_ALTERNATIVES, secondsIn } from '../../core/text';

/* Key descriptions for editors and docs/reference.md, which reads "Default: …" at the end of each. */

export const SECTION_KEYS = {
  requirements: 'Requirements by name: what must happen before an agent may go on.',
  hooks: 'What requirements do at a session’s events, besides holding tool calls.',
  enforce_everywhere:
    'Only in the global file: apply its requirements in projects without a config of their own. Default: false.',
  hub: 'The hub whose approvals count in this project. Default: the one that the machine has joined.',
};

const REQUIREMENT = {
  enabled: 'Turns the requirement on. Default: false.',
  mode: MODE_TEXT,
  type: '`blocking` holds until somebody says it is done, `dynamic` while a value is too large, `guard` while a fact about the project is true. Default: blocking.',
  scope:
    'How long it stays satisfied: for this `session`, on this `branch`, `permanent` in the project, or `single_use` for one call. Default: session.',
  per_branch:
    'If true, a session has to satisfy the rule again on each branch. Default: false; true in files of the old framework and for `protected_branch`.',
  on: 'What triggers it, by any tool, shell and MCP included: one or a list of `edit`, `commit`, `push`, `merge`, `pr`, `delete`, `network`, `config`. See [effects](effects.md). Default: none.',
  trigger_tools:
    'The tool calls that trigger it, by name. Files outside the project trigger nothing. Default: [Edit, Write, MultiEdit] without `on`.',
  paths:
    'Globs relative to the project root. Only calls that touch a matching path trigger it. Default: all paths.',
  exclude_paths: 'Globs relative to the project root. These paths never trigger it. Default: none.',
  message: 'Replaces the first lines of a hold by this requirement alone.',
  short_message: 'Replaces the text of the same hold repeated within five seconds.',
  checklist: 'Notes for people, shown by `req config`.',
  description: 'What the agent should do, in a sentence or two. A held agent reads it first.',
  auto_resolve_skill: 'The skill a held agent is told to run.',
  satisfied_by_skill: 'Running this skill satisfies the requirement.',
  stop_only: 'Holds the end of the turn instead of tool calls. Default: false.',
  agent_may_satisfy: 'If false, a person has to approve it. Default: true.',
  approval:
    '`hub`: only an approval signed by the hub counts. Default: any channel of a person, if `agent_may_satisfy` is false.',
  replan_ttl: 'Seconds until a satisfaction by a skill expires. Default: never.',
  evidence: 'For `blocking`: what must also exist before it counts as satisfied.',
  deprecated: 'Accepted, no effect.',
  deprecated_message: 'Accepted, no effect.',
  calculator: 'Required for `dynamic`: `branch_size`, or a shell command that prints a number.',
  thresholds: 'Required for `dynamic`: the limits of the value.',
  cache_ttl: 'For `dynamic`: seconds a computed value is reused. Default: 60.',
  approval_ttl:
    'How long an approval lasts, in seconds or as `30m` or `8h`. Default: 300 for `dynamic`, otherwise as long as the `scope` says.',
  blocking_message:
    'For `dynamic`: the reason a held agent reads. {value}, {total}, {summary}, {base_branch}, {warn_threshold} and {block_threshold} are filled in.',
  guard_type:
    'Required for `guard`: `protected_branch` holds on certain branches, `single_session` while an earlier session is alive in the project.',
  protected_branches: 'For `protected_branch`: branch names or globs. Default: [master, main].',
};

function key<Schema extends v.GenericSchema>(schema: Schema, sentence: string): Schema {
  return described({ key: schema }, { key: sentence }).key;
}

/* Misleading globs are reported when the config is read; otherwise they would silently match nothing. */

const PLAIN = 'put a backslash before it if the name contains it';

/** For a path in the project. */
function pathTrouble(glob: string): string | undefined {
  if (glob.startsWith('!')) return `begins with \`!\`; list exceptions in \`exclude_paths\`, or ${PLAIN}`;
  if (glob.startsWith('~')) return 'begins with `~`, which is not expanded; write the path out';
  if (glob.split('/').includes('..')) return 'contains `..`; write the path from the root of the project';
  return nameTrouble(glob);
}

/** For a name, such as that of a branch. */
function nameTrouble(glob: string): string | undefined {
  if (glob.startsWith('!')) return `begins with \`!\`, which does not negate here; ${PLAIN}`;
  const bare = glob.replace(/\\./gs, '_');
  if (/[?*+@!]\(/.test(bare))
    return `has a group such as \`@(a|b)\`, which is not supported; write \`{a,b}\`, or ${PLAIN}`;
  if (bare.endsWith('\\')) return 'ends with a backslash';
  return bracketTrouble(glob) ?? countTrouble(glob);
}

/** For a tool. Tool names have no special characters, so only `*` and alternatives are of use. */
function toolTrouble(glob: string): string | undefined {
  if (/[?[\]!\\]/.test(glob))
    return 'takes only `*` and `{a,b}`; tool names have no other special characters';
  return nameTrouble(glob);
}

function countTrouble(glob: string): string | undefined {
  if (expandBraces([glob]).length <= MOST_ALTERNATIVES) return undefined;
  return `stands for more than ${MOST_ALTERNATIVES} globs; write fewer alternatives`;
}

const toolName = validText(toolTrouble);
const paths = v.optional(v.array(validText(pathTrouble)));
const branches = v.optional(v.array(validText(nameTrouble)));
const directory = validText((dir) =>
  dir.includes('*') ? 'must be a directory without `*`; everything in it counts' : undefined,
);

const effect = v.picklist(EFFECTS);
const effects = v.array(effect);
const oneOrMore = v.lazy(
  (input): v.GenericSchema<unknown, Effect | Effect[]> => (Array.isArray(input) ? effects : effect),
);

export const SCOPES = ['session', 'branch', 'permanent', 'single_use'] as const;

const scopes = v.optional(v.array(v.picklist(SCOPES)));
const guardType = v.picklist(['protected_branch', 'single_session']);
const thresholds = v.strictObject({
  block: key(amount, 'Calls are held at or above this value, until it is approved.'),
  warn: key(v.optional(amount), 'The agent is warned at or above this value. Default: no warning.'),
});

const commandPattern = validText(regexTrouble, v.string());
const commandTrigger = v.strictObject({
  tool: key(toolName, 'The tool’s name; `*` matches any characters.'),
  command_pattern: key(
    v.optional(commandPattern),
    'A regular expression searched, ignoring case, in each command of the line. Default: every command.',
  ),
});
const trigger = v.lazy((input) => (typeof input === 'string' ? toolName : commandTrigger));

const evidence = v.strictObject({
  dirs: key(
    v.optional(v.array(directory)),
    'Directories to search for a Markdown file that meets every condition here. Default: [.claude/plans].',
  ),
  require_markers: key(words, 'Strings the file must contain. Default: none.'),
  require_verdict: key(
    v.optional(name),
    'A word the file’s `## Verdict` section must contain, not right after “not”. Default: none.',
  ),
  max_age_seconds: key(seconds, 'How old the file may be, in seconds. Default: any age.'),
  command: key(v.optional(name), 'Instead of a file: a shell command that must exit with 0.'),
});

const timeText = validText((given) =>
  secondsIn(given) === undefined ? 'takes seconds, or a time such as 30m or 8h' : undefined,
);
const duration = v.lazy(
  (input): v.GenericSchema<unknown, number | string> => (typeof input === 'string' ? timeText : amount),
);

const keyName = validText((given) =>
  /^sha256:[0-9a-f]{64}$/.test(given)
    ? undefined
    : 'must be `sha256:` and 64 hex digits, as `holdpoint hub status` shows it',
);

export const hub = v.strictObject({
  key: key(
    v.optional(keyName),
    'Only approvals signed by this key, or by one that it has handed over to, count.',
  ),
});

const requirementKeys = described(
  {
    enabled: flag,
    mode,
    type: v.optional(v.picklist(['blocking', 'dynamic', 'guard'])),
    scope: v.optional(v.picklist(SCOPES)),
    per_branch: flag,
    on: v.optional(oneOrMore),
    trigger_tools: v.optional(v.array(trigger)),
    paths,
    exclude_paths: paths,
    message: text,
    short_message: text,
    checklist: words,
    description: text,
    auto_resolve_skill: v.optional(name),
    satisfied_by_skill: v.optional(name),
    stop_only: flag,
    agent_may_satisfy: flag,
    approval: v.optional(v.picklist(['hub'])),
    replan_ttl: seconds,
    evidence: v.optional(evidence),
    deprecated: flag,
    deprecated_message: text,
    calculator: v.optional(name),
    thresholds: v.optional(thresholds),
    cache_ttl: seconds,
    approval_ttl: v.optional(duration),
    blocking_message: text,
    guard_type: v.optional(guardType),
    protected_branches: branches,
  },
  REQUIREMENT,
);

const plainRequirement = v.looseObject(requirementKeys);
const guardRequirement = v.looseObject({
  ...requirementKeys,
  ...described({ guard_type: guardType }, REQUIREMENT),
});
const dynamicRequirement = v.looseObject({
  ...requirementKeys,
  ...described({ calculator: name, thresholds }, REQUIREMENT),
});

/** A valid requirement as the config has it. */
export type RequirementInput = v.InferOutput<typeof plainRequirement>;

/** The type decides which keys are required; each variant reports its own missing ones. */
export const requirement = v.lazy((input): v.GenericSchema<unknown, RequirementInput> => {
  const type = isJsonObject(input) ? input['type'] : undefined;
  if (type === 'guard') return guardRequirement;
  return type === 'dynamic' ? dynamicRequirement : plainRequirement;
});

const carryOver = v.strictObject({
  enabled: key(flag, 'Whether a new session takes over recent satisfactions. Default: only after `/clear`.'),
  window_seconds: key(seconds, 'How recent a satisfaction must be, in seconds. Default: 300.'),
  scopes: key(scopes, 'The scopes to take over. Default: [session].'),
});

const THINK_FIRST =
  'Tell the agent once a session to think first while `design_approved` is enabled and not satisfied. Default: true.';

/** What the requirements do at each of the host's events. */
export const hooks = v.strictObject({
  session_start: part('The start of a session.', {
    inject_context: key(flag, 'Tell the agent which requirements are not satisfied. Default: true.'),
    briefing_format: key(
      v.optional(v.picklist(['compact', 'standard', 'rich'])),
      '`compact` is a few lines, `standard` a table. Default: compact.',
    ),
    custom_header: key(text, 'Your own first line. Default: none.'),
    carry_over: key(v.optional(carryOver), 'What a new session takes over from the one before.'),
  }),
  stop: part('The end of a turn.', {
    verify_requirements: key(
      flag,
      'Hold the end of a turn while a triggered requirement is not satisfied. Default: true.',
    ),
    verify_scopes: key(scopes, 'The scopes that can hold the end of a turn. Default: [session].'),
  }),
  session_end: part('The end of a session.', {
    clear_session_state: key(flag, 'Forget what was satisfied in the session. Default: false.'),
  }),
  plan_enter: part('Entering plan mode.', {
    brainstorm_on_enter: key(flag, THINK_FIRST),
  }),
  prompt_submit: part('A prompt that asks for work.', {
    brainstorm_nudge: key(flag, THINK_FIRST),
  }),
  permission_request: part('Permission dialogs.', {
    auto_deny_dangerous: key(
      flag,
      'Answer no when the agent asks to run a destructive command. Default: true.',
    ),
  }),
});

function part<Entries extends v.ObjectEntries>(sentence: string, entries: Entries) {
  return key(v.optional(v.strictObject(entries)), sentence);
}

const phase = v.strictObject({ name, gate: text, skill: text, description: text, brainstorm_on_enter: flag });

/** The other keys of a requirements file. Its `workflow` is not the discipline of that name. */
export const fileKeys = v.strictObject({
  version: v.optional(v.unknown()),
  enabled: flag,
  strict_preflight: flag,
  workflow: v.optional(
    v.strictObject({ phases: v.optional(v.array(phase)), default_phase: text, ship_phase: text }),
  ),
});
