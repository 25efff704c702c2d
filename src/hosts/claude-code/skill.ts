import { constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { LONGEST_PATH } from '../../core/event';
import { attempt } from '../../core/failure';
import { type Json, objectIn, textIn } from '../../core/json';
import { upward } from '../../core/text';
import { findGit } from '../../git/head';
import { withPlainFile } from '../../state/files';
import type { Environment } from '../host';
import { linesIn } from '../own-lines';

/*
 * What Claude Code itself runs when an agent calls a skill or a command file: the lines in its text that are marked
 * with `!`, and the hooks in its front matter. These programs cause no events of their own.
 */

/** The command lines of a skill, as the client finds it from `cwd`, with the arguments filled in. */
export function skillCommands(name: string, args: string, cwd: string, env: Environment): string[] {
  const wanted = plainName(name);
  // The name may be prefixed with a directory or a plugin.
  const isWanted = (one: string): boolean =>
    wanted === plainName(one) || wanted.endsWith(`:${plainName(one)}`);
  const config = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] ?? '', '.claude');
  return skillsFrom(cwd, config)
    .filter((one) => isWanted(one.name) || isWanted(textIn(one.head, 'name') ?? one.name))
    .flatMap(({ head, body }) => {
      const marked = [...body.matchAll(MARKED)].map(([, line = '']) => line);
      return [...linesIn(objectIn(head, 'hooks')), ...marked, ...blocksIn(body)];
    })
    .flatMap((line) => [...new Set([0, 1].map((first) => withArguments(line, args, first)))]);
}

function plainName(name: string): string {
  return name.trim().replace(/^\//, '').toLowerCase();
}

/** An inline command such as `` !`git status` ``. */
const MARKED = /!`([^`]+)`/g;

/** Fenced code blocks with a `!` after the backticks. */
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

/** A skill, command or subagent, as described by its file. */
export interface SkillFile {
  readonly name: string;
  readonly file: string;
  readonly head: Json | undefined;
  readonly body: string;
}

/** All of them that the client finds from `cwd` upwards, elsewhere in the project and in its own config directory. */
export function skillsFrom(cwd: string, config: string): SkillFile[] {
  const isPath = isAbsolute(cwd) && cwd.length <= LONGEST_PATH;
  const above = isPath ? upward(cwd).map((dir) => join(dir, '.claude')) : [];
  const dirs = new Set([...above, ...(isPath ? nestedFrom(cwd) : []), config]);
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

/** Bounds the search in a large project; directories nearest to its root come first. */
const MOST_DIRECTORIES = 2000;

/** The client also reads a `.claude` directory in any directory of the project that the agent works in. */
function nestedFrom(cwd: string): string[] {
  const root = findGit(cwd)?.root;
  const dirs = root === undefined ? [] : [root];
  const found: string[] = [];
  for (const dir of dirs) {
    const names = directoriesIn(dir);
    if (names.includes('.claude')) found.push(join(dir, '.claude'));
    const inner = names.filter((name) => !name.startsWith('.') && name !== 'node_modules');
    dirs.push(...inner.slice(0, MOST_DIRECTORIES - dirs.length).map((name) => join(dir, name)));
  }
  return found;
}

function directoriesIn(dir: string): string[] {
  const entries = attempt(() => readdirSync(dir, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Loaded on first use: it takes some milliseconds. */
function yaml(): typeof import('yaml') {
  return require('yaml');
}

/** Follows symlinks, but reads only regular files: a pipe would block us. */
function textOf(file: string): string {
  return withPlainFile(file, constants.O_RDONLY, (fd) => readFileSync(fd, 'utf8'));
}

const HEAD = /^\ufeff?---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n([\s\S]*))?$/;

/** Names include the directories: `team/ship.md` is `team:ship`. */
function namedFiles(dir: string): { readonly name: string; readonly file: string }[] {
  return listed(dir, true)
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ name: file.slice(0, -'.md'.length).replaceAll('/', ':'), file: join(dir, file) }));
}

function listed(dir: string, recursive = false): string[] {
  // Most do not exist, and an exception costs more than this check.
  if (!existsSync(dir)) return [];
  return attempt(() => readdirSync(dir, { recursive, encoding: 'utf8' })) ?? [];
}

/**
 * Fills in the agent's arguments like the client does: all of them, or one word by its number. `first` is the number
 * of the first word after a `$`: clients count from zero, older ones from one.
 */
function withArguments(line: string, args: string, first: number): string {
  const words = (args.match(WORD) ?? []).map((word) => word.replace(/["']/g, ''));
  return line.replace(/\$ARGUMENTS(?:\[(\d+)\])?|\$(\d+)/g, (_, index?: string, number?: string) => {
    if (index === undefined && number === undefined) return args;
    return words[Number(index ?? Math.max(0, Number(number) - first))] ?? '';
  });
}

/** A word, as a shell separates them. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+|\S/g;
