import type { EventOf, ToolCall } from '../../core/event';
import type { HostName } from '../../core/host-name';
import type { Effect } from '../../core/moments';
import type { Requirement, RequirementsConfig } from './section';

/* Cheap looks that tell whether the dearer parts of this guard, people.ts and deeds.ts, have to be loaded at all. */

/** The tool by which an agent of Claude Code asks its user. */
export const QUESTION_TOOL = 'AskUserQuestion';

/** Hosts with a dialog of their own that a hook can ask for, and hosts where a person types a line instead. */
export const DIALOG_HOSTS: readonly HostName[] = ['gemini', 'copilot'];
export const LINE_HOSTS: readonly HostName[] = ['codex'];

/** Whether anything in the config is up to a person alone. */
export function hasReserved({
  requirements,
  isApart = false,
}: Pick<RequirementsConfig, 'requirements'> & { readonly isApart?: boolean }): boolean {
  // Nobody is asked on behalf of rules that do not hold.
  return !isApart && requirements.some(({ agentMaySatisfy }) => !agentMaySatisfy);
}

const LINE = /^holdpoint approve((?: [^\s-]\S*)+)$/;

/** The rules that a person approves by a typed line: the whole prompt, and nothing else. */
export function typedLine({ host, text, origin, agent }: EventOf<'prompt.submit'>): string[] | undefined {
  if (!LINE_HOSTS.includes(host) || origin !== 'human' || agent !== undefined) return undefined;
  return LINE.exec(text.trim())?.[1]?.trim().split(' ');
}

export const TREE: readonly Effect[] = ['edit', 'delete', 'config'];
const REFS: readonly Effect[] = ['commit', 'merge', 'push'];

export function hasEffects({ requirements }: RequirementsConfig): boolean {
  return requirements.some(({ effects }) => effects.length > 0);
}

/** The rules that can be judged afterwards. */
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

/** Whether a call of a shell is worth a look at the refs right away. */
export function movesRefs(config: RequirementsConfig): boolean {
  return judgedAfter(config).some(({ effects }) => effects.some((one) => REFS.includes(one)));
}

/** Of a command only its kind: the rest may be private. */
export function labelOf({ command, nativeName }: Pick<ToolCall, 'command' | 'nativeName'>): string {
  const words = /^\s*[\w./-]{1,40}(?: [a-z][\w-]{0,20})?/.exec(command ?? '')?.[0].trim();
  return words === undefined || words === '' ? nativeName.replace(/\s+/g, ' ').slice(0, 60) : words;
}
