import type { CommandText } from '../command-texts';

/** A command as OpenCode reads it: the prompt as Markdown, lines to run first and what was typed put in. */
export function commandFile({ description, shows, takes, prompt }: CommandText): string {
  const shown = shows === undefined ? '' : `!\`${shows}\`\n\n`;
  const typed = takes === undefined ? '' : `${takes}\n\n$ARGUMENTS\n\n`;
  return `---\ndescription: "${description}"\n---\n\n${shown}${typed}${prompt}\n`;
}
