// The few words that this room puts into what others said.

export function leftOutLine(bytes: number): string {
  return `[… ${bytes} bytes left out …]\n`;
}

export function notADirectory(path: string): string {
  return `${path} is not a directory`;
}

export function interpreterMissing(path: string): string {
  return `${path} is there, but the program that its first line names is not`;
}
