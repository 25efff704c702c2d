import { constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { LONGEST_PATH } from '../../core/event';
import { type Json, objectIn, textIn } from '../../core/json';
import { upward } from '../../core/text';
import { attempt } from '../../exec/attempt';
import { withPlainFile } from '../../state/files';
import type { Environment } from '../host';
import { linesIn } from '../own-lines';

/*
 * What Claude Code itself runs when an agent calls a skill or a command file: the lines in its text that are marked by an
 * exclamation mark, and the hooks in its head. No event of their own tells of these programs.
 */

/** The command lines of the skill of a name, as the client finds it from `cwd`, with the arguments filled in. */
export function skillCommands(name: string, args: string, cwd: string, env: Environment): string[] {
  const wanted = plainName(name);
  // A place or a plugin may stand before the name.
  const isWanted = (one: string): boolean =>
    wanted === plainName(one) || wanted.endsWith(`:${plainName(one)}`);
  const config = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] ?? '', '.claude');
  return skillsFrom(cwd, config)
    .filter((one) => isWanted(one.name) || isWanted(textIn(one.head, 'name') ?? one.name))
    .flatMap(({ head, body }) => {
      const marked = [...body.matchAll(MARKED)].map(([, line = '']) => line);
      return [...linesIn(objectIn(head, 'hooks')), ...marked, ...blocksIn(body)];
    })
    .map((line) => withArguments(line, args));
}

function plainName(name: string): string {
  return name.trim().replace(/^\//, '').toLowerCase();
}

/** As in `` !`git status` ``. */
const MARKED = /!`([^`]+)`/g;

/** Fenced blocks with the mark behind their backticks. */
function blocksIn(body: string): string[] {
  const blocks: string[][] = [];
  let block: string[] | undefined;
  for (const line of body.split('\n')) {
    if (block === undefined && /^\s*```!/.test(line)) {
      block = [];
      blocks.push(block);
    } else if (/^\s*```/.test(line)) block = undefined;
    else block?.push(line);
  }
  return blocks.map((lines) => lines.join('\n'));
}

/** A skill, a command or a subagent, as its file describes it. */
export interface Described {
  readonly name: string;
  readonly file: string;
  readonly head: Json | undefined;
  readonly body: string;
}

/** All that the client finds from `cwd`, and in the directory of its own config. */
export function skillsFrom(cwd: string, config: string): Described[] {
  const above = isAbsolute(cwd) && cwd.length <= LONGEST_PATH ? upward(cwd) : [];
  const dirs = new Set([...above.map((dir) => join(dir, '.claude')), config]);
  return [...dirs]
    .flatMap((dir) => [
      ...listed(join(dir, 'skills')).map((name) => ({ name, file: join(dir, 'skills', name, 'SKILL.md') })),
      ...['commands', 'agents'].flatMap((kind) => namedFiles(join(dir, kind))),
    ])
    .map(({ name, file }) => {
      const text = (attempt(() => textOf(file)) ?? '').replaceAll('\r\n', '\n');
      const [, head = '', body = text] = HEAD.exec(text) ?? [];
      return { name, file, head: attempt(() => yaml().parse(head) as Json), body };
    });
}

/** Loaded when there is something to parse: it takes some milliseconds. */
function yaml(): typeof import('yaml') {
  return require('yaml');
}

/** Of a regular file, or one that a link leads to: a pipe would keep us waiting. */
function textOf(file: string): string {
  return withPlainFile(file, constants.O_RDONLY, (fd) => readFileSync(fd, 'utf8'));
}

const HEAD = /^\ufeff?---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n([\s\S]*))?$/;

/** Files are named after their directories too: `team/ship.md` is `team:ship`. */
function namedFiles(dir: string): { readonly name: string; readonly file: string }[] {
  return listed(dir, true)
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ name: file.slice(0, -'.md'.length).replaceAll('/', ':'), file: join(dir, file) }));
}

function listed(dir: string, recursive = false): string[] {
  // Most are not there, and an exception takes longer than a look.
  if (!existsSync(dir)) return [];
  return attempt(() => readdirSync(dir, { recursive, encoding: 'utf8' })) ?? [];
}

/** As the client fills in what the agent gives: all of it, or one word of it by its number. */
function withArguments(line: string, args: string): string {
  const words = args.trim().split(/\s+/);
  return line.replace(/\$ARGUMENTS(?:\[(\d)\])?|\$(\d)/g, (_, index?: string, number?: string) => {
    if (index === undefined && number === undefined) return args;
    return words[Number(index ?? Math.max(0, Number(number) - 1))] ?? '';
  });
}
