import { HOST_NAMES } from '../../core/host-name';
import { PRESET_NAMES as OF_REQUIREMENTS } from '../../guards/requirements/presets';
import { PRESET_NAMES } from '../init/config-text';
import type { VerbTable } from '../verb';

/** What may follow a flag or stand as a word of its own; `requirements` are those of the project, asked when needed. */
export type Words = readonly string[] | 'requirements';

/** One command as a shell has to know it. */
export interface CommandNode {
  /** All words up to it: `holdpoint req satisfy`. */
  readonly path: string;
  readonly summary: string;
  readonly commands: readonly CommandNode[];
  readonly flags: readonly Flag[];
  /** What may be given besides flags. */
  readonly words: Words;
}

export interface Flag {
  /** With its dashes. */
  readonly name: string;
  /** Absent for a switch; empty where anything may follow. */
  readonly values?: readonly string[];
}

const SHELLS: readonly string[] = ['bash', 'zsh', 'fish'];

/** Words that the usage does not tell. */
const WORDS: Readonly<Record<string, Words>> = {
  'holdpoint completion': SHELLS,
  ...Object.fromEntries(
    ['satisfy', 'approve', 'clear', 'enable', 'disable', 'config'].map((verb) => [
      `holdpoint req ${verb}`,
      'requirements' as const,
    ]),
  ),
};

const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--host': HOST_NAMES,
  'holdpoint init --preset': PRESET_NAMES,
  'holdpoint req init --preset': OF_REQUIREMENTS,
};

/** Reads the tables of commands and what each says about its use. */
export async function commandTree(path: string, summary: string, verbs: VerbTable): Promise<CommandNode> {
  const commands = await Promise.all(
    Object.entries(verbs).map(async ([name, entry]) => {
      const { verb } = await entry.load();
      const below = `${path} ${name}`;
      if (verb.commands !== undefined) return commandTree(below, entry.summary, verb.commands);
      const flags = flagsIn(verb.usage, below);
      return { path: below, summary: entry.summary, commands: [], flags, words: WORDS[below] ?? [] };
    }),
  );
  return { path, summary, commands, flags: [{ name: '--help' }], words: [] };
}

/** Every command of the tree, the outer ones first. */
export function allCommands(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.commands.flatMap(allCommands)];
}

/** `--name`, `--name VALUE`, `-n VALUE` wherever they stand in a usage. */
const FLAG = /(?<![\w-])(--?[a-z][a-z-]*)(?:[ =]([A-Z][A-Z_]*|[a-z]+(?:\|[a-z…]+)+))?/g;

function flagsIn(usage: string, path: string): readonly Flag[] {
  const flags = new Map<string, Flag>([['--help', { name: '--help' }]]);
  for (const [, name = '', value] of usage.matchAll(FLAG)) {
    const known = flags.get(name);
    if (known?.values !== undefined || (known !== undefined && value === undefined)) continue;
    const values = VALUES[`${path} ${name}`] ?? VALUES[name] ?? choicesIn(value ?? '');
    flags.set(name, value === undefined ? { name } : { name, values });
  }
  return [...flags.values()];
}

function choicesIn(value: string): string[] {
  return value.includes('|') ? value.split('|').filter((one) => one !== '…') : [];
}
