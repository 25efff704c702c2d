import { nearest } from '../../config/nearest';
import type { Scope } from '../../guards/requirements/config';
import { printable } from '../ui/output';
import type { KnownSession, UnknownSession } from './find-session';

export function unknownReqVerb(req: string, name: string, known: readonly string[]): string {
  const said = name === '' ? `${req}: say what to do.` : `${req}: there is no command '${printable(name)}'.`;
  const near = nearest(name, known);
  const hint = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean '${near}'?`;
  return `${said} ${hint} Try '${req} --help'.`;
}

export function unknownRequirement(name: string, near: string | undefined): string {
  return [
    `Unknown requirement: '${printable(name)}'`,
    ...(near === undefined ? [] : ['Did you mean?', `  ${printable(near)}`]),
    'Where to define it:',
    '  .holdpoint/config.yaml or .claude/requirements.yaml (this project)',
    '  .holdpoint/config.local.yaml or .claude/requirements.local.yaml (only here, not committed)',
    '  ~/.config/holdpoint/config.yaml or ~/.claude/requirements.yaml (all projects)',
    'Use --force to record it all the same.',
  ].join('\n');
}

export function nothingToClear(name: string, near: string | undefined): string {
  return [
    `Unknown requirement: '${printable(name)}'`,
    ...(near === undefined ? [] : ['Did you mean?', `  ${printable(near)}`]),
    'Neither the config nor the state of this branch knows it; `req list` and `req status` show what they know.',
  ].join('\n');
}

export function emptySessionId(verb: string): string {
  return `req ${verb}: --session takes the id of a session, not an empty text.`;
}

/** Why no session could be told, and how to give one. */
export function noSession({ live, registry }: UnknownSession, root: string): string {
  if (live.length === 0) {
    const what =
      registry === 'missing'
        ? 'No active Claude Code session found!'
        : 'No active Claude Code sessions in registry!';
    return `${what}\nGive the session yourself with --session ID (the id stands in the message that was shown to the agent).`;
  }
  return [
    'No Claude Code session found for this shell!',
    `PPID: ${process.ppid}`,
    `Project: ${printable(root)}`,
    'Live sessions:',
    ...live.map((one) => `  ${printable(one.id)} - ${printable(one.projectDir)} (${printable(one.branch)})`),
    'Choose one with --session ID.',
  ].join('\n');
}

/** Said besides the success: a mistyped id would satisfy nobody. */
export function notLive(session: string, live: readonly string[]): string {
  return `Note: ${printable(session)} is none of the live sessions (${printable(live.join(', '))}); it was recorded all the same.`;
}

/** Said besides the success, like the one above: what is recorded for a branch that never comes counts nowhere. */
export function noBranch(branch: string, near: string | undefined): string {
  const meant = near === undefined ? '' : ` Did you mean '${printable(near)}'?`;
  return `Note: there is no branch '${printable(branch)}' here; it was recorded all the same.${meant}`;
}

export function neverExpires(command: string, name: string): string {
  return `req ${command}: '${printable(name)}' is permanent and does not expire; leave --ttl out, or take it back later with 'req clear'.`;
}

export function agentMayNot(names: readonly string[]): string {
  return `${names.join(', ')}: the config says agent_may_satisfy: false, so a person has to run this in a terminal of their own.`;
}

/** Known by a shorter name in a line that scripts look for. */
const CLAUDE_CODE = 'Claude Code';

/** Which session is meant, and by which rule where nobody said so. */
export function sessionLine({ how, key, rule, host = CLAUDE_CODE }: KnownSession): string {
  if (how === 'explicit') return `Using explicit session: ${key}`;
  return `Auto-detected ${host === CLAUDE_CODE ? 'Claude' : host} session: ${key} (${rule})`;
}

interface Recorded {
  readonly branch: string;
  readonly level: 'session' | 'branch';
  /** How the session or the branch was found. */
  readonly told: string;
}

export interface Satisfied {
  readonly name: string;
  readonly scope: Scope;
  /** Seconds, where it is an approval that expires. */
  readonly approvedFor?: number;
}

/** What was recorded, and for whom. */
export function successLines(done: readonly Satisfied[], plan: Recorded): string[] {
  if (plan.level === 'branch') {
    return [plan.told, ...done.map(({ name }) => `Satisfied '${name}' at branch level for ${plan.branch}`)];
  }
  const [first, ...more] = done;
  if (first !== undefined && more.length === 0) return [plan.told, ...oneLine(first, plan.branch)];
  return [
    plan.told,
    `Satisfied ${done.length} requirement(s) for ${plan.branch}`,
    ...done.map(({ name, scope }) => `- ${name} (${scope} scope)`),
  ];
}

function oneLine({ name, scope, approvedFor }: Satisfied, branch: string): string[] {
  if (approvedFor === undefined) return [`Satisfied '${name}' for ${branch} (${scope} scope)`];
  const duration = `${Math.floor(approvedFor / 60)}m ${Math.floor(approvedFor % 60)}s`;
  return [`Approved '${name}' for ${branch}`, `Duration: ${duration} (${scope} scope)`];
}
