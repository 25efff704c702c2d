export interface ForbiddenImport {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}

export function checkImports(rootDir: string): readonly ForbiddenImport[];
