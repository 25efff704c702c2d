import type { CommandText } from '../command-texts';

/** A command as Gemini CLI reads it: TOML, lines to run first and what was typed put in. */
export function commandFile({ description, shows, takes, prompt }: CommandText): string {
  const shown = shows === undefined ? '' : `!{${shows}}\n\n`;
  const typed = takes === undefined ? '' : `${takes}\n\n{{args}}\n\n`;
  // A literal text: nothing in it is escaped.
  return `description = '${description}'\nprompt = '''\n${shown}${typed}${prompt}\n'''\n`;
}
