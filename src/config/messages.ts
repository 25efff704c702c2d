// The words for everything that can be wrong with a config file.

export function hintLine(hint: string): string {
  return `hint: ${hint}`;
}

export function switchedOffLine(what: string): string {
  return `${what} is switched off until this is fixed`;
}

export function tooLarge(bytes: number, limit: number): string {
  return `the file has ${bytes} bytes; a config file may have ${limit}`;
}

export function tooLong(limit: number): string {
  return `the file has more than ${limit} words and signs`;
}

export function tooDeep(): string {
  return 'nested too deeply';
}

export function notAFile(): string {
  return 'this is not a regular file';
}

export function leadsNowhere(): string {
  return 'the file is a link that leads nowhere';
}

export function notText(): string {
  return 'the file is not UTF-8 text';
}

export function unreadable(detail: string): string {
  return `the file cannot be read: ${detail}`;
}

export function wholeFile(): string {
  return 'everything in this file';
}

export function syntax(detail: string): string {
  return `not valid YAML: ${detail}`;
}

/** `next` is what stands where the end was missed; nothing at the end of the file. */
export function neverClosed(
  sign: string,
  next: { readonly sign: string; readonly line: number } | undefined,
): string {
  if (next === undefined) return `this ${sign} is never closed`;
  return next.sign === '}' || next.sign === ']'
    ? `this ${sign} is not closed before the ${next.sign} in line ${next.line}`
    : `this ${sign} is not closed before line ${next.line}, which is not indented as a part of it`;
}

export function tabIndent(): string {
  return 'a tab cannot indent YAML; use spaces';
}

export function keyNotText(): string {
  return 'a key must be text, not a list or a mapping';
}

export function severalDocuments(): string {
  return 'a second YAML document starts here; a config file holds one';
}

export function notAMapping(): string {
  return 'the file must hold a mapping of keys to values';
}

export function forbiddenKey(key: string): string {
  return `\`${key}\` cannot be used as a key`;
}

export function duplicateKey(key: string, firstLine: number): string {
  return `\`${key}\` is given twice in this mapping, first on line ${firstLine}; only this one counts`;
}

export function bodyAsKey(key: string): string {
  return `\`${key}\` is what stands below the head of the file; here it does not count`;
}

export function mergeNotMapping(): string {
  return '`<<` takes a mapping or a list of mappings';
}

export function unknownAlias(name: string): string {
  return `\`*${name}\` names no anchor that stands before it`;
}

export function selfAlias(name: string): string {
  return `\`*${name}\` stands inside what it names`;
}

export function aliasBomb(): string {
  return 'aliases repeat too much text';
}

export function notAJsonValue(value: string): string {
  return `${value} is not a value that a config can hold`;
}

export function unknownKey(key: string): string {
  return `unknown key \`${key}\``;
}

export function nearMiss(key: string, known: string): string {
  return `\`${key}\` looks like a misspelt \`${known}\``;
}

export function didYouMean(name: string): string {
  return `did you mean \`${name}\`?`;
}

export function knownKeys(names: readonly string[]): string {
  return `known here: ${names.join(', ')}`;
}

export function notRead(key: string): string {
  return `\`${key}\` is accepted, but nothing reads it`;
}

export function notEnforced(what: string): string {
  return `${what} is not enforced by this version`;
}

export function missingKey(key: string, where: string): string {
  return where === '' ? `\`${key}\` is missing` : `\`${where}\` needs the key \`${key}\``;
}

export function emptyKey(key: string): string {
  return `\`${key}\` is empty, and it is needed`;
}

export function wrongType(key: string, expected: string, received: string): string {
  return `\`${key}\` must be ${expected}, not ${received}`;
}

export function invalidValue(key: string, why: string): string {
  return `\`${key}\` ${why}`;
}

export function notAmong(key: string, options: readonly string[], received: string): string {
  return `\`${key}\` must be one of ${options.join(', ')}, not ${received}`;
}

export function definedTwice(key: string, other: string): string {
  return `\`${key}\` is also defined at ${other}, which stays in force`;
}

export function definedTwiceHint(): string {
  return 'keep it in one of the two files';
}
