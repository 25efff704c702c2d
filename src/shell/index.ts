export type { SimpleCommand, Word } from './command';
export { commandLines } from './command-lines';
export type {
  Effects,
  FileWrite,
  ForgeEffect,
  GitEffect,
  Start,
  TestRun,
  UnknownEffect,
} from './effect-types';
export { effectsOf } from './effects';
export type { GitOperation, RefWrite } from './git-plan';
export type { Possible } from './possible';
export type { RepositoryFact } from './repositories';
export { type ParseResult, simpleCommands } from './simple-commands';
