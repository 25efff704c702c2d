import { readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { parse } from 'yaml';
import { type Json, objectIn, textIn } from '../../core/json';
import { upward } from '../../core/text';
import { attempt } from '../../exec/attempt';
import type { Environment } from '../host';
import { fileText, linesIn } from '../own-lines';

/*
 * What Claude Code itself runs when an agent calls a skill or a command file: the lines in its text that are marked by an
 * exclamation mark, and the hooks in its head. No event of their own tells of these programs.
 */

/** The command lines of the skill of a name, as the client finds it from `cwd`, with the arguments filled in. */
export function skillCommands(name: string, args: string, cwd: string, env: Environment): string[] {
  const home = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] ?? '', '.claude');
  const above = isAbsolute(cwd) ? upward(cwd) : [];
  const dirs = new Set([...above.map((dir) => join(dir, '.claude')), home]);
  const wanted = name.replace(/^\//, '');
  return [...dirs]
    .flatMap((dir) => [...skillsIn(dir), ...commandsIn(join(dir, 'commands'))])
    .flatMap((one) => {
      const text = fileText(one.file).replaceAll('\r\n', '\n');
      const [, head = '', body = text] = HEAD.exec(text) ?? [];
      const facts = attempt(() => parse(head) as Json);
      if (one.name !== wanted && textIn(facts, 'name') !== wanted) return [];
      const marked = [...body.matchAll(MARKED)].map(([, line, block]) => line ?? block ?? '');
      return [...linesIn(objectIn(facts, 'hooks')), ...marked].map((line) => withArguments(line, args));
    });
}

const HEAD = /^\ufeff?---\n([\s\S]*?)\n---(?:\n([\s\S]*))?$/;
/** `` !`git status` ``, or a fenced block with the mark behind its backticks. */
const MARKED = /!`([^`]+)`|^[ \t]*```!.*\n([\s\S]*?)^[ \t]*```/gm;

interface Found {
  readonly name: string;
  readonly file: string;
}

function skillsIn(dir: string): Found[] {
  const names = attempt(() => readdirSync(join(dir, 'skills'))) ?? [];
  return names.map((name) => ({ name, file: join(dir, 'skills', name, 'SKILL.md') }));
}

/** Command files are named after their directories too: `team/ship.md` is `team:ship`. */
function commandsIn(dir: string): Found[] {
  const files = attempt(() => readdirSync(dir, { recursive: true, encoding: 'utf8' })) ?? [];
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ name: file.slice(0, -'.md'.length).replaceAll('/', ':'), file: join(dir, file) }));
}

/** As the client fills in what the agent gives: all of it, or one word of it by its number. */
function withArguments(line: string, args: string): string {
  const words = args.trim().split(/\s+/);
  return line
    .replace(/\$ARGUMENTS\[(\d)\]/g, (_, number: string) => words[Number(number)] ?? '')
    .replaceAll('$ARGUMENTS', args)
    .replace(/\$(\d)/g, (_, number: string) => words[Math.max(0, Number(number) - 1)] ?? '');
}
