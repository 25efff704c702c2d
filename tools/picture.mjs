// Plays the scripted session and draws its middle, an agent held and released, as docs/held.svg.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = process.env.HOLDPOINT_DIST ?? join(root, 'dist');

const [FIRST, LAST] = [3, 6];
const [FONT, LINE, MARGIN] = [13, 19, 18];
/** Of a fixed-width font at that size, with a little to spare. */
const LETTER = 7.85;
const COLOURS = { 31: '#ff7b72', 32: '#7ee787', 36: '#79c0ff' };

/** What the session prints, with colours and without anything that differs from run to run. */
function play() {
  const home = mkdtempSync(join(tmpdir(), 'holdpoint-picture-'));
  try {
    const env = { PATH: process.env.PATH, HOME: home, FORCE_COLOR: '1' };
    const args = [join(dist, 'holdpoint.cjs'), 'try'];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: home,
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`holdpoint try: ${stderr}`);
    return stdout.replace(/(holdpoint why )\w+/g, '$1mwh4q1x0');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The lines of the scenes that are shown. */
function scenes(text) {
  const lines = text.split('\n');
  const at = (number) => lines.findIndex((line) => plain(line).startsWith(`${number}.`.padStart(3)));
  return lines.slice(at(FIRST), at(LAST + 1) - 1);
}

function plain(line) {
  return line.replaceAll(/\x1b\[\d+m/g, '');
}

/** Pieces of a line, each with the code of its style; 0 is plain. */
function pieces(line) {
  const [first, ...rest] = line.split(/\x1b\[(\d+)m/);
  const styled = rest.flatMap((part, index) =>
    index % 2 === 0 ? [{ code: Number(part), text: rest[index + 1] }] : [],
  );
  return [{ code: 0, text: first }, ...styled].filter(({ text }) => text !== '');
}

function span({ code, text }) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  if (code === 1) return `<tspan font-weight="bold">${escaped}</tspan>`;
  if (code === 2) return `<tspan fill="#9198a1">${escaped}</tspan>`;
  return COLOURS[code] === undefined ? escaped : `<tspan fill="${COLOURS[code]}">${escaped}</tspan>`;
}

function svg(lines) {
  const longest = Math.max(...lines.map((line) => plain(line).length));
  const width = Math.ceil(longest * LETTER) + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const rows = lines.flatMap((line, index) => {
    const y = MARGIN + (index + 1) * LINE - 5;
    const text = pieces(line).map(span).join('');
    return text === '' ? [] : [`  <text x="${MARGIN}" y="${y}" xml:space="preserve">${text}</text>`];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${FONT}" fill="#e6edf3">
  <title>An agent is held, told why, and released</title>
  <rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${rows.join('\n')}
</svg>
`;
}

/** The picture as it would be drawn now. */
export function draw() {
  return svg(scenes(play()));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(root, 'docs', 'held.svg'), draw());
