import * as v from 'valibot';
import {
  amount,
  bracketTrouble,
  described,
  flag,
  name,
  regexTrouble,
  seconds,
  sound,
  text,
  words,
} from '../../config/section';
import { isJsonObject } from '../../core/json';
import { expandBraces, MOST_ALTERNATIVES } from '../../core/text';

/* What an editor shows beside each key of the requirements: a sentence a key. */

export const SECTION_KEYS = {
  requirements: 'What must happen before an agent may go on. Each name is a rule.',
  hooks: 'What the requirements do at the events of a session, besides holding tool calls.',
  enforce_everywhere:
    'In the global file: enforce its requirements in projects without a config of their own too.',
};

const REQUIREMENT = {
  enabled: 'Whether the rule is on. Default: false.',
  type: '`blocking` holds until somebody says it is done, `dynamic` while a value is too large, `guard` while a fact about the project is true.',
  scope:
    'How long it stays satisfied: for this `session`, on this `branch`, `permanent` in the project, or `single_use` for one call.',
  per_branch:
    'True: a session satisfies the rule anew on each branch. Default: false, a session keeps what it has satisfied when it changes branches; true in files of the old framework and for `protected_branch`.',
  trigger_tools:
    'The tool calls that trigger it. Default: Edit, Write and MultiEdit. Files outside the project trigger nothing.',
  paths: 'Globs below the project: only calls that touch one of these paths trigger it.',
  exclude_paths: 'Globs below the project: calls that touch only these paths do not trigger it.',
  message: 'What a held agent reads first, in place of the description.',
  short_message: 'What the agent reads when the same call is held again within seconds.',
  checklist: 'Points to think of; for people, shown by `req config`.',
  description: 'What the agent has to do, in one sentence. A held agent reads it first.',
  auto_resolve_skill: 'The skill that a held agent is told to run. Default: the one in `satisfied_by_skill`.',
  satisfied_by_skill: 'The skill that satisfies the rule when it is run.',
  stop_only: 'Never holds a tool call; holds the end of the turn instead.',
  agent_may_satisfy: 'False: a person has to approve it, in a terminal of their own. Default: true.',
  replan_ttl: 'Seconds until a satisfaction by a skill expires.',
  evidence: 'What must be there besides somebody’s word.',
  deprecated: 'Marks the rule as deprecated; has no effect.',
  deprecated_message: 'What to use instead; has no effect.',
  calculator:
    'What computes the value: `branch_size`, or a command that prints a number. Required for `dynamic`.',
  thresholds: 'How large the value may get. Required for `dynamic`.',
  cache_ttl: 'Seconds for which a computed value is reused. Default: 60.',
  approval_ttl: 'Seconds for which `req approve` lets a value pass. Default: 300.',
  blocking_message:
    'Why the call is held, below the description; {value}, {summary}, {base_branch}, {warn_threshold} and {block_threshold} are filled in.',
  guard_type:
    'The fact that holds: `protected_branch`, or `single_session` (another session is at work here). Required for `guard`.',
  protected_branches: 'The protected branches, as names or globs. Default: master and main.',
};

/** A key with the sentence that an editor shows beside it. */
function key<Schema extends v.GenericSchema>(schema: Schema, sentence: string): Schema {
  return described({ key: schema }, { key: sentence }).key;
}

/* Why a glob would not mean what it seems to: said when the config is read, or it would silently match nothing. */

const PLAIN = 'a backslash before it makes it a plain sign';

/** Of a path below the project. */
function pathTrouble(glob: string): string | undefined {
  if (glob.startsWith('!'))
    return `begins with \`!\`; what is left out stands in \`exclude_paths\`, and ${PLAIN}`;
  if (glob.startsWith('~')) return 'begins with `~`, which is not filled in; write the directory out';
  if (glob.split('/').includes('..')) return 'leads out of the project with `..`; write the directory out';
  return nameTrouble(glob);
}

