import type { Effects } from '../core/command-effects';
import { commandLines as linesOf } from './command-lines';
import { effectsOf as effectsWith } from './effects';
import * as parser from './parser';
import { simpleCommands as commandsOf, type ParseResult, type Surroundings } from './simple-commands';
import type { Start as FullStart } from './start';

/** This room with its parser at hand, for whoever does not count milliseconds. */

export type {
  Effects,
  FileWrite,
  ForgeEffect,
  GitEffect,
  GitOperation,
  Possible,
  RefWrite,
  TestRun,
  UnknownEffect,
} from '../core/command-effects';
export type { SimpleCommand, Word } from './command';
export type { RepositoryFact } from './repositories';
export type { ParseResult } from './simple-commands';

export type Start = Omit<FullStart, 'loadParser'>;

const loadParser = () => parser;

export function effectsOf(text: string, start: Start): Effects {
  return effectsWith(text, { ...start, loadParser });
}

export function commandLines(text: string, cwd: string): readonly (readonly string[])[] | undefined {
  return linesOf(text, cwd, loadParser);
}

export function simpleCommands(
  text: string,
  start: Omit<Surroundings, 'loadParser'> = { cwd: '/' },
): ParseResult {
  return commandsOf(text, { ...start, loadParser });
}
