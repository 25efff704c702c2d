import type { LiveSession } from '../../domain/snapshot';
import type { Scope } from '../../guards/requirements/config';
import { printable } from '../output/printable';

export function unknownReqVerb(name: string, known: readonly string[]): string {
  const said = name === '' ? 'req: say what to do.' : `req: there is no command '${printable(name)}'.`;
  return `${said} Known: ${known.join(', ')}. Try 'req --help'.`;
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

export function noSession(sessions: readonly LiveSession[], root: string): string {
  if (sessions.length === 0) {
    return [
      'No active Claude Code sessions in registry!',
      'Give the session yourself: req satisfy NAME --session ID (the id stands in the message that was shown to the agent).',
    ].join('\n');
  }
  return [
    'No Claude Code session found for this shell!',
    `Project: ${printable(root)}`,
    'Live sessions:',
    ...sessions.map(
      (one) => `  ${printable(one.id)} - ${printable(one.projectDir)} (${printable(one.branch)})`,
    ),
    'Choose one with --session ID.',
  ].join('\n');
}

export function agentMayNot(names: readonly string[]): string {
  return `${names.join(', ')}: the config says agent_may_satisfy: false, so a person has to run this in a terminal of their own.`;
}

export function sessionLine(how: 'explicit' | 'detected', session: string): string {
  return how === 'explicit'
    ? `Using explicit session: ${session}`
    : `Auto-detected Claude session: ${session}`;
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
}

/** What was recorded, and for whom. */
export function successLines(done: readonly Satisfied[], plan: Recorded): string[] {
  if (plan.level === 'branch') {
    return [plan.told, ...done.map(({ name }) => `Satisfied '${name}' at branch level for ${plan.branch}`)];
  }
  const [first, ...more] = done;
  if (first !== undefined && more.length === 0) {
    return [plan.told, `Satisfied '${first.name}' for ${plan.branch} (${first.scope} scope)`];
  }
  return [
    plan.told,
    `Satisfied ${done.length} requirement(s) for ${plan.branch}`,
    ...done.map(({ name, scope }) => `- ${name} (${scope} scope)`),
  ];
}
