/** Tools that were renamed: the client still takes the old names in its own rules. */
const SAME_TOOL: readonly (readonly string[])[] = [
  ['Agent', 'Task'],
  ['TaskStop', 'KillShell', 'KillBash'],
  ['ListAgents', 'ListPeers'],
  ['SendUserMessage', 'Brief'],
];

/** The name and its aliases, the name as given first. */
export function namesOf(name: string): string[] {
  for (const group of SAME_TOOL) {
    if (group.includes(name)) return [name, ...group.filter((other) => other !== name)];
  }
  return [name];
}
