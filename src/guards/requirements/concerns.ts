import type { EventOf, ToolCall } from '../../core/event';
import type { HostName } from '../../core/host-name';
import type { Effect } from '../../core/moments';
import type { Requirement, RequirementsConfig } from './section';

/* Cheap checks whether the expensive parts of this guard, people.ts and deeds.ts, must be loaded. */

/** The tool with which an agent of Claude Code asks its user. */
export const QUESTION_TOOL = 'AskUserQuestion';

/** Hosts whose own dialog a hook can request, and hosts where a person types a line instead. */
export const DIALOG_HOSTS: readonly HostName[] = ['gemini', 'copilot'];
export const LINE_HOSTS: readonly HostName[] = ['codex'];

/** Whether any rule must be approved by a person. */
export function hasReserved({
  requirements,
  isApart = false,
}: Pick<RequirementsConfig, 'requirements'> & { readonly isApart?: boolean }): boolean {
  // Warn and shadow rules ask nobody.
  return !isApart && requirements.some(({ agentMaySatisfy }) => !agentMaySatisfy);
}

const LINE = /^holdpoint approve((?: [^\s-]\S*)+)$/;

/** The rules that a person approves with a typed line, which must be the whole prompt. */
export function typedLine({ host, text, origin, agent }: EventOf<'prompt.submit'>): string[] | undefined {
  if (!LINE_HOSTS.includes(host) || origin !== 'human' || agent !== undefined) return undefined;
  return LINE.exec(text.trim())?.[1]?.trim().split(' ');
}

export const TREE: readonly Effect[] = ['edit', 'delete', 'config'];
const REFS: readonly Effect[] = ['commit', 'merge', 'push'];

export function hasEffects({ requirements }: RequirementsConfig): boolean {
  return requirements.some(({ effects }) => effects.length > 0);
}

/** The rules that can be checked afterwards, from the work tree and the refs. */
export function judgedAfter({ requirements }: RequirementsConfig): Requirement[] {
  return requirements.filter(
    ({ type, effects, ...rest }) =>
      effects.some((one) => TREE.includes(one) || REFS.includes(one)) &&
      (type === 'blocking' || 'branches' in rest),
  );
}

export function isJudgedAfter(config: RequirementsConfig): boolean {
  return judgedAfter(config).length > 0;
}

/** Whether the refs must be checked right after each shell call. */
export function movesRefs(config: RequirementsConfig): boolean {
  return judgedAfter(config).some(({ effects }) => effects.some((one) => REFS.includes(one)));
}

/** Whether a shell call may use up a pass for one of its effects. */
export function hasEffectPasses({ requirements }: RequirementsConfig): boolean {
  return requirements.some(({ scope, effects }) => scope === 'single_use' && effects.length > 0);
}

/** Only the program and subcommand of a command: the rest may be private. */
export function labelOf({ command, nativeName }: Pick<ToolCall, 'command' | 'nativeName'>): string {
  const words = /^\s*[\w./-]{1,40}(?: [a-z][\w-]{0,20})?/.exec(command ?? '')?.[0].trim();
  return words === undefined || words === '' ? nativeName.replace(/\s+/g, ' ').slice(0, 60) : words;
}
