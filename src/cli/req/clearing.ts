import type { RequirementStatus } from '../../guards/requirements/status';

/** What clears one requirement: its skill where it names one, else our own command. */
export function clearingCommand({ name, skill }: RequirementStatus, session: string): string {
  return skill === undefined ? satisfyCommand([name], session) : `/${skill}`;
}

/** The one command that clears all of them. */
export function clearingAll(open: readonly RequirementStatus[], session: string): string {
  const skills = new Set(open.map(({ skill }) => skill));
  const [shared] = skills;
  if (skills.size === 1 && shared !== undefined) return `/${shared}`;
  return satisfyCommand(
    open.map(({ name }) => name),
    session,
  );
}

function satisfyCommand(names: readonly string[], session: string): string {
  return `req satisfy ${names.join(' ')} --session ${session === '' ? 'ID' : session}`;
}
