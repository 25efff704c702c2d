import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectContext } from '../../core/guard';
import type { Evidence } from './config';
import type { Shown } from './findings';
import { runLine } from './run-line';

const MOST_FILES = 500;
const LARGEST_BYTES = 512 * 1024;
const DEEPEST = 6;

/** Whether what the config asks to see is there: a command that ends well, or a file that says so. */
export async function findEvidence(evidence: Evidence, context: EffectContext): Promise<Shown> {
  const { command } = evidence;
  if (command === undefined) return inFiles(evidence, context.projectRoot, Date.now());
  const ended = await runLine(command, context);
  if (ended.kind === 'exited' && ended.code === 0) return { kind: 'shown' };
  const how = ended.kind === 'exited' ? `with exit code ${ended.code}` : `badly (${ended.kind})`;
  return { kind: 'lacking', why: `\`${command}\` ends ${how}` };
}

/** One file has to meet all of it; of several that fail, the nearest miss is told. */
function inFiles(evidence: Evidence, root: string, now: number): Shown {
  const files = evidence.dirs.flatMap((dir) => markdownIn(join(root, dir), 0)).slice(0, MOST_FILES);
  const misses = files.map((file) => lackOf(file, evidence, now));
  if (misses.includes(undefined)) return { kind: 'shown' };
  const [miss = `no Markdown file is in ${evidence.dirs.join(', ')}`] = misses;
  return { kind: 'lacking', why: miss };
}

function lackOf(
  file: string,
  { markers, verdict, maxAgeSeconds }: Evidence,
  now: number,
): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined || stat.size > LARGEST_BYTES) return `${file} cannot be read`;
  const age = (now - stat.mtimeMs) / 1000;
  if (maxAgeSeconds !== undefined && age > maxAgeSeconds)
    return `what shows it is older than ${maxAgeSeconds} s`;
  const text = textOf(file);
  if (text === undefined) return `${file} cannot be read`;
  const missing = markers.find((marker) => !text.includes(marker));
  if (missing !== undefined) return `no file contains "${missing}"`;
  const lacksVerdict = verdict !== undefined && !verdictIn(text).includes(verdict);
  return lacksVerdict ? `no file says "${verdict}" under "## Verdict"` : undefined;
}

/** A file that cannot be read shows nothing; it must not end the search in the others. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The text from the heading `## Verdict` to the next heading of its rank. */
function verdictIn(text: string): string {
  const [, after = ''] = text.split(/^##[ \t]+Verdict[ \t\r]*$/m);
  return after.split(/^##?[ \t]/m)[0] ?? '';
}

function markdownIn(dir: string, depth: number): string[] {
  if (depth > DEEPEST) return [];
  try {
    return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return markdownIn(path, depth + 1);
      return entry.isFile() && entry.name.endsWith('.md') ? [path] : [];
    });
  } catch {
    return [];
  }
}
