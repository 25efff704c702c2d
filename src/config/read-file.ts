import type { Json } from '../core/json';
import { type Diagnostic, diagnose, type Finding } from './diagnostics';
import type { Candidate } from './find';
import { type MarkdownParts, splitFrontMatter } from './front-matter';
import { unknownKeyFinding } from './judge-keys';
import { loadText } from './load';
import { bodyAsKey, wholeFile } from './messages';
import { type MountedFile, mountBroken, mountFile, withoutKeys } from './mount';
import { type Parsed, parseConfig } from './parse';
import { pointerOf } from './pointer';
import type { ConfigSource } from './read-config';
import { FILE_START, type SourceText, type Span } from './source';
import { topKeys, type Vocabulary } from './vocabulary';

/** One file at its place in the model, or nothing where it is absent. What is wrong goes to `diagnostics`. */
export function readFile(
  file: Candidate,
  vocabulary: Vocabulary,
  sources: ConfigSource[],
  diagnostics: Diagnostic[],
): MountedFile[] {
  const loaded = loadText(file.path);
  if (loaded.kind === 'missing') return [];
  const note = (text: SourceText, span: Span, finding: Finding): void => {
    const topKey = file.seed?.file.mount('', file.seed.name)[0];
    diagnostics.push({ ...diagnose(text, span, finding), ...(topKey !== undefined && { topKey }) });
  };
  if (loaded.kind === 'refused') {
    const text = { shown: file.shown, lines: [] };
    note(text, FILE_START, { ...loaded.finding, switchesOff: wholeFile() });
    return mountBroken(file, text);
  }
  const text = { shown: file.shown, lines: loaded.text.split(/\r?\n/) };
  const parsed = parseFile(file, loaded.text, text.lines);
  const off = parsed.ok ? {} : { switchesOff: wholeFile() };
  for (const { span, finding } of parsed.findings) note(text, span, { ...finding, ...off });
  if (!parsed.ok) return mountBroken(file, text);
  sources.push({ path: file.path, shown: file.shown, layer: file.layer, value: parsed.value });
  return [refuseSeedOnly(mountFile(file, text, parsed), vocabulary, diagnostics)];
}

function parseFile(file: Candidate, text: string, lines: readonly string[]): Parsed {
  const yaml = file.seed?.file.yaml ?? '1.2';
  if (!file.path.endsWith('.md')) return parseConfig(text, yaml);
  const parts = splitFrontMatter(text);
  const parsed = parseConfig(parts.head, yaml);
  const key = file.seed?.file.body;
  return key === undefined || !parsed.ok ? parsed : withBody(parsed, key, parts, lines);
}

/** What stands below the head is the value of a key; the head cannot give it as well. */
function withBody(parsed: Parsed, key: string, parts: MarkdownParts, lines: readonly string[]): Parsed {
  const value: Record<string, Json | undefined> = { ...parsed.value, [key]: parts.body };
  const line = Math.min(parts.bodyLine, lines.length);
  const span = { line, column: 1, length: lines[line - 1]?.length ?? 0 };
  const positions = new Map(parsed.positions).set(pointerOf([key]), { value: span, empty: false });
  if (!Object.hasOwn(parsed.value, key)) return { ...parsed, value, positions };
  const given = parsed.positions.get(pointerOf([key]));
  const finding: Finding = { code: 'config.duplicate-key', severity: 'error', message: bodyAsKey(key) };
  const findings = [...parsed.findings, { span: given?.key ?? FILE_START, finding }];
  return { ...parsed, value, positions, findings };
}

/** The model has keys that only a seed's file may fill; in a file of ours they are unknown. */
function refuseSeedOnly(file: MountedFile, vocabulary: Vocabulary, diagnostics: Diagnostic[]): MountedFile {
  if (file.candidate.seed !== undefined) return file;
  const refused = Object.keys(file.value).filter((key) => vocabulary.seedOnly.has(key));
  for (const key of refused) {
    const origin = file.origins.get(pointerOf([key]));
    const finding = unknownKeyFinding([key], topKeys(vocabulary));
    if (origin) diagnostics.push(diagnose(origin.file, origin.key ?? origin.value, finding));
  }
  return withoutKeys(file, new Set(refused));
}
