import { constantOf, type Word } from './command';

/** What a shell was asked to run. */
export interface ShellCode {
  readonly code: string;
  readonly positional: readonly Word[];
  readonly errexit: boolean;
  readonly pipefail: boolean;
}

export const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'dash', 'zsh', 'ksh', 'ash']);

/**
 * The code that a shell runs by its words and its input, where that code is a constant.
 * `undefined`: a script file, a pipe, or a text that depends on the machine.
 */
export function codeForShell(args: readonly Word[], input: Word | undefined): ShellCode | undefined {
  const options = readOptions(args);
  if (options === undefined) return undefined;
  const operands = args.slice(options.end);
  const modes = { errexit: options.errexit, pipefail: options.pipefail };
  if (options.command) {
    const code = constantOf(operands[0]);
    return code === undefined ? undefined : { code, positional: operands.slice(2), ...modes };
  }
  if (operands.length > 0 && !options.fromInput) return undefined;
  const code = constantOf(input);
  return code === undefined ? undefined : { code, positional: operands, ...modes };
}

interface ShellOptions {
  readonly end: number;
  readonly command: boolean;
  readonly fromInput: boolean;
  readonly errexit: boolean;
  readonly pipefail: boolean;
}

function readOptions(args: readonly Word[]): ShellOptions | undefined {
  let letters = '';
  const named: string[] = [];
  let end = 0;
  for (; end < args.length; end++) {
    const text = constantOf(args[end]);
    if (text === undefined) return letters.includes('c') ? optionsOf(letters, named, end) : undefined;
    if (!/^[-+]./.test(text)) break;
    if (text.startsWith('-') && !text.startsWith('--')) letters += text.slice(1);
    if (takesName(text)) named.push(textAt(args, ++end));
    if (text === '--') return optionsOf(letters, named, end + 1);
  }
  return optionsOf(letters, named, end);
}

function optionsOf(letters: string, named: readonly string[], end: number): ShellOptions {
  return {
    end,
    command: letters.includes('c'),
    fromInput: letters.includes('s'),
    errexit: letters.includes('e') || named.includes('errexit'),
    pipefail: named.includes('pipefail'),
  };
}

function takesName(option: string): boolean {
  if (option.startsWith('--')) return option === '--rcfile' || option === '--init-file';
  return option.endsWith('o') || option.endsWith('O');
}

function textAt(args: readonly Word[], index: number): string {
  return constantOf(args[index]) ?? '';
}
