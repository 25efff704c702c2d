import { shellWord } from '../install/launch';
import { printable } from '../output/printable';

// The words of the commands that write and show config files.

export const NO_PROJECT_CONFIG = `This project has no config yet, so there is nothing to enable.
Run 'req init' first.`;

export const CANCELLED = 'Cancelled; nothing was written.';

export function oneNameOnly(verb: string): string {
  return `req ${verb}: name one requirement, or none for all of them.`;
}

export function notDefined(name: string, near: string | undefined): string {
  const hint = near === undefined ? "'req config' shows those that are." : `Did you mean? ${printable(near)}`;
  return `Requirement '${printable(name)}' is not defined in any config file. ${hint}`;
}

export function nothingWritten(why: string): string {
  return `Nothing was written: ${printable(why)}`;
}

export function switched(enabled: boolean, name: string | undefined): string {
  const what = name === undefined ? 'Requirements framework' : `Requirement '${name}'`;
  return `${what} ${enabled ? 'enabled' : 'disabled'} for this project`;
}

export function modified(path: string): string {
  return `Modified: ${path}`;
}

export function unknownPreset(name: string, known: readonly string[]): string {
  return `req init: there is no preset '${printable(name)}'. Known: ${known.join(', ')}.`;
}

/** A file of ours has more than requirements, and keeps the rest. */
type Form = 'whole' | 'section';

export function alreadyExists(path: string, form: Form): string {
  const what = form === 'whole' ? 'it' : 'the requirements in it';
  return `Config already exists: ${printable(path)}\nNothing was written. Use --force to replace ${what}; a copy is kept.`;
}

export function whatIsWritten(path: string, to: { readonly form: Form; readonly isTaken: boolean }): string {
  if (to.form === 'whole') return `${to.isTaken ? 'Replace' : 'Write'} ${path}`;
  return to.isTaken ? `Replace the requirements in ${path}` : `Add requirements to ${path}`;
}

export function replaced(path: string, copy: string, form: Form): string[] {
  return [
    form === 'whole'
      ? 'It takes the place of the file that was there.'
      : 'The requirements that stood there are replaced; what else the file says stays.',
    `What it was before: ${copy}`,
    `To undo: mv ${shellWord(copy)} ${shellWord(path)}`,
  ];
}

export function created(context: string, preset: string): string {
  return `Created ${context} config (${preset})`;
}

export function wouldCreate(path: string): string {
  return `Would create: ${path}`;
}

export function ignoreLocal(path: string): string {
  return `Keep it out of the repository: add ${path} to .gitignore.`;
}

export function bothFlags(verb: string, one: string, other: string): string {
  return `req ${verb}: ${one} and ${other} exclude each other.`;
}

export const NO_NAME = 'req config: name the requirement that is to be changed.';

export function badSet(text: string): string {
  return `req config: --set takes KEY=VALUE, not '${printable(text)}'.`;
}

export function badScope(scope: string, known: readonly string[]): string {
  return `req config: --scope takes one of ${known.join(', ')}, not '${printable(scope)}'.`;
}

export const SAY_YES =
  'Nothing was written: there is nobody to ask. Give --yes to write without being asked.';

export const NO_MESSAGE_FILES = 'No message files. The built-in words serve, or `message:` in the config.';

export function unknownMessagesCommand(what: string): string {
  return `req messages: there is no '${printable(what)}'. Known: validate, list.`;
}

export function nobodysMessages(file: string, name: string, near: string | undefined): string {
  const hint = near === undefined ? '' : ` Did you mean ${printable(near)}?`;
  return `${file}: there is no requirement '${printable(name)}'.${hint}`;
}

export function unusedTexts(file: string, keys: readonly string[]): string {
  return `${file}: ${keys.join(', ')}: accepted, but Holdpoint says this in its own words.`;
}

export function builtInWords(names: readonly string[]): string {
  return `No words of their own, so the built-in ones serve: ${names.join(', ')}`;
}

export function createdFile(file: string): string {
  return `Created: ${file}`;
}

export function messagesValid(count: number): string {
  return `Message files are valid (${count})`;
}
