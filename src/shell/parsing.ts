import type { Statement } from 'unbash';
import { plainStatements } from './plain-statements';

/** The parser, and how to get it: most lines of an agent are so plain that they do without. */
export type LoadParser = () => typeof import('./parser');

export type Parsed =
  | { readonly kind: 'parsed'; readonly statements: readonly Statement[] }
  | { readonly kind: 'unparsable'; readonly why: string };

export function parseLine(text: string, loadParser: LoadParser): Parsed {
  const plain = plainStatements(text);
  if (plain !== undefined) return { kind: 'parsed', statements: plain };
  const { commands, errors } = loadParser().parse(text);
  const [error] = errors ?? [];
  return error === undefined
    ? { kind: 'parsed', statements: commands }
    : { kind: 'unparsable', why: error.message };
}
