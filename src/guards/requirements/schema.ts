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
  requirements: 'What has to be done before an agent may go on; each name is a requirement of its own.',
  hooks: 'What the requirements do at the events of a session, beside holding tools.',
  enforce_everywhere:
    'In the global file: its requirements also count in projects that have no config of their own.',
};

const REQUIREMENT = {
  enabled: 'Whether the requirement counts; it does not unless this is true.',
  type: '`blocking` holds until somebody says it is done, `dynamic` while a value is too large, `guard` while a fact about the project holds.',
  scope:
    'For how long it stays satisfied: this `session`, the `branch`, `permanent` in the project, or `single_use` for one action.',
  trigger_tools: 'The tool calls that set it off; Edit, Write and MultiEdit where this is not given.',
  paths: 'Globs below the project: only calls that touch one of these paths set it off.',
  exclude_paths: 'Globs below the project: calls that touch only these paths do not set it off.',
  message: 'What a denied agent reads first, in place of the built-in words.',
  short_message: 'What the agent reads when the same denial comes again within seconds.',
  checklist: 'Points to think of; kept for people and shown by `req config`.',
  description: 'What the requirement is about, in a sentence that a denied agent reads too.',
  auto_resolve_skill: 'The skill that a denied agent is told to run.',
  satisfied_by_skill: 'The skill that satisfies the requirement when it is run.',
  stop_only: 'Lets every tool pass and holds the end of the turn instead.',
  agent_may_satisfy: 'False: only a person may say that it is done, not a command in the agent’s shell.',
  replan_ttl: 'Seconds for which a satisfaction by a skill counts.',
  evidence: 'What has to be there besides somebody’s word.',
  deprecated: 'Marks the requirement as one to be given up; without effect.',
  deprecated_message: 'What to use instead; without effect.',
  calculator:
    'What computes the value: `branch_size`, or a command of yours that prints a number; needed for `dynamic`.',
  thresholds: 'How large the value may get; needed for `dynamic`.',
  cache_ttl: 'Seconds for which a computed value is used again; 60 where this is not given.',
  approval_ttl: 'Seconds for which `req approve` lets a value pass; 300 where this is not given.',
  blocking_message:
    'The reason that a denied agent reads; {value}, {summary}, {base_branch}, {warn_threshold} and {block_threshold} are filled in.',
  guard_type: 'The fact that holds: a protected branch, or another session at work here; needed for `guard`.',
  protected_branches:
    'Branches on which it holds, as names or globs; master and main where this is not given.',
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
  block: key(amount, 'From this value on calls are held until somebody approves.'),
  warn: key(
    v.optional(amount),
    'From this value on the agent is told, once in a while, that the limit is near.',
  ),
});

const commandPattern = sound(regexTrouble, v.string());
const commandTrigger = v.strictObject({
  tool: key(toolName, 'The name of the tool; `*` stands for any letters.'),
  command_pattern: key(
    v.optional(commandPattern),
    'A regular expression that a shell command has to match, searched in each command of the line.',
  ),
});
const trigger = v.lazy((input) => (typeof input === 'string' ? toolName : commandTrigger));

const evidence = v.strictObject({
  dirs: key(
    v.optional(v.array(directory)),
    'Directories with Markdown files of which one has to show it; .claude/plans where this is not given.',
  ),
  require_markers: key(words, 'Texts that the file has to contain, all of them.'),
  require_verdict: key(v.optional(name), 'A word that has to stand in the file’s section `## Verdict`.'),
  max_age_seconds: key(seconds, 'How old the file may be.'),
  command: key(v.optional(name), 'A shell command that has to end with exit code 0, in place of files.'),
});

const requirementKeys = described(
  {
    enabled: flag,
    type: v.optional(v.picklist(['blocking', 'dynamic', 'guard'])),
    scope: v.optional(v.picklist(SCOPES)),
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
  enabled: key(flag, 'True: every new session takes over; false: none; not given: only one after `/clear`.'),
  window_seconds: key(seconds, 'How long ago it may have been satisfied; 300 where this is not given.'),
  scopes: key(scopes, 'The scopes that are taken over.'),
});

const THINK_FIRST =
  'Whether it is told, once a session, to think first while `design_approved` is enabled and open.';

/** What the requirements do at each of the host's events. */
export const hooks = v.strictObject({
  session_start: part('What a session hears when it begins, and what it takes over.', {
    inject_context: key(flag, 'Whether the agent reads at the start what is still open.'),
    briefing_format: key(
      v.optional(v.picklist(['compact', 'standard', 'rich'])),
      '`compact` says it in a few lines, `standard` in a table.',
    ),
    custom_header: key(text, 'A first line of your own.'),
    carry_over: key(v.optional(carryOver), 'Which satisfactions of another session a new one takes over.'),
  }),
  stop: part('What is looked at when a turn is about to end.', {
    verify_requirements: key(flag, 'Whether the end of a turn is held for what is not satisfied.'),
    verify_scopes: key(scopes, 'The scopes that are looked at.'),
  }),
  session_end: part('What happens to a session’s satisfactions when it ends.', {
    clear_session_state: key(flag, 'Whether a session takes its own satisfactions with it.'),
  }),
  plan_enter: part('What the agent hears when it enters plan mode.', {
    brainstorm_on_enter: key(flag, THINK_FIRST),
  }),
  prompt_submit: part('What the agent hears when a prompt asks for work.', {
    brainstorm_nudge: key(flag, THINK_FIRST),
  }),
  permission_request: part('How the client’s questions for a permission are answered.', {
    auto_deny_dangerous: key(flag, 'Whether a request to run a destructive command is answered with no.'),
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