/** Of a name, such as that of a branch. */
function nameTrouble(glob: string): string | undefined {
  if (glob.startsWith('!')) return `begins with \`!\`, which turns nothing round here; ${PLAIN}`;
  const bare = glob.replace(/\\./gs, '_');
  if (/[?*+@!]\(/.test(bare)) return `has a group in round brackets with a sign before it; ${PLAIN}`;
  if (bare.endsWith('\\')) return 'ends with a backslash that stands before nothing';
  return bracketTrouble(glob) ?? countTrouble(glob);
}

/** Of a tool, whose name has none of these signs: there only `*` and alternatives are of use. */
function toolTrouble(glob: string): string | undefined {
  if (/[?[\]!\\]/.test(glob)) return 'takes `*` and `{a,b}` only; no tool has such a sign in its name';
  return nameTrouble(glob);
}

function countTrouble(glob: string): string | undefined {
  if (expandBraces([glob]).length <= MOST_ALTERNATIVES) return undefined;
  return `stands for more than ${MOST_ALTERNATIVES} globs; write fewer alternatives`;
}

const toolName = sound(toolTrouble);
const paths = v.optional(v.array(sound(pathTrouble)));
const branches = v.optional(v.array(sound(nameTrouble)));
const directory = sound((dir) =>
  dir.includes('*') ? 'is a directory with all that is in it, and takes no `*`' : undefined,
);

export const SCOPES = ['session', 'branch', 'permanent', 'single_use'] as const;

const scopes = v.optional(v.array(v.picklist(SCOPES)));
const guardType = v.picklist(['protected_branch', 'single_session']);
const thresholds = v.strictObject({
  block: key(amount, 'Calls are held from this value on, unless somebody approves it.'),
  warn: key(v.optional(amount), 'From this value on the agent is told now and then that the limit is near.'),
});

const commandPattern = sound(regexTrouble, v.string());
const commandTrigger = v.strictObject({
  tool: key(toolName, 'The name of the tool; `*` matches any characters.'),
  command_pattern: key(
    v.optional(commandPattern),
    'A regular expression, searched in each command of the line.',
  ),
});
const trigger = v.lazy((input) => (typeof input === 'string' ? toolName : commandTrigger));

const evidence = v.strictObject({
  dirs: key(
    v.optional(v.array(directory)),
    'Directories of Markdown files, one of which must show it. Default: .claude/plans.',
  ),
  require_markers: key(words, 'Texts that the file must contain, all of them.'),
  require_verdict: key(v.optional(name), 'A word that the file’s section `## Verdict` must contain.'),
  max_age_seconds: key(seconds, 'How old the file may be.'),
  command: key(v.optional(name), 'A shell command that must exit with 0, instead of files.'),
});

const requirementKeys = described(
  {
    enabled: flag,
    type: v.optional(v.picklist(['blocking', 'dynamic', 'guard'])),
    scope: v.optional(v.picklist(SCOPES)),
    per_branch: flag,
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
    replan_ttl: seconds,
    evidence: v.optional(evidence),
    deprecated: flag,
    deprecated_message: text,
    calculator: v.optional(name),
    thresholds: v.optional(thresholds),
    cache_ttl: seconds,
    approval_ttl: seconds,
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

/** A requirement as the config has it, once it was found to be right. */
export type RequirementInput = v.InferOutput<typeof plainRequirement>;

/** Which keys are needed depends on the type; each variant names its own missing ones. */
export const requirement = v.lazy((input): v.GenericSchema<unknown, RequirementInput> => {
  const type = isJsonObject(input) ? input['type'] : undefined;
  if (type === 'guard') return guardRequirement;
  return type === 'dynamic' ? dynamicRequirement : plainRequirement;
});

const carryOver = v.strictObject({
  enabled: key(
    flag,
    'True: every new session takes over; false: none. Default: only a session after `/clear`.',
  ),
  window_seconds: key(seconds, 'How many seconds ago it may have been satisfied. Default: 300.'),
  scopes: key(scopes, 'The scopes that are taken over. Default: session.'),
});

const THINK_FIRST =
  'Whether it is told, once a session, to think first while `design_approved` is enabled and open.';

/** What the requirements do at each of the host's events. */
export const hooks = v.strictObject({
  session_start: part('What the agent is told when a session begins, and what the session takes over.', {
    inject_context: key(flag, 'Whether the agent is told what is still open.'),
    briefing_format: key(
      v.optional(v.picklist(['compact', 'standard', 'rich'])),
      '`compact`: a few lines; `standard`: a table.',
    ),
    custom_header: key(text, 'A first line of your own.'),
    carry_over: key(v.optional(carryOver), 'Which satisfactions of another session a new one takes over.'),
  }),
  stop: part('What is checked when a turn is about to end.', {
    verify_requirements: key(flag, 'Whether the end of a turn is held for what is not satisfied.'),
    verify_scopes: key(scopes, 'The scopes that are checked. Default: session.'),
  }),
  session_end: part('What happens to a session’s satisfactions when it ends.', {
    clear_session_state: key(flag, 'Whether what the session has satisfied is cleared.'),
  }),
  plan_enter: part('What the agent is told when it enters plan mode.', {
    brainstorm_on_enter: key(flag, THINK_FIRST),
  }),
  prompt_submit: part('What the agent is told when a prompt asks for work.', {
    brainstorm_nudge: key(flag, THINK_FIRST),
  }),
  permission_request: part('How permission requests of the host are answered.', {
    auto_deny_dangerous: key(flag, 'Whether requests to run a destructive command are denied.'),
  }),
  session_learning: part('A question to the person after a turn that ended well.', {
    enabled: key(flag, 'Whether the person is asked at all.'),
    prompt_on_stop: key(flag, 'Whether the question comes at the end of a turn.'),
    min_tool_uses: key(v.optional(amount), 'How many tools the session must have used before.'),
  }),
});

function part<Entries extends v.ObjectEntries>(sentence: string, entries: Entries) {
  return key(v.optional(v.strictObject(entries)), sentence);
}

const phase = v.strictObject({ name, gate: text, skill: text, description: text, brainstorm_on_enter: flag });

/** The rest of a requirements file. Its `workflow` is not the discipline of that name. */
export const fileKeys = v.strictObject({
  version: v.optional(v.unknown()),
  enabled: flag,
  strict_preflight: flag,
  workflow: v.optional(
    v.strictObject({ phases: v.optional(v.array(phase)), default_phase: text, ship_phase: text }),
  ),
});
