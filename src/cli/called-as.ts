import { parse } from 'node:path';

/** The groups that are installed as commands of their own, under the names of those. */
const OF_THEIR_OWN: Readonly<Record<string, string>> = {
  req: 'holdpoint req',
  'agent-gauntlet': 'holdpoint gates',
};

/** The words of a command as the person typed them: `req status` is also `holdpoint req status`. */
export function calledAs(words: string): string {
  const program = parse(process.argv[1] ?? '').name;
  const group = Object.hasOwn(OF_THEIR_OWN, program) ? OF_THEIR_OWN[program] : undefined;
  const isMeant = group !== undefined && `${words} `.startsWith(`${group} `);
  return isMeant ? `${program}${words.slice(group.length)}` : words;
}
