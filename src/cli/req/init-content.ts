import { asBlock } from '../../config/edit-yaml';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { valueAt } from './config-file';
import type { Edit } from './edit-config';
import type { Target } from './init-target';

const HEADING = [
  '# What has to be done before an agent may go on.',
  '# `req config` shows what is in force, `req status` what is still open.',
];

/** A config as a file of its own. */
export function wholeText(config: JsonObject): string {
  return [...HEADING, ...asBlock(config, '1.1'), ''].join('\n');
}

/** A config as changes to a file of ours: its requirements as a whole, and of the rest only what it sets. */
export function sectionEdits(config: JsonObject, { file, isTaken }: Target): Edit[] {
  const { requirements, inherit, hooks = {} } = config;
  const asked = [
    ...(inherit === undefined ? [] : [{ path: ['inherit'], value: inherit }]),
    ...leaves(hooks, ['hooks']),
  ];
  const isFree = ({ path }: Edit): boolean => isTaken || valueAt(file, path) === undefined;
  return [
    ...(requirements === undefined && !isTaken
      ? []
      : [{ path: ['requirements'], value: requirements ?? {} }]),
    ...asked.filter(isFree),
  ];
}

function leaves(value: Json, path: readonly string[]): Edit[] {
  if (!isJsonObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner ?? null, [...path, key]));
}
