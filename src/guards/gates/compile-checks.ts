import { realpathSync } from 'node:fs';
import { isAbsolute, join, posix, sep } from 'node:path';
import { pointerOf } from '../../config/pointer';
import type { CompileContext } from '../../config/section';
import type { CheckGate } from './config';
import * as say from './config-messages';
import type { CheckInput, GatesInput } from './schema';

export function compileChecks({ checks = {} }: GatesInput, context: CompileContext): CheckGate[] {
  return Object.entries(checks).map(([name, input]) => compileCheck(name, input, context));
}

function compileCheck(name: string, input: CheckInput, context: CompileContext): CheckGate {
  const { working_directory: directory, timeout } = input;
  const instructions = instructionsOf(name, input, context);
  return {
    name,
    place: context.place(pointerOf(['gates', 'checks', name])) ?? '',
    command: input.command,
    ...(directory !== undefined && { workingDirectory: plainPath(directory) }),
    parallel: input.parallel ?? false,
    runInCi: input.run_in_ci ?? true,
    runLocally: input.run_locally ?? true,
    ...(timeout !== undefined && { timeout }),
    failFast: input.fail_fast ?? false,
    ...(instructions !== undefined && { fixInstructions: instructions }),
    cache: input.cache ?? true,
  };
}

/** Without `./` at its beginning and `/` at its end. */
export function plainPath(path: string): string {
  const plain = posix.normalize(path.replaceAll('\\', '/'));
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain;
}

/** The text of the file, which lies beside the config; the check runs without it if there is trouble. */
function instructionsOf(name: string, input: CheckInput, context: CompileContext): string | undefined {
  if (input.fix_instructions === undefined) return undefined;
  const pointer = pointerOf(['gates', 'checks', name, 'fix_instructions']);
  const refuse = (message: string): undefined =>
    void context.report(pointer, {
      code: 'config.invalid-value',
      severity: 'error',
      message,
      switchesOff: 'fix_instructions',
    });
  const home = context.place(pointer)?.startsWith('.gauntlet/') ? '.gauntlet' : '.holdpoint';
  const path = plainPath(input.fix_instructions);
  if (isAbsolute(path) || path === '..' || path.startsWith('../'))
    return refuse(say.instructionsLeadOut(home));
  const file = join(context.root, home, path);
  const loaded = context.read(file);
  switch (loaded.kind) {
    case 'missing':
      return refuse(say.noInstructions(`${home}/${path}`));
    case 'refused':
      return refuse(say.unreadInstructions(`${home}/${path}`, loaded.finding.message));
    case 'text':
      return isInside(context.root, file) ? loaded.text : refuse(say.instructionsLeadOut(home));
  }
}

/** A link must not lead out of the project: what it names would be shown to the agent. */
function isInside(root: string, file: string): boolean {
  return realpathSync(file).startsWith(realpathSync(root) + sep);
}
